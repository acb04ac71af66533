// node kill.mjs URL [MOMENTS] [SEED] (or WG_URL): at random moments of typing, playing and loading, this script ends
// the worker or the tab, or reloads the page. After each moment, the script opens the page again and reads the saved
// runs. Every line that was typed at least 300 ms before the moment must be saved, in the order of typing, and nothing
// else may be saved. The seed determines the moments.
//
// The lines are read from storage itself, in the format that `frontend/src/keep` writes: the log of the base in
// IndexedDB. A line that the page has set aside, because the worker or two tabs ended while it ran, counts as saved:
// the page shows it.
import { chromium } from '@playwright/test';
import { launchOptions } from './chromium.mjs';
import { WatchglassPage } from './models/page.mjs';

const [url = process.env.WG_URL, moments = '200', seed = '1'] = process.argv.slice(2);
if (!url) {
  console.error('usage: node kill.mjs URL [MOMENTS] [SEED]');
  process.exit(2);
}

// A line that was typed less than this time before the end may be missing.
const LATE_MS = 300;
// This time is longer than the page waits before it saves a run.
const KEPT_MS = 900;
const READY_MS = 30_000;
const LIVES_MS = 2_500;

const SOURCES = [
  { slot: 'empty:3.6', query: '?scenario=empty' },
  { slot: 'story:slow-client', query: '?scenario=slow-client' },
  { slot: 'lesson:L04', query: '?lesson=L04' },
];

let random = Number(seed) >>> 0;
function below(limit) {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((random / 2 ** 32) * limit);
}
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

// The lines of each source, in the order of typing: `{ text, late }`.
const typed = new Map(SOURCES.map(({ slot }) => [slot, []]));
let lines = 0;
const faults = [];
const counts = {};

const browser = await chromium.launch(launchOptions());
const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
await context.addInitScript(() => {
  // The terminal is beside the story from the beginning.
  localStorage.setItem('watchglass.1.prefs', '1 bench=on');
  window.Worker = class extends window.Worker {
    constructor(...rest) {
      super(...rest);
      window.theWorker = this;
    }
  };
});

// Acts like a person until the time is over. Ignores errors after this time, because the page is closed then.
async function live(page, source, until) {
  const prompt = page.getByRole('combobox', { name: /^Command/ });
  try {
    await page.goto(new URL(source.query, url).href, { waitUntil: 'commit' });
    while (Date.now() < until) {
      const what = below(10);
      if (what < 6) {
        lines += 1;
        const text = what === 5 ? `for i in {1..40}; do put /n${lines} $i; done` : `put /n${lines} v`;
        await prompt.fill(text);
        const line = { text, sent: Infinity };
        typed.get(source.slot).push(line);
        await prompt.press('Enter');
        line.sent = Date.now();
        if (below(3) === 0) await sleep(below(400));
      } else if (what < 8) {
        await page.evaluate((by) => { window.watchglass?.step(by).catch(() => {}); }, below(5) - 3);
      } else if (what < 9) {
        await page.evaluate(() => { window.watchglass?.play(); });
        await sleep(below(300));
        await page.evaluate(() => { window.watchglass?.pause(); });
      } else {
        await sleep(below(500));
      }
    }
  } catch (error) {
    if (!/closed|crashed|Timeout|destroyed|navigat/i.test(error.message)) throw error;
  }
}

async function end(page, how) {
  if (how === 'worker') {
    await page.evaluate(() => window.theWorker?.terminate()).catch(() => {});
    // Lines that are typed while the worker is silent are saved as well.
    await sleep(below(500));
  } else if (how === 'crash') {
    const session = await context.newCDPSession(page);
    session.send('Page.crash').catch(() => {});
    await sleep(100);
  } else if (how === 'reload') {
    await page.reload({ waitUntil: 'commit' }).catch(() => {});
  }
}

// Returns the texts of the log of a saved run: a source, followed by the items of the log, encoded by postcard.
function logOf(saved) {
  const text = saved.replace(/^watchglass-run-\d\./, '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Buffer.from(text, 'base64');
  let at = 0;
  const number = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  };
  const string = () => {
    const length = number();
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const variant = number();
  string();
  if (variant === 1) number();
  return Array.from({ length: number() }, () => {
    number();
    number();
    return string();
  });
}

// Returns the stored content of the open run, once it is at rest: its log, and the lines that are set aside.
async function kept(page, slot) {
  return page.evaluate(async ([slot, prefix]) => {
    const id = localStorage.getItem(`${prefix}slot.${slot}`);
    if (!id) return { saved: '', asides: [], journal: [] };
    const database = await new Promise((done, failed) => {
      const opening = indexedDB.open('watchglass');
      opening.onsuccess = () => done(opening.result);
      opening.onerror = () => failed(opening.error);
    });
    const saved = await new Promise((done, failed) => {
      const asked = database.transaction('texts').objectStore('texts').get(id);
      asked.onsuccess = () => done(asked.result ?? '');
      asked.onerror = () => failed(asked.error);
    });
    database.close();
    const journal = Object.keys(localStorage).filter((key) => key.startsWith(`${prefix}line.${id}.`)).sort();
    const values = journal.map((key) => localStorage.getItem(key));
    const asides = values.filter((value) => /^(stopped|unfinished) /.test(value)).map((value) => value.slice(value.indexOf('\n') + 1));
    return { saved, asides, journal: values };
  }, [slot, 'watchglass.2.']);
}

// Compares the lines by their keys: the log contains a loop either as one line or as the commands of the loop.
function sameLines(log, expected) {
  const missing = [];
  const extra = [];
  const keyOf = (text) => /\/n\d+/.exec(text)?.[0] ?? text;
  const seen = [];
  for (const text of log) {
    const key = keyOf(text);
    if (seen.at(-1) !== key) seen.push(key);
  }
  let at = 0;
  for (const key of seen) {
    const found = expected.findIndex((line, place) => place >= at && keyOf(line.text) === key);
    if (found < 0) extra.push(key);
    else {
      for (const line of expected.slice(at, found)) if (!line.late) missing.push(line.text);
      at = found + 1;
    }
  }
  for (const line of expected.slice(at)) if (!line.late) missing.push(line.text);
  return { missing, extra, seen };
}

let page = await context.newPage();
for (let moment = 1; moment <= Number(moments); moment += 1) {
  const source = SOURCES[below(SOURCES.length)];
  const how = ['worker', 'crash', 'close', 'reload'][below(4)];
  const ms = 50 + below(LIVES_MS);
  counts[how] = (counts[how] ?? 0) + 1;
  const living = live(page, source, Date.now() + ms + 5_000);
  await sleep(ms);
  const ended = Date.now();
  await end(page, how);
  // Closing a crashed page may never finish.
  const closing = page.close({ runBeforeUnload: how === 'worker' }).catch(() => {});
  await Promise.race([closing, sleep(6_000)]);
  await Promise.race([living, sleep(6_000)]);
  for (const until = Date.now() + 6_000; context.pages().includes(page) && Date.now() < until;) await sleep(50);
  // Chromium sometimes fails to close a tab whose address is still loading. A tab that stays open would be a second tab
  // of the run, and would own the run.
  if (context.pages().includes(page)) {
    counts.stayed = (counts.stayed ?? 0) + 1;
    await end(page, 'crash');
  }
  const all = typed.get(source.slot);
  for (const line of all) if (line.late === undefined) line.late = line.sent > ended - LATE_MS;

  page = await context.newPage();
  const watchglass = new WatchglassPage(page);
  await page.goto(new URL(source.query, url).href, { waitUntil: 'commit' });
  const again = page.getByRole('button', { name: 'Retry' });
  await watchglass.ready();
  if (await page.getByText('failed to open twice').count()) {
    await again.first().click();
    counts.suspect = (counts.suspect ?? 0) + 1;
  }
  let result;
  for (const until = Date.now() + READY_MS; ;) {
    await sleep(KEPT_MS);
    const { saved, asides, journal } = await kept(page, source.slot);
    const waits = journal.length > asides.length;
    const expected = all.filter((line) => !asides.includes(line.text));
    result = { ...sameLines(saved ? logOf(saved) : [], expected), asides, journal };
    if (!waits || Date.now() > until) break;
  }
  if (result.missing.length > 0 || result.extra.length > 0) {
    faults.push({ moment, how, ms, slot: source.slot, ...result, seen: result.seen.slice(-8) });
    console.log(`moment ${moment}: ${how} after ${ms} ms in ${source.slot}:`, JSON.stringify(faults.at(-1)));
  }
  // From here on, exactly the saved lines are expected. Late lines that are missing are no longer expected.
  const seen = new Set(result.seen);
  const keyOf = (text) => /\/n\d+/.exec(text)[0];
  typed.set(source.slot, all.filter((line) => seen.has(keyOf(line.text))).map((line) => ({ ...line, late: false })));
  counts.aside = Math.max(counts.aside ?? 0, result.asides.length);
  if (moment % 20 === 0) console.log(`${moment} moments, ${lines} lines, ${faults.length} faults, ${JSON.stringify(counts)}`);
}
await browser.close();
console.log(`${moments} moments, ${lines} lines typed, ${faults.length} faults, seed ${seed}`);
process.exit(faults.length > 0 ? 1 : 0);
