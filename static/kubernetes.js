// The page that measures a Kubernetes API server. It repeats two small lists and watches one resource; the lists ask for a
// name that no object has, so the API server returns the revision of the list and no objects.
import { download } from './download.js';
import { KubeApi } from './kube_api.js';
import { Refusal, showMessage } from './message.js';

const TICK_MS = 1_000;
// The chart shows the last minute; the results count everything since the start.
const SHOWN_MS = 60_000;
const PROBES = 5;
const PAGE_OBJECTS = 500;
const NOBODY = { fieldSelector: 'metadata.name=watchglass-has-no-object-of-this-name' };
const AT_0 = { ...NOBODY, resourceVersion: '0' };
const RETRY_MS = 2_000;
const GATES = ['ConsistentListFromCache', 'ListFromCacheSnapshot', 'WatchList', 'StreamingCollectionEncodingToJSON'];

const find = (name) => document.querySelector(`#kube-${name}`);
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const number = (count) => count.toLocaleString('en');
const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
const tell = (what, isGood) => showMessage(find('message'), what, isGood);
const put = (name, text) => { find(name).textContent = text; };

function duration(ms) {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

const size = (bytes) => (bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} kB`);

// Returns the sentence about durations in milliseconds.
function spread(durations) {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return `median ${duration(at(0.5))}, slowest ${duration(sorted.at(-1))} of ${number(sorted.length)}`;
}

// Says who served `lists` lists, from the counters before and after them.
function source(lists, before, after) {
  if (!before || !after) return 'unknown: /metrics may not be read';
  const by = (kind) => after.counts[kind] - before.counts[kind];
  // Lists of other clients count, too. A list that etcd serves is a list or a get in the metrics of etcd.
  const cached = Math.min(by('cache'), lists);
  const asked = Math.min(by('gets'), cached);
  const parts = [`cache ${number(cached)}, etcd ${number(lists - cached)} of ${plural(lists, 'list')}`];
  if (asked > 0) parts.push(`etcd asked for its revision: ${number(asked)}`);
  if (by('fell') > 0) parts.push(`cache too late: ${number(by('fell'))}`);
  return parts.join(' · ');
}

// Says who served the initial events of a watch.
function initialEvents(before, after) {
  const lists = after.counts.etcd - before.counts.etcd;
  return lists > 0 ? `etcd: ${plural(lists, 'list')}` : 'cache: no list reached etcd';
}

class Measurement {
  #api;
  #stop = new AbortController();
  #samples = [];
  // What the watch has received: events and bookmarks, each with its time.
  #events = [];
  #received = 0;
  #bookmarks = [];
  #revision = 0;
  #objects = 0;

  constructor(api) {
    this.#api = api;
  }

  async begin() {
    const { signal } = this.#stop;
    const first = await this.#api.list({ limit: '1' }, signal);
    this.#objects = first.objects + first.remaining;
    this.#revision = first.revision;
    const total = size(first.bytes * this.#objects);
    put('cost', `${plural(this.#objects, 'object')}, about ${total} of JSON each time: in pages of ${PAGE_OBJECTS}, in one `
      + 'consistent list, in one list at resource version 0, and as the initial events of a watch.');
    // Counts one kind of list at a time; other clients of the API server count, too.
    const before = await this.#api.metrics(signal);
    for (let n = 0; n < PROBES; n += 1) await this.#api.list(NOBODY, signal);
    const between = before && await this.#api.metrics(signal);
    for (let n = 0; n < PROBES; n += 1) await this.#api.list(AT_0, signal);
    const after = before && await this.#api.metrics(signal);
    put('fresh-source', source(PROBES, before, between));
    put('cached-source', source(PROBES, between, after));
    const gates = GATES.filter((gate) => before && gate in before.gates);
    put('gates', gates.map((gate) => `${gate}: ${before.gates[gate] ? 'on' : 'off'}`).join(' · '));
    if (!before) {
      tell({
        message: 'The API server does not show its metrics, so this page cannot know who serves a read.',
        advice: 'A user needs this permission:',
        command: 'kubectl create clusterrole metrics-reader --verb=get --non-resource-url=/metrics',
      });
    }
  }

  run() {
    this.#tick();
    this.#watch();
  }

  async #tick() {
    const { signal } = this.#stop;
    for (; !signal.aborted; await wait(TICK_MS)) {
      if (document.hidden) continue;
      try {
        // A consistent list makes the cache catch up, so the list at 0 comes first.
        const cached = await this.#api.list(AT_0, signal);
        const fresh = await this.#api.list(NOBODY, signal);
        this.#samples.push({
          at: Date.now(), fresh: fresh.ms, cached: cached.ms, revision: fresh.revision, cache: cached.revision,
          behind: Math.max(0, fresh.revision - cached.revision),
        });
        this.#isBack();
      } catch (error) {
        if (!await this.#failed(error)) return;
      }
      this.#draw();
    }
  }

  async #watch() {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const from = { resourceVersion: String(this.#revision), allowWatchBookmarks: 'true' };
        for await (const { type, revision } of this.#api.watch(from, signal)) {
          this.#revision = revision;
          if (type === 'BOOKMARK') this.#bookmarks.push(Date.now());
          else {
            this.#received += 1;
            this.#events.push(Date.now());
          }
        }
      } catch (error) {
        // A watch that starts before the history of the cache needs a new list.
        if (error.code === 410) this.#revision = this.#samples.at(-1)?.revision ?? this.#revision;
        else if (!await this.#failed(error)) return;
      }
      await wait(TICK_MS);
    }
  }

  // Shows a failure. Returns whether to try again.
  async #failed(error) {
    if (this.#stop.signal.aborted) return false;
    tell(error);
    if (error instanceof Refusal) {
      this.stop();
      return false;
    }
    show('paused', 'No response');
    await wait(RETRY_MS);
    return true;
  }

  #isBack() {
    if (document.documentElement.dataset.state !== 'paused') return;
    tell();
    show('live', 'Measuring');
  }

  #draw() {
    if (this.#samples.length === 0) return;
    const behind = this.#samples.map((sample) => sample.behind);
    put('fresh', spread(this.#samples.map((sample) => sample.fresh)));
    put('cached', spread(this.#samples.map((sample) => sample.cached)));
    put('behind', `now ${plural(behind.at(-1), 'revision')}, at most ${number(behind.reduce((a, b) => Math.max(a, b)))}`);
    const gaps = this.#bookmarks.slice(1).map((at, n) => at - this.#bookmarks[n]);
    const pause = gaps.length > 0 ? `, one every ${duration(gaps.reduce((a, b) => a + b) / gaps.length)}` : '';
    put('watch', `${plural(this.#received, 'event')}, ${plural(this.#bookmarks.length, 'bookmark')}${pause}`);
    const now = Date.now();
    const isShown = (at) => now - at < SHOWN_MS;
    this.#events = this.#events.filter(isShown);
    draw(now, this.#samples.filter(({ at }) => isShown(at)), this.#events, this.#bookmarks.filter(isShown));
    find('save').disabled = false;
  }

  // Reads all objects in four ways, and adds a row for each way.
  async readAll() {
    const { signal } = this.#stop;
    const rows = find('ways').querySelector('tbody');
    rows.replaceChildren();
    find('ways').hidden = false;
    for (const [name, way] of Object.entries(this.#ways())) {
      put('reading', `Reading: ${name}…`);
      const before = await this.#api.metrics(signal);
      const { lists, bytes, ms } = await way(signal);
      const after = before && await this.#api.metrics(signal);
      const served = lists > 0 || !after ? source(lists, before, after) : initialEvents(before, after);
      const row = document.createElement('tr');
      const cells = [plural(lists || 1, 'request'), size(bytes), duration(ms), served];
      row.append(Object.assign(document.createElement('th'), { scope: 'row', textContent: name }),
        ...cells.map((text) => Object.assign(document.createElement('td'), { textContent: text })));
      rows.append(row);
    }
  }

  #ways() {
    const once = async (query, signal) => ({ lists: 1, ...await this.#api.read(query, signal) });
    return {
      [`pages of ${PAGE_OBJECTS}`]: async (signal) => {
        const sum = { lists: 0, bytes: 0, ms: 0 };
        for (let next = ''; ;) {
          const page = await this.#api.list({ limit: String(PAGE_OBJECTS), ...(next ? { continue: next } : {}) }, signal);
          sum.lists += 1;
          sum.bytes += page.bytes;
          sum.ms += page.ms;
          put('reading', `Reading: page ${number(sum.lists)}…`);
          if (!page.next) return sum;
          next = page.next;
        }
      },
      'one consistent list': (signal) => once({}, signal),
      'one list at resource version 0': (signal) => once({ resourceVersion: '0' }, signal),
      'initial events of a watch': async (signal) => {
        const start = performance.now();
        let bytes = 0;
        const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };
        for await (const event of this.#api.watch(query, signal)) {
          bytes += event.bytes;
          if (event.isInitialEnd) return { lists: 0, bytes, ms: performance.now() - start };
        }
        throw new Error('The API server has ended the watch before its initial events were complete.');
      },
    };
  }

  // Returns all samples as CSV.
  csv() {
    const head = 'time,consistent_list_ms,list_at_0_ms,etcd_revision,cache_revision';
    const rows = this.#samples.map(({ at, fresh, cached, revision, cache }) => [
      new Date(at).toISOString(), fresh.toFixed(2), cached.toFixed(2), revision, cache].join());
    return [head, ...rows, ''].join('\n');
  }

  get isStopped() {
    return this.#stop.signal.aborted;
  }

  stop() {
    this.#stop.abort();
    show('ended', 'Stopped');
    put('stop', 'Measure again');
    find('read').disabled = true;
  }
}

function show(state, text) {
  document.documentElement.dataset.state = state;
  put('state', text);
}

const LEFT = 96;
const LANES = { times: [14, 150], behind: [176, 216], watch: 240 };
const GRID_MS = [1, 10, 100, 1_000];

// Draws the last minute: a dot for each consistent list and a ring for each list at 0, a bar for the revisions by which the
// cache was behind, and the events and bookmarks of the watch.
function draw(now, samples, events, bookmarks) {
  const chart = find('chart');
  const width = chart.clientWidth;
  const x = (at) => Math.round(width - 8 - ((now - at) / SHOWN_MS) * (width - LEFT - 8));
  const [top, bottom] = LANES.times;
  const most = Math.log10(2_000);
  const y = (ms) => bottom - Math.min(1, Math.log10(Math.max(ms, 1)) / most) * (bottom - top);
  const marks = [];
  const add = (name, attributes, text = '') => {
    const mark = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) mark.setAttribute(key, value);
    mark.textContent = text;
    marks.push(mark);
  };
  const line = (kind, x1, y1, x2, y2) => add('line', { class: kind, x1, y1, x2, y2 });
  const word = (kind, left, baseline, text) => add('text', { class: kind, x: left, y: baseline }, text);

  for (const ms of GRID_MS) {
    line('is-grid', LEFT, y(ms), width, y(ms));
    word('is-end', LEFT - 8, y(ms) + 4, ms < 1_000 ? `${ms} ms` : '1 s');
  }
  word('is-name', 0, LANES.behind[0] + 12, 'behind');
  word('is-name', 0, LANES.watch + 4, 'watch');
  line('is-grid', LEFT, LANES.behind[1], width, LANES.behind[1]);
  line('is-grid', LEFT, LANES.watch, width, LANES.watch);
  const peak = Math.max(1, ...samples.map((sample) => sample.behind));
  for (const { at, fresh, cached, behind } of samples) {
    line('is-stem', x(at), y(cached), x(at), y(fresh));
    add('circle', { class: 'is-cached', cx: x(at), cy: y(cached), r: 3.5 });
    add('circle', { class: 'is-fresh', cx: x(at), cy: y(fresh), r: 4 });
    const high = Math.ceil((behind / peak) * (LANES.behind[1] - LANES.behind[0]));
    if (high > 0) add('rect', { class: 'is-behind', x: x(at) - 3, y: LANES.behind[1] - high, width: 6, height: high });
  }
  word('', 0, LANES.behind[0] + 28, plural(samples.at(-1)?.behind ?? 0, 'revision'));
  for (const at of events) line('is-event', x(at), LANES.watch - 7, x(at), LANES.watch + 7);
  for (const at of bookmarks) add('rect', { class: 'is-bookmark', x: x(at) - 5, y: LANES.watch - 5, width: 10, height: 10 });
  const foot = 268;
  add('circle', { class: 'is-fresh', cx: LEFT + 4, cy: foot - 4, r: 4 });
  word('', LEFT + 14, foot, 'consistent list');
  add('circle', { class: 'is-cached', cx: LEFT + 118, cy: foot - 4, r: 3.5 });
  word('', LEFT + 128, foot, 'list at 0');
  line('is-event', LEFT + 196, foot - 10, LEFT + 196, foot + 2);
  word('', LEFT + 204, foot, 'event');
  if (width > 480) {
    add('rect', { class: 'is-bookmark', x: LEFT + 252, y: foot - 9, width: 10, height: 10 });
    word('', LEFT + 268, foot, 'bookmark');
    word('is-end', width, foot, 'the last minute');
  }
  chart.replaceChildren(...marks);
  const last = samples.at(-1);
  if (last) {
    chart.setAttribute('aria-label', `The last minute: the newest consistent list took ${duration(last.fresh)}, the newest list at `
      + `resource version 0 ${duration(last.cached)}, and the cache was ${plural(last.behind, 'revision')} behind etcd.`);
  }
}

let measurement;

find('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  tell();
  find('go').disabled = true;
  show('paused', 'Connecting…');
  const api = new KubeApi();
  const [resource, namespace] = [find('name').value.trim(), find('namespace').value.trim()];
  try {
    put('version', await api.version());
    await api.find(resource, namespace);
    measurement = new Measurement(api);
    await measurement.begin();
    put('resource', namespace ? `${resource} of ${namespace}` : resource);
    find('card').hidden = true;
    for (const name of ['found', 'numbers', 'buttons']) find(name).hidden = false;
    show('live', 'Measuring');
    measurement.run();
  } catch (error) {
    show('ended', 'Not connected');
    tell(error);
  }
  find('go').disabled = false;
});
find('read').onclick = async () => {
  find('read').disabled = true;
  try {
    await measurement.readAll();
    find('read').disabled = false;
  } catch (error) {
    if (measurement.isStopped) return;
    find('read').disabled = false;
    tell(error);
  } finally {
    put('reading', '');
  }
};
find('save').onclick = () => download(new Blob([measurement.csv()], { type: 'text/csv' }), 'api-server.csv');
find('stop').onclick = () => {
  if (find('stop').textContent === 'Stop') measurement.stop();
  else location.reload();
};
