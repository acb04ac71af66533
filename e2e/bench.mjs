// node bench.mjs URL [PART…] (or WG_URL): measures the page under load, in a real browser. Prints a table and asserts
// nothing, because the speed depends on the machine. `cargo xtask bench browser` calls it.
//
//   dense     2,000 keys with 10,000 revisions, and 1,000 keys with 100,000 revisions:
//   seek      wall time of `seek` to random steps
//             (processor time per frame is the page's own cost: on a busy machine, frames are late in any case)
//   scrub     frames while the cursor is dragged through the whole run, one move per frame
//   zoom      frames while the wheel zooms from the whole run down to single revisions
//   sweep     the Watch view while sync passes serve a thousand watchers on twenty streams: played at the page's highest
//             speed, and dragged, one step per frame. `work` is the main thread's processor time per frame
//   kubelets  150,000 pods on 5,000 nodes whose kubelets list their pods once a minute, while pods are created: simulated
//             seconds per real second; meanwhile, with the Index view panned and with the Cache view open, the main thread's
//             processor time per frame, the time from frame to frame, and the longest task; then the memory of the page with
//             its worker. Measured under both policies, with the cache and without, and, for comparison, on an idle page
//   cluster   five members, 1,000 puts per simulated second, and a partition every 5 s for 20 s: seeks to random steps, and
//             the run played at normal speed in four views; frames, work per frame, and pictures per second while the
//             steps of a beat follow each other
//   motion    40 lanes, and 40 watchers: transitions to the next step, one after the other; frames, and work per frame
//   longest   the longest task of the main thread during all parts (the budget is 50 ms)
//   idle      processor time of an idle page in 5 s
//   machine   time of a layout that is always the same, so that figures of different hours can be compared; before each part
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { chromium } from '@playwright/test';
import { launchOptions } from './chromium.mjs';
import { WatchglassPage } from './models/page.mjs';
import { brokenClusterRun, clusterSeconds, denseRun, kubeletsRun, lanesRun, sweptRun } from './models/runs.mjs';
import { FRAME, tracedWork } from './models/work.mjs';

const [url = process.env.WG_URL, ...wanted] = process.argv.slice(2);
if (!url) {
  console.error('usage: node bench.mjs URL [dense] [swept] [kubelets] [cluster] [motion]');
  process.exit(2);
}

const SEEKS = 60;
const FRAMES = 240;
const DENSE_RUNS = [{ keys: 2000, events: 10_000 }, { keys: 1000, events: 100_000 }];
// The number of frames of about eight beats, played at normal speed.
const PLAYED_FRAMES = 1200;
const IDLE_MS = 5000;
const LANES = 40;
const MOVES = 12;
// The minimum time for which playback shows the end of a beat, so that a reader can read the text.
const REST_MS = 1000;
// Simulated seconds with the cache on and off: enough frames for a 95th percentile, and enough time for each kubelet to
// list.
const CLUSTER_SECONDS = { on: 240, off: 300 };

for (const [name, part] of Object.entries({ dense, swept, kubelets, cluster, motion })) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await inBrowser(machineRow);
  await part();
}

// Each part gets a new browser, so that the memory of one part does not count in another part.
async function inBrowser(run) {
  const browser = await chromium.launch(launchOptions());
  try {
    const page = await browser.newPage({ baseURL: url, viewport: { width: 1440, height: 900 } });
    const watchglass = new WatchglassPage(page);
    await watchglass.open(new URL(url).search);
    await watchTasks(page);
    await run(page);
    for (const line of watchglass.complaints) console.log(`complaint: ${line}`);
  } finally {
    await browser.close();
  }
}

async function machineRow(page) {
  row('machine', describe(await page.evaluate(fixedLayout), 'ms for a fixed layout'));
}

// Runs in the page: returns the times of a layout that is always the same: 200 texts of an SVG change.
function fixedLayout() {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const texts = Array.from({ length: 200 }, () => svg.appendChild(document.createElementNS(svg.namespaceURI, 'text')));
  document.body.append(svg);
  const times = [];
  for (let round = 0; round < 31; round++) {
    const begin = performance.now();
    texts.forEach((text, place) => {
      text.textContent = `w${place * 31 + round}`;
      text.setAttribute('y', String(round + place));
    });
    svg.getBoundingClientRect();
    times.push(performance.now() - begin);
  }
  svg.remove();
  return times;
}

async function dense() {
  for (const run of DENSE_RUNS) await inBrowser((page) => denseRows(page, run));
}

async function swept() {
  await inBrowser(sweptRows);
}

async function cluster() {
  await inBrowser(clusterRows);
}

async function motion() {
  await inBrowser(motionRows);
}

async function kubelets() {
  console.log(`150,000 pods; load average ${loadavg().map((load) => load.toFixed(1)).join(' ')}`);
  cells('', 'view', 's per s', 'work p50', 'p95 ms', 'frame p50', 'p95 ms', 'longest', 'MB', 'pictures per s');
  await inBrowser(restRow);
  for (const policy of ['today', 'draft']) {
    for (const cache of ['on', 'off']) {
      for (const view of ['Index', 'Cache']) await inBrowser((page) => kubeletsRow(page, { policy, cache }, view));
    }
  }
}

async function denseRows(page, { keys, events }) {
  console.log(`${keys} keys, ${events} revisions`);
  const text = denseRun({ keys, events });
  row('load', `${(await load(page, text)).toFixed(0)} ms`, `longest task ${await longestTask(page)} ms`);
  row('seek', describe(await page.evaluate(seeks, { count: SEEKS, steps: events }), 'ms'));
  row('scrub', ...worked(await tracedWork(page, () => page.evaluate(scrub, { mark: FRAME, count: FRAMES, steps: events }))));
  row('zoom', ...worked(await tracedWork(page, () => zoom(page))));
  row('DOM', `${await page.evaluate(() => document.querySelectorAll('*').length)} nodes`);
  row('idle', await idle(page));
}

async function sweptRows(page) {
  await load(page, sweptRun({ watchers: 1000, streams: 20 }));
  await page.evaluate(() => window.watchglass.seek({ step: 1e9 }));
  await page.getByRole('tab', { name: 'Watch' }).click();
  await page.locator('.watch-ranges').waitFor();
  await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '64×' });
  row('sweep, played', ...worked(await tracedWork(page, () => page.evaluate(sweep, { mark: FRAME, played: true }))));
  row('sweep, dragged', ...worked(await tracedWork(page, () => page.evaluate(sweep, { mark: FRAME, played: false }))));
}

async function clusterRows(page) {
  const run = brokenClusterRun({ members: 5, puts: 1000, seconds: 20 });
  row('load', `${(await load(page, run)).toFixed(0)} ms`, `longest task ${await longestTask(page)} ms`);
  const steps = Number(await page.locator('.wg-slider').getAttribute('aria-valuemax'));
  row('seek', describe(await page.evaluate(seeks, { count: SEEKS, steps }), 'ms'), `${steps} steps`);
  for (const view of ['Cluster', 'Index', 'Watch', 'Messages']) {
    await page.getByRole('tab', { name: view, exact: true }).click();
    await page.waitForTimeout(500);
    const work = await tracedWork(page, () => page.evaluate(playFor, { mark: FRAME, frames: PLAYED_FRAMES, rest: REST_MS }));
    const { times, pictures, moving } = work.result;
    const pace = (pictures * 1000 / moving).toFixed(0);
    row(`played, ${view}`, ...worked({ ...work, result: times }), `${pace} pictures per second`);
  }
}

async function motionRows(page) {
  // High enough for all lanes.
  await page.setViewportSize({ width: 1440, height: 1500 });
  await load(page, lanesRun({ lanes: LANES, changes: 1, moves: MOVES }));
  for (const view of ['Index', 'Watch']) {
    await page.evaluate((step) => window.watchglass.seek({ step }), LANES * 4);
    await page.getByRole('tab', { name: view, exact: true }).click();
    await page.waitForTimeout(1000);
    const work = await tracedWork(page, () => page.evaluate(moves, { mark: FRAME, count: MOVES }));
    row(`motion, ${view}`, ...worked({ ...work, result: work.result.times }), `${work.result.marks} marks per move`);
  }
}

// Runs in the page: moves to the next beat again and again, and waits for the end of each transition.
async function moves({ mark, count }) {
  const times = [];
  let marks = 0;
  const running = () => document.getAnimations().filter(({ id }) => id === 'motion').length;
  let last = await new Promise(requestAnimationFrame);
  for (let move = 0; move < count; move++) {
    window.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true }));
    for (let [frame, most] = [0, 0]; frame < 20 || running() > 0; frame++) {
      performance.mark(mark);
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
      if (running() > most) {
        marks += running() - most;
        most = running();
      }
    }
  }
  performance.mark(mark);
  return { times, marks: Math.round(marks / count) };
}

async function kubeletsRow(page, cluster, view) {
  const loading = await load(page, kubeletsRun(cluster));
  await page.evaluate(() => window.watchglass.seek({ step: 1e9 }));
  const stage = { Index: '.loom-stage', Cache: '.wg-picture' }[view];
  await page.getByRole('tab', { name: view, exact: true }).click();
  await page.locator(stage).waitFor();
  await page.waitForTimeout(500);
  const seconds = CLUSTER_SECONDS[cluster.cache];
  const line = clusterSeconds(seconds);
  const work = await tracedWork(page, () => page.evaluate(panWhile, { mark: FRAME, line, stage }));
  const { times, pictures, took } = work.result;
  const shown = (pictures * 1000 / took).toFixed(1);
  const pace = (seconds * 1000 / took).toFixed(1);
  cells(`${cluster.policy}, cache ${cluster.cache}`, view, pace, ...frameFigures(work, times), await memory(page), shown);
  const told = await page.evaluate(() => window.watchglass.exec('show apiserver'));
  const lists = told.output.split('\n').filter((text) => text.includes('lists from')).map((text) => text.trim());
  console.log(`  loaded in ${(loading / 1000).toFixed(1)} s; ${lists.join('; ')}`);
}

async function restRow(page) {
  const { result: times, ...work } = await tracedWork(page, () => page.evaluate(rest, { mark: FRAME, frames: FRAMES }));
  cells('at rest', 'Index', '', ...frameFigures(work, times), await memory(page));
}

// Returns work and time per frame, p50 and p95 each, and the longest task.
function frameFigures({ frames, longest }, times) {
  const own = quantiles(frames);
  const all = quantiles(times);
  return [own(0.5), own(0.95), all(0.5), all(0.95), longest].map((figure) => figure.toFixed(1));
}

// Runs in the page: waits for this number of frames of an idle page.
async function rest({ mark, frames }) {
  const times = [];
  let last = await new Promise(requestAnimationFrame);
  while (times.length < frames) {
    performance.mark(mark);
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  performance.mark(mark);
  return times;
}

function cells(...texts) {
  console.log(texts.map((text, place) => (place < 2 ? text.padEnd(place ? 6 : 17) : String(text).padStart(9))).join(' '));
}

// Runs in the page: pans back and forth while a line runs, and counts the frames, and the pictures that show a new
// step.
async function panWhile({ mark, line, stage: selector }) {
  const stage = document.querySelector(selector);
  const { left, top, width, height } = stage.getBoundingClientRect();
  const at = { clientX: left + width * 0.6, clientY: top + height / 2, bubbles: true, cancelable: true };
  const slider = document.querySelector('.wg-slider');
  const step = () => slider.getAttribute('aria-valuenow');
  const times = [];
  const begin = performance.now();
  let pictures = 0;
  let took = 0;
  const done = window.watchglass.exec(line).then(() => { took = performance.now() - begin; });
  let shown = step();
  let last = await new Promise(requestAnimationFrame);
  for (let n = 0; !took; n++) {
    performance.mark(mark);
    stage.dispatchEvent(new WheelEvent('wheel', { ...at, deltaX: Math.floor(n / 60) % 2 ? 30 : -30 }));
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
    if (step() !== shown) pictures += 1;
    shown = step();
  }
  performance.mark(mark);
  await done;
  return { times, pictures, took };
}

// Returns the memory of the page's process, including its worker, as the operating system counts it.
async function memory(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => {
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1024;
  });
  return Math.round(Math.max(...sizes));
}

async function load(page, text) {
  // The transfer of a long text into the page is a long task of its own.
  await page.evaluate((run) => { window.__run = run; }, text);
  await longestTask(page);
  return page.evaluate(async () => {
    const begin = performance.now();
    await window.watchglass.load(window.__run);
    return performance.now() - begin;
  });
}

function row(name, ...columns) {
  console.log([name.padEnd(16), ...columns.map((column) => String(column).padEnd(46))].join(' ').trimEnd());
}

// Runs in the page: plays from the first partition, and counts the frames, and the pictures that differ from the
// previous picture. `moving` is the time without the rests between beats, because a rest has nothing new to show.
async function playFor({ mark, frames, rest }) {
  const slider = document.querySelector('.wg-slider');
  const at = () => slider.getAttribute('aria-valuenow');
  await window.watchglass.seek({ step: 1000 });
  const times = [];
  let pictures = 0;
  let moving = 0;
  let shown = at();
  window.watchglass.play();
  let last = await new Promise(requestAnimationFrame);
  let drawn = last;
  while (times.length < frames) {
    performance.mark(mark);
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
    if (at() !== shown) {
      if (now - drawn < rest) {
        pictures += 1;
        moving += now - drawn;
      }
      drawn = now;
    }
    shown = at();
  }
  performance.mark(mark);
  window.watchglass.pause();
  return { times, pictures, moving };
}

// Runs in the page: seeks to random steps.
async function seeks({ count, steps }) {
  const times = [];
  let random = 7;
  for (let n = 0; n < count; n++) {
    random = (random * 48271) % 2147483647;
    const begin = performance.now();
    await window.watchglass.seek({ step: random % steps });
    times.push(performance.now() - begin);
  }
  return times;
}

// Runs in the page: drags the cursor from the first step to the last step, one move of the pointer per frame.
async function scrub({ mark, count }) {
  const slider = document.querySelector('.wg-slider');
  const { x, y, width, height } = document.querySelector('.wg-bins').getBoundingClientRect();
  const point = (type, share) => slider.dispatchEvent(new PointerEvent(type, {
    pointerId: 1, bubbles: true, cancelable: true, buttons: 1, clientX: x + share * width, clientY: y + height / 2,
  }));
  const times = [];
  point('pointerdown', 0);
  let last = performance.now();
  for (let n = 0; n < count; n++) {
    performance.mark(mark);
    point('pointermove', n / count);
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  performance.mark(mark);
  point('pointerup', 1);
  return times.slice(1);
}

// Runs in the page: steps forward from the first watcher to the end. With `dragged`, also steps back again.
async function sweep({ mark, played }) {
  const end = Number(document.querySelector('.wg-slider').getAttribute('aria-valuemax'));
  const begin = 300;
  const at = () => Number(document.querySelector('.wg-slider').getAttribute('aria-valuenow'));
  await window.watchglass.seek({ step: begin });
  while (at() !== begin) await new Promise(requestAnimationFrame);
  const times = [];
  if (played) window.watchglass.play();
  let last = await new Promise(requestAnimationFrame);
  for (let step = begin; played ? at() < end : step < 2 * end - begin; step++) {
    performance.mark(mark);
    if (!played) window.watchglass.seek({ step: Math.min(step, 2 * end - step) });
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  performance.mark(mark);
  window.watchglass.pause();
  return times;
}

function worked({ result, frames: work, longest }) {
  return [frames(result), `work ${describe(work, 'ms')}`, `longest task ${longest.toFixed(0)} ms`];
}

async function zoom(page) {
  const stage = await page.locator('.loom-stage').boundingBox();
  await page.mouse.move(stage.x + stage.width * 0.6, stage.y + stage.height / 2);
  await page.getByRole('button', { name: /^Fit/ }).click();
  await page.mouse.move(stage.x + stage.width * 0.6, stage.y + stage.height / 2);
  return page.evaluate(async ({ mark, frames }) => {
    const stage = document.querySelector('.loom-stage');
    const { left, top, width, height } = stage.getBoundingClientRect();
    const at = { clientX: left + width * 0.6, clientY: top + height / 2 };
    const times = [];
    let last = performance.now();
    for (let n = 0; n < frames; n++) {
      performance.mark(mark);
      const deltaY = Math.floor(n / 60) % 2 ? 30 : -30;
      stage.dispatchEvent(new WheelEvent('wheel', { ...at, deltaY, ctrlKey: true, bubbles: true, cancelable: true }));
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    performance.mark(mark);
    return times.slice(1);
  }, { mark: FRAME, frames: FRAMES });
}

async function idle(page) {
  await page.mouse.move(2, 2);
  await page.waitForTimeout(1000);
  const begin = await processor(page);
  await page.waitForTimeout(IDLE_MS);
  return `${(await processor(page) - begin).toFixed(0)} ms of processor time in ${IDLE_MS / 1000} s (page and worker)`;
}

// Returns the processor time of page and worker up to now, in ms.
async function processor(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0) * 1000;
}

async function watchTasks(page) {
  await page.evaluate(() => {
    window.__longest = 0;
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) window.__longest = Math.max(window.__longest, task.duration);
    }).observe({ type: 'longtask' });
  });
}

// Returns the longest task since the last call. The browser reports tasks from 50 ms on, so 0 means that no task was
// longer.
async function longestTask(page) {
  const longest = await page.evaluate(async () => {
    await new Promise((done) => { setTimeout(done, 100); });
    const found = window.__longest;
    window.__longest = 0;
    return found;
  });
  return longest ? longest.toFixed(0) : '< 50';
}

function frames(times) {
  const late = times.filter((time) => time > 25).length;
  return `${describe(times, 'ms')}, ${late} of ${times.length} late`;
}

function describe(times, unit) {
  const at = quantiles(times);
  return `p50 ${at(0.5).toFixed(1)}  p95 ${at(0.95).toFixed(1)}  max ${at(1).toFixed(1)} ${unit}`;
}

function quantiles(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
