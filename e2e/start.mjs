// Measures a visitor's waiting time, for `cargo xtask bench start`: start page, app and figure, each with a cold cache,
// on a slow phone (1.6 Mbit/s, 150 ms, a quarter of one core for the whole browser, including workers) and on a laptop
// (20 Mbit/s, 20 ms, the full machine). Medians of five visits, from the start of the navigation:
//
//   picture   the picture is visible: the first frame after its element has a size and is not hidden
//   answer    a first command, typed with real keys as soon as the prompt appears, shows its output; on the start page,
//             which has no prompt, the slider can be moved
//   longest   the longest task of the page's own thread
//   shift     cumulative layout shift
//   bytes     the bytes received over the connection, including headers
//
// The network is a relay in this process, so that the worker's requests wait like the page's own; Chromium's own
// throttling of network and processor does not affect workers.
import { execFileSync } from 'node:child_process';
import { createServer, connect } from 'node:net';
import { chromium } from '@playwright/test';
import { launchOptions } from './chromium.mjs';

const VISITS = Number(process.env.WG_VISITS ?? 5);
const GIVE_UP_MS = 60_000;

const CONDITIONS = {
  'slow phone': { bitsPerSecond: 1.6e6, roundTripMs: 150, share: 0.25, viewport: { width: 390, height: 844 } },
  laptop: { bitsPerSecond: 20e6, roundTripMs: 20, share: 1, viewport: { width: 1440, height: 900 } },
};

const PROMPT = '#wg-prompt';

const PAGES = {
  'front door': { path: './', picture: '.front-poster', ready: '.front-poster input:not(:disabled)' },
  app: { path: './?scenario=empty', picture: '.wg-stage .wg-tabs', prompt: pressSlash },
  figure: {
    path: 'embed.html?scenario=two-generations&at=end&controls=full',
    picture: '.loom-svg',
    prompt: (page) => page.locator(PROMPT).click(),
  },
};

const url = process.argv[2] ?? process.env.WG_URL;
if (!url) {
  console.error('usage: node start.mjs URL');
  process.exit(2);
}

console.log(`${VISITS} visits each; medians`);
print(['', '', 'picture ms', 'answer ms', 'longest ms', 'shift', 'kB']);
for (const [condition, limits] of Object.entries(CONDITIONS)) {
  for (const [name, page] of Object.entries(PAGES)) {
    const visits = [];
    for (let visit = 0; visit < VISITS; visit += 1) visits.push(await measured(page, limits));
    const of = (key) => median(visits.map((visit) => visit[key]));
    print([condition, name, of('picture').toFixed(0), of('answer').toFixed(0), of('longest').toFixed(0),
      of('shift').toFixed(3), (of('bytes') / 1000).toFixed(0)]);
  }
}
process.exit(0);

// Presses the key that leads to the prompt until the program handles it.
async function pressSlash(page) {
  const isThere = () => page.evaluate((prompt) => document.activeElement?.matches(prompt), PROMPT);
  while (!(await isThere())) await page.keyboard.press('/');
}

async function measured({ path, picture, ready, prompt }, limits) {
  const relay = await slowRelay(new URL(url), limits);
  const browser = await chromium.launch(launchOptions());
  const hold = limits.share < 1 ? holdBack(limits.share) : () => {};
  try {
    const context = await browser.newContext({ viewport: limits.viewport });
    const page = await context.newPage();
    await page.addInitScript(watch, { picture, ready });
    const address = new URL(url);
    address.port = relay.port;
    await page.goto(new URL(path, address).href, { waitUntil: 'commit', timeout: GIVE_UP_MS });
    if (prompt) {
      const isThere = (prompt) => document.querySelector(`${prompt}:not([inert] *)`);
      await page.waitForFunction(isThere, PROMPT, { timeout: GIVE_UP_MS, polling: 'raf' });
      await prompt(page);
      await page.keyboard.insertText('put /visit 1');
      await page.keyboard.press('Enter');
    }
    await page.waitForFunction(() => window.visit?.answer, undefined, { timeout: GIVE_UP_MS, polling: 200 });
    const visit = await page.evaluate(() => window.visit);
    return { ...visit, bytes: relay.bytes() };
  } finally {
    hold();
    await browser.close();
    relay.close();
  }
}

// Runs in the page before any other script.
function watch({ picture, ready }) {
  const visit = { longest: 0, shift: 0 };
  window.visit = visit;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) visit.longest = Math.max(visit.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) visit.shift += hadRecentInput ? 0 : value;
  }).observe({ type: 'layout-shift', buffered: true });

  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 0;
  const look = () => {
    const now = performance.now();
    // One frame later: an element that was visible at the last check has been painted since.
    visit.picture ??= visit.found && now;
    visit.found ??= [...document.querySelectorAll(picture)].some(isSeen) || undefined;
    if (ready && document.querySelector(ready)) visit.answer ??= now;
    if ([...document.querySelectorAll('.wg-entry')].some((entry) => /\/visit 1.*OK/s.test(entry.textContent))) {
      visit.answer ??= now;
    }
    if (!visit.answer || !visit.picture) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

// A TCP relay with a rate, a delay each way, and another round trip for each new connection.
async function slowRelay({ hostname, port }, { bitsPerSecond, roundTripMs }) {
  const bytesPerMs = bitsPerSecond / 8000;
  let sent = 0;
  let freeAt = 0;
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    const opened = performance.now() + roundTripMs;
    near.on('data', (bytes) => {
      const wait = Math.max(0, opened - performance.now()) + roundTripMs / 2;
      setTimeout(() => far.writable && far.write(bytes), wait);
    });
    far.on('data', (bytes) => {
      sent += bytes.length;
      // In pieces of about a packet, so that connections share the rate as on a real link.
      const now = performance.now();
      freeAt = Math.max(freeAt, now) + bytes.length / bytesPerMs;
      setTimeout(() => near.writable && near.write(bytes), freeAt - now + roundTripMs / 2);
    });
    near.on('end', () => far.end());
    far.on('end', () => setTimeout(() => near.end(), Math.max(0, freeAt - performance.now()) + roundTripMs));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    bytes: () => sent,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

// Lets every process of the browser run for this share of each tenth of a second, on one core.
function holdBack(share) {
  const children = () => processesBelow(process.pid);
  const pinned = new Set();
  const signal = (name) => {
    for (const pid of children()) {
      if (!pinned.has(pid)) {
        pinned.add(pid);
        try { execFileSync('taskset', ['-acp', '0', String(pid)], { stdio: 'ignore' }); } catch { /* it has ended, or this is no Linux */ }
      }
      try { process.kill(pid, name); } catch { /* it has ended */ }
    }
  };
  const PERIOD_MS = 100;
  let rest;
  const timer = setInterval(() => {
    signal('SIGCONT');
    rest = setTimeout(() => signal('SIGSTOP'), PERIOD_MS * share);
  }, PERIOD_MS);
  return () => {
    clearInterval(timer);
    clearTimeout(rest);
    signal('SIGCONT');
  };
}

function processesBelow(root) {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const found = new Set([root]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  found.delete(root);
  return found;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function print(cells) {
  console.log(cells.map((cell, place) => (place < 2 ? String(cell).padEnd(12) : String(cell).padStart(11))).join(' '));
}
