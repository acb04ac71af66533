// Measures how long a large snapshot takes to open, and how much memory: `node e2e/snapshot.mjs URL FILE`, with a file
// from `cargo run --release -p watchglass-engine --example large_snapshot -- FILE 100`. Prints the milliseconds from
// the choice of the file to its overview, and from "Explore this file" to the run; the longest task of the page's own
// thread meanwhile; and the resident memory of the browser's largest process, which has the page and its worker:
// before, at most until the overview, and with the run.
import { readFileSync, readdirSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { launchOptions } from './chromium.mjs';

const GIVE_UP_MS = 300_000;

const [url, file] = process.argv.slice(2);
if (!url || !file) {
  console.error('usage: node snapshot.mjs URL FILE');
  process.exit(2);
}

const browser = await chromium.launch(launchOptions());
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(GIVE_UP_MS);
  await page.goto(new URL('?scenario=empty&dialog=snapshot', url).href);
  await page.waitForFunction(() => window.watchglass !== undefined);
  const dialog = page.getByRole('dialog');
  await dialog.locator('input[type=file]').waitFor({ state: 'attached' });
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask' });
  });
  const before = memory();
  let peak = before;
  const sampling = setInterval(() => (peak = Math.max(peak, memory())), 100);
  const chosen = performance.now();
  await dialog.locator('input[type=file]').setInputFiles(file);
  await dialog.getByRole('button', { name: 'Explore this file' }).waitFor();
  const overview = performance.now();
  clearInterval(sampling);
  await dialog.getByRole('button', { name: 'Explore this file' }).click();
  await page.getByText(/^etcd started on/).first().waitFor();
  const world = performance.now();
  const longest = await page.evaluate(() => window.longest);
  console.log(`overview ${Math.round(overview - chosen)} ms, run ${Math.round(world - overview)} ms`);
  console.log(`longest task of the page ${Math.round(longest)} ms (0: none over 50 ms)`);
  console.log(`memory before ${before} MB, at most ${peak} MB until the overview, with the run ${memory()} MB`);
} finally {
  await browser.close();
}

// Returns the resident memory of the largest renderer, in MB. The tabs of another browser would be counted, too, so no
// other browser should be open.
function memory() {
  let largest = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) continue;
      const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      largest = Math.max(largest, Number(kb ?? 0));
    } catch {
      // The process has ended in the meantime.
    }
  }
  return Math.round(largest / 1000);
}
