// The page that is attached to an etcd. It starts a run on the database of a member, or on its keys with a prefix, and copies
// each change that a watch of the member reports into the run, as a command `mirror`. The page needs no state of its own to go
// on after a failure: the revision of the copy says from where to watch.
import { Both } from './both.js';
import { download } from './download.js';
import { Gateway, bytesOf, quoted } from './etcd_gateway.js';
import { ALL_KEYS, listKeys, rangeOf } from './key_list.js';
import { Members } from './members.js';
import { Refusal, showMessage } from './message.js';

// A run has the pages of its database in memory (engine/src/bbolt/loaded.rs).
const FILE_BYTES_MAX = 2 ** 30;
// The versions that the simulator knows; for another one, the database decides.
const PROFILE = /^3\.[4-7](?=\.)/;
// The most that is typed at once, and the most that waits to be typed. More than that stays in etcd.
const BATCH_LINES = 200;
const BATCH_CHARS = 2 ** 18;
const QUEUE_CHARS_MAX = 2 ** 26;
const POLL_MS = 2_000;
const RETRY_MS = [500, 1_000, 2_000, 5_000];
// The revisions before now from which the history of a prefix is copied, each change as a step.
const HISTORY_REVISIONS = 10_000;
const OUT_OF_RANGE = 11;
const PERMISSION_DENIED = 7;

// Between the address and the prefix in a link.
const PREFIX_IN_LINK = '&prefix=';

const find = (name) => document.querySelector(`#attach-${name}`);
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const number = (count) => count.toLocaleString('en');

// The run in the frame.
class Copy {
  // The place that the frame shows.
  #at = { step: 0, steps: 0, branch: 0, revision: 0 };
  #moved = () => {};
  // The revision of the end of the first branch, as far as this page has seen.
  revision = 0;

  constructor(frame) {
    this.frame = frame;
  }

  async start() {
    await new Promise((resolve) => { this.frame.onload = resolve; });
    const page = this.frame.contentWindow;
    const root = this.frame.contentDocument.documentElement;
    for (; !page.watchglass; await wait(50)) {
      // static/start.js has explained the failure in the frame.
      if (root.classList.contains('is-failed')) throw new Refusal(this.frame.contentDocument.body.innerText.trim());
    }
    this.api = page.watchglass;
    await this.api.ready();
    page.addEventListener('watchglass', ({ detail }) => {
      Object.assign(this.#at, detail);
      if (this.isAtEnd) this.revision = this.#at.revision;
      this.#moved();
    });
    this.left = new Promise((resolve) => { this.frame.onload = resolve; });
  }

  // Whether the frame shows the end of the first branch, where changes are copied.
  get isAtEnd() {
    return this.#at.step === this.#at.steps && this.#at.branch === 0;
  }

  get isOnBranch() {
    return this.#at.branch !== 0;
  }

  set onMove(moved) {
    this.#moved = moved;
  }

  // Resolves when the frame shows the end of the branch.
  async showEnd() {
    await this.api.seek({ step: Number.MAX_SAFE_INTEGER });
  }
}

// Returns the command for the writes of each revision in a watch response: `{revision, line, leases}`.
function* revisions(events) {
  for (let start = 0; start < events.length;) {
    const revision = Number(events[start].kv.mod_revision);
    if (!Number.isSafeInteger(revision)) throw new Refusal('etcd has sent a change without a revision.');
    const leases = new Set();
    let line = `mirror ${revision}`;
    for (; Number(events[start]?.kv.mod_revision) === revision; start += 1) {
      const { type, kv } = events[start];
      const key = quoted(bytesOf(kv.key));
      if (type === 'DELETE') {
        line += ` del ${key}`;
      } else {
        line += ` put ${key} ${quoted(bytesOf(kv.value))}`;
        if (kv.lease) {
          line += ` --lease=${hex(kv.lease)}`;
          leases.add(kv.lease);
        }
      }
    }
    yield { revision, line, leases };
  }
}

const hex = (id) => BigInt.asUintN(64, BigInt(id)).toString(16);

class Attachment {
  #gateway;
  #copy;
  // The prefix of the copied keys; empty for all keys.
  #prefix;
  #range;
  #stop = new AbortController();
  // Aborts the current watch. The page then opens a new watch at the next revision of the copy.
  #again = new AbortController();
  #queue = [];
  #queued = 0;
  #isTyping = false;
  #isPaused = false;
  #isConnected = false;
  // The next revision to watch; 0 if it must be read from the copy.
  #next = 0;
  #leases = new Set();
  // The compaction of etcd, and whether its copy waits for the changes before it.
  #floor = 1;
  #isFloorNew = false;
  // The revision of the copy at which the last change was refused.
  #refused = 0;
  #cluster = '';
  #numbers = { cluster: 0, trip: 0, copied: 0 };
  #wake = () => {};

  constructor(gateway, copy, prefix) {
    this.#gateway = gateway;
    this.#copy = copy;
    this.#prefix = prefix;
    this.#range = prefix ? rangeOf(prefix) : ALL_KEYS;
    this.both = new Both(gateway, copy, () => this.hold());
    this.members = new Members(gateway, document.querySelector('#members'));
  }

  get #signal() {
    return this.#stop.signal;
  }

  // Reads one key at a revision (0 for now), and returns the header of the response: the cluster and its newest revision. Since
  // 3.5, a user who may read only a prefix gets no status. A serializable read also works without a quorum.
  async header(revision = 0) {
    const read = { key: this.#range.key, revision: String(revision), count_only: true, serializable: true };
    return (await this.#gateway.ask('kv/range', read, this.#signal)).header;
  }

  // Reads the database, or the keys with the prefix. Calls `progress` with the text to show, what has arrived, and all.
  async begin(header, progress) {
    this.version = await this.#gateway.version(this.#signal);
    this.#cluster = header.cluster_id;
    this.#floor = await this.#compaction(1);
    const [parts, ending] = this.#prefix ? [await this.#listed(header, progress), 'json'] : [await this.#snapshot(progress), 'db'];
    // The app accepts a file of its own frame only.
    const { File } = this.#copy.frame.contentWindow;
    this.database = new File(parts, `${new URL(this.#gateway.address).host.replace(/[^\w.-]+/g, '-')}.${ending}`);
    const profile = PROFILE.exec(this.version)?.[0] ?? '';
    await this.#copy.api.explore({ file: this.database, profile });
    await this.#copy.api.exec('mirror start');
    this.#copy.onMove = () => this.#moved();
    this.#copy.left.then(() => this.#end(new Refusal('The frame below shows another page.', 'Attach again to go on.')));
    this.#follow().catch((error) => this.#end(error));
    this.#poll();
  }

  // Returns the keys with the prefix, as they were some revisions ago if etcd has not compacted these.
  async #listed(header, progress) {
    this.#floor = Math.max(this.#floor, Number(header.revision) - HISTORY_REVISIONS);
    for (;;) {
      const from = this.#floor;
      try {
        return await listKeys(this.#gateway, this.#range, from, this.#signal, (arrived, all) => {
          progress(`${number(arrived)} of ${number(all)} keys`, arrived, all);
        });
      } catch (error) {
        // etcd can compact its history while the keys arrive.
        this.#floor = await this.#compaction(from);
        if (this.#floor === from) throw error;
      }
    }
  }

  async #snapshot(progress) {
    const bytes = Number((await this.#gateway.ask('maintenance/status', {}, this.#signal)).dbSize);
    if (bytes > FILE_BYTES_MAX) {
      throw new Refusal(`The database has ${(bytes / FILE_BYTES_MAX).toFixed(1)} GiB; a copy can have 1 GiB.`,
        'Attach to a part of it: write a prefix, such as /registry/leases/.');
    }
    const parts = [];
    let arrived = 0;
    for await (const { blob, remaining_bytes: left } of this.#gateway.stream('maintenance/snapshot', {}, this.#signal)) {
      const part = bytesOf(blob);
      parts.push(part);
      arrived += part.length;
      const all = arrived + Number(left ?? 0);
      progress(`${(arrived / 1e6).toFixed(1)} of ${(all / 1e6).toFixed(1)} MB`, arrived, all);
    }
    return parts;
  }

  // Returns the compacted revision of etcd, which is `from` or later.
  async #compaction(from) {
    try {
      await this.header(from);
      return from;
    } catch (error) {
      // A future revision has the same code.
      if (error.code !== OUT_OF_RANGE || !/compacted/.test(error.message)) throw error;
    }
    // A watch from a compacted revision ends at once, and says which revision it is.
    const create = { ...this.#range, start_revision: String(from) };
    for await (const { compact_revision: floor } of this.#gateway.stream('watch', { create_request: create }, this.#signal)) {
      if (floor) return Number(floor);
    }
    return from;
  }

  async #follow() {
    for (let failures = 0; !this.#signal.aborted;) {
      try {
        if (this.#queued > QUEUE_CHARS_MAX) await this.#until(() => this.#queued === 0);
        if (!this.#next) {
          // The first revision of a store is 1.
          await this.#until(() => this.#copy.isAtEnd && this.#copy.revision > 0 && !this.#isTyping);
          // The page responds when it shows the end, so the revision is that of the end.
          await this.#copy.showEnd();
          this.#next = this.#copy.revision + 1;
        }
        await this.#watch(() => { failures = 0; });
      } catch (error) {
        if (error instanceof Refusal) throw error;
        if (this.#signal.aborted) return;
        if (this.#again.signal.aborted) {
          this.#again = new AbortController();
          continue;
        }
        this.#isConnected = false;
        this.#moved();
        tell(error);
        await wait(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
        failures += 1;
      }
    }
  }

  // Watches the keys from the next revision on. Returns when too many changes wait.
  async #watch(began) {
    const signal = AbortSignal.any([this.#signal, this.#again.signal]);
    const create = { ...this.#range, start_revision: String(this.#next), progress_notify: true };
    for await (const response of this.#gateway.stream('watch', { create_request: create }, signal)) {
      if (response.canceled && response.compact_revision) {
        throw new Refusal(`etcd has compacted its history up to revision ${number(Number(response.compact_revision))}, and the copy `
          + `has not read revision ${number(this.#next)}.`, 'The changes between are gone. Attach again for the state of now.');
      }
      if (response.canceled) throw new Error(`etcd has ended the watch: ${response.cancel_reason ?? 'it gives no reason'}.`);
      if (response.created) {
        began();
        tell();
        this.#isConnected = true;
        this.#moved();
      }
      for (const change of revisions(response.events ?? [])) {
        for (const lease of change.leases) await this.#learn(lease);
        // Meanwhile, the copy may have refused an earlier change.
        signal.throwIfAborted();
        // The revisions between changed other keys.
        if (this.#prefix && change.revision > this.#next) this.#push(`mirror skip ${change.revision - 1}`);
        this.#push(change.line);
        this.#next = change.revision + 1;
        this.#pushFloor();
      }
      if (this.#prefix && !response.created && !response.events) this.#skip(Number(response.header.revision));
      this.#type();
      if (this.#queued > QUEUE_CHARS_MAX) return;
    }
    throw new Error(`The connection to ${this.#gateway.address} has ended.`);
  }

  // etcd has sent all changes of the keys up to this revision.
  #skip(revision) {
    if (!(revision >= this.#next)) return;
    this.#push(`mirror skip ${revision}`);
    this.#next = revision + 1;
    this.#pushFloor();
  }

  // Asks for the time of a lease that a put names. Without the time, the copy leaves out the lease of the key.
  async #learn(lease) {
    if (this.#leases.has(lease)) return;
    const { grantedTTL: seconds } = await this.#gateway.ask('lease/timetolive', { ID: lease }, this.#signal).catch((error) => {
      if (error.code === PERMISSION_DENIED) return {};
      throw error;
    });
    if (Number(seconds) > 0) this.#push(`mirror lease ${hex(lease)} ${Number(seconds)}`);
    this.#leases.add(lease);
  }

  #push(line) {
    this.#queue.push(line);
    this.#queued += line.length;
  }

  // Copies a compaction once all changes before it are on their way.
  #pushFloor() {
    if (!this.#isFloorNew || this.#floor >= this.#next) return;
    this.#isFloorNew = false;
    this.#push(`mirror compact ${this.#floor}`);
  }

  // Types the changes that wait, as long as nobody looks elsewhere.
  async #type() {
    if (this.#isTyping) return;
    this.#isTyping = true;
    while (this.#queue.length && this.#mayType()) {
      let [count, length] = [0, 0];
      while (count < Math.min(this.#queue.length, BATCH_LINES) && (count === 0 || length < BATCH_CHARS)) {
        length += this.#queue[count].length;
        count += 1;
      }
      const batch = this.#queue.splice(0, count);
      this.#queued -= batch.reduce((sum, line) => sum + line.length, 0);
      const { error } = await this.#copy.api.exec(batch.join('\n')).catch((failure) => ({ error: failure.message }));
      if (error) this.#refuse(error.split('\n', 1)[0].replace(/^Error: /, ''));
      else {
        this.#refused = 0;
        this.#numbers.copied += batch.length;
      }
    }
    this.#isTyping = false;
    this.#moved();
  }

  // Handles a change that does not follow the state of the copy, for example after *Undo*. The page then watches from the
  // revision of the copy.
  #refuse(why) {
    this.#queue.length = 0;
    this.#queued = 0;
    // *Undo* can remove a lease or a compaction from the copy, so the page sends both again.
    this.#leases.clear();
    this.#isFloorNew = this.#floor > 1;
    const { revision } = this.#copy;
    if (/copies no other etcd/.test(why)) this.#end(new Refusal('The frame below shows another run.', 'Attach again to go on.'));
    else if (revision === this.#refused && this.#copy.isAtEnd) this.#end(new Refusal(`The copy cannot follow: ${why}.`, 'Attach again for the state of now.'));
    this.#refused = revision;
    this.#next = 0;
    this.#again.abort();
  }

  #mayType() {
    return this.#copy.isAtEnd && !this.#isPaused && !this.#signal.aborted;
  }

  #until(holds) {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds() && !this.#signal.aborted) return;
        this.#wake = () => {};
        resolve();
      };
      this.#wake = look;
      look();
    });
  }

  #moved() {
    this.#wake();
    if (this.#signal.aborted) return;
    if (!this.#isTyping && this.#queue.length && this.#mayType()) {
      this.#type();
      return;
    }
    const count = this.#queue.length;
    const waits = count ? `, ${count === 1 ? '1 change waits' : `${number(count)} changes wait`}` : '';
    if (!this.#isConnected) this.#show('paused', 'Trying again…');
    else if (this.#isPaused && this.both.isOn) this.#show('paused', `You write to etcd and to the copy${waits}`);
    else if (this.#isPaused) this.#show('paused', `Paused${waits}`);
    else if (this.#copy.isOnBranch) this.#show('paused', `You are on a branch of your own${waits}`);
    else if (!this.#copy.isAtEnd) this.#show('paused', `You are looking at the past${waits}`);
    else this.#show('live', 'Live');
  }

  #show(state, text) {
    const root = document.documentElement;
    root.dataset.state = state;
    if (find('state').textContent !== text) find('state').textContent = text;
    find('pause').textContent = this.#isPaused || !this.#copy.isAtEnd ? 'Follow' : 'Pause';
    find('pause').disabled = state === 'ended';
    find('hash').disabled = state === 'ended' || !this.#copy.isAtEnd;
    find('both').disabled = state === 'ended';
    this.#showNumbers();
  }

  #showNumbers() {
    const { cluster, trip, rate } = this.#numbers;
    const { revision } = this.#copy;
    find('revision').textContent = `revision ${number(revision)}`;
    find('behind').textContent = number(Math.max(0, cluster - revision));
    find('trip').textContent = `${trip < 10 ? trip.toFixed(1) : number(Math.round(trip))} ms`;
    find('rate').textContent = `${number(Math.round(rate ?? 0))} per second`;
  }

  // Asks etcd regularly how far it is, and whether it has compacted its history.
  async #poll() {
    for (let before = 0; !this.#signal.aborted;) {
      try {
        const begin = performance.now();
        const copied = this.#next - 1;
        const header = await this.header();
        this.#numbers.trip = performance.now() - begin;
        this.#numbers.cluster = Number(header.revision);
        if (header.cluster_id !== this.#cluster) {
          this.#end(new Refusal('Another cluster responds at this address.', 'Attach again to see it.'));
          return;
        }
        if (this.#numbers.cluster < copied) {
          this.#end(new Refusal(`etcd has gone back to revision ${number(this.#numbers.cluster)}, as after a restore.`,
            'Attach again to see it.'));
          return;
        }
        const floor = await this.#compaction(this.#floor);
        this.#isFloorNew ||= floor > this.#floor;
        this.#floor = floor;
        this.#pushFloor();
        this.#type();
      } catch {
        // The watch fails, too, and reports the error.
      }
      this.#numbers.rate = (this.#numbers.copied - before) / (POLL_MS / 1_000);
      before = this.#numbers.copied;
      this.#showNumbers();
      await wait(POLL_MS);
    }
  }

  // Pauses the copying, or resumes it and moves the frame to the end of the copy.
  async pause() {
    if (!this.#isPaused && this.#copy.isAtEnd) {
      this.#isPaused = true;
    } else {
      this.#isPaused = false;
      if (this.#copy.isOnBranch) await this.#copy.api.seek({ branch: 0 });
      if (!this.#copy.isAtEnd) await this.#copy.showEnd();
    }
    this.#moved();
  }

  // Stops copying once all changes that wait are copied, so that the copy has the revision of etcd.
  async hold() {
    if (this.#isPaused) return;
    if (!this.#copy.isOnBranch) {
      await this.#copy.showEnd();
      await this.#until(() => !this.#isTyping && !this.#queue.length);
    }
    this.#isPaused = true;
    this.#moved();
  }

  // Shows the hash of the copy. The gateway of 3.4 has no HashKV, so a person asks etcd.
  async hash() {
    const { revision } = this.#copy;
    const { output, error } = await this.#copy.api.exec(`endpoint hashkv --rev=${revision} -w json`);
    if (error) return tell(new Error(error));
    const { hash } = JSON.parse(output)[0].HashKV;
    return tell({
      message: `The HashKV of the copy at revision ${number(revision)} is ${hash}.`,
      advice: 'It covers all keys and their history. Once both have finished their compactions, etcd prints the same:',
      command: `etcdctl --endpoints=${this.#gateway.address} endpoint hashkv --rev=${revision}`,
    }, true);
  }

  detach() {
    this.#end(null);
  }

  // Ends an attachment that has not begun.
  abort() {
    this.#stop.abort();
  }

  #end(error) {
    if (this.#signal.aborted) return;
    this.#stop.abort();
    this.both.end();
    this.members.end();
    this.#show('ended', 'Detached');
    find('detach').textContent = 'Attach again';
    if (error) tell(error);
  }
}

const tell = (what, isGood) => showMessage(find('message'), what, isGood);

let attachment;
let cancel = () => {};

async function attach() {
  tell();
  const gateway = new Gateway(find('address').value);
  const prefix = find('prefix').value;
  const stop = new AbortController();
  const cancelled = new Promise((_, reject) => {
    cancel = () => {
      stop.abort();
      reject(new Refusal('Cancelled.'));
    };
  });
  cancelled.catch(() => {});
  const orCancelled = (work) => Promise.race([work, cancelled]);
  // A browser may fill in the fields while nobody sees them.
  if (find('who').open && find('user').value) {
    await orCancelled(gateway.logIn(find('user').value, find('password').value, stop.signal));
  }
  const frame = document.createElement('iframe');
  frame.title = 'The copy';
  frame.hidden = true;
  frame.src = './?scenario=empty&view=index';
  const copy = new Copy(frame);
  attachment = new Attachment(gateway, copy, prefix);
  try {
    // Asks etcd before the simulator is loaded.
    const header = await orCancelled(attachment.header());
    find('arrived').textContent = 'Loading the simulator…';
    find('card').after(frame);
    await orCancelled(copy.start());
    await orCancelled(attachment.begin(header, (text, arrived, all) => {
      Object.assign(find('progress'), { max: all || 1, value: arrived });
      find('arrived').textContent = text;
    }));
  } catch (error) {
    attachment.abort();
    frame.remove();
    throw error;
  }
  find('password').value = '';
  history.replaceState(null, '', `#${gateway.address.replace('http://', '')}${prefix ? `${PREFIX_IN_LINK}${encodeURIComponent(prefix)}` : ''}`);
  find('card').hidden = true;
  // A part of the keys has another hash and another distance to etcd, and its file is no snapshot.
  for (const name of ['both', 'hash', 'save', 'lag']) find(name).hidden = prefix !== '';
  frame.hidden = false;
  find('numbers').hidden = false;
  find('buttons').hidden = false;
  document.title = `${prefix ? `${prefix} · ` : ''}${new URL(gateway.address).host} · etcd ${attachment.version} · Watchglass`;
  frame.focus();
}

find('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const busy = (is) => {
    find('go').disabled = is;
    find('cancel').hidden = !is;
    find('progress').hidden = !is;
    find('arrived').textContent = is ? 'Connecting…' : '';
  };
  busy(true);
  try {
    await attach();
  } catch (error) {
    find('state').textContent = 'Not attached';
    delete document.documentElement.dataset.state;
    tell(error);
  }
  busy(false);
});
find('cancel').onclick = () => cancel();
find('pause').onclick = () => attachment.pause().catch(tell);
find('both').onclick = () => attachment.both.ask();
find('members').onclick = () => attachment.members.toggle();
find('hash').onclick = () => attachment.hash().catch(tell);
find('save').onclick = () => download(attachment.database, attachment.database.name);
find('detach').onclick = () => {
  if (find('detach').textContent === 'Detach') attachment.detach();
  else location.reload();
};
if (location.hash.length > 1) {
  const [address, prefix = ''] = location.hash.slice(1).split(PREFIX_IN_LINK);
  find('address').value = decodeURIComponent(address);
  find('prefix').value = decodeURIComponent(prefix);
}
