// Opens the pages of a build whose functions note that they were called (`cargo xtask bench parts --bless`), does what
// most people do first, and prints a line `PROGRAM 0|1 NAME` for each function of each program.
// What is done here needs only the first part of each program; all else may fetch its rest.
import { chromium } from '@playwright/test';
import { launchOptions } from './chromium.mjs';
import { WatchglassPage } from './models/page.mjs';
import { VISITS } from './models/first.mjs';

const LATER_MS = 9000;
// On a slow machine other things come late, and other functions are called.
const SLOWER = [1, 4];

const browser = await chromium.launch(launchOptions());
try {
  for (const slower of SLOWER) for (const visit of VISITS) await called(visit, slower);
} finally {
  await browser.close();
}

async function called({ address, program, size, theme = 'light', use, engineWaits }, slower) {
  const context = await browser.newContext({ baseURL: process.env.WG_URL, viewport: size, colorScheme: theme });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await page.goto(address);
  await new WatchglassPage(page).ready();
  await use(page);
  // What happens by itself a while after the start, such as an alarm that is no longer needed.
  await page.waitForTimeout(LATER_MS);
  print(program, await page.evaluate(read));
  for (const worker of engineWaits ? [] : page.workers()) print('worker', await worker.evaluate(read));
  await context.close();
}

function read() {
  return Object.entries(globalThis.watchglassExports)
    .filter(([name]) => name.startsWith('called '))
    .map(([name, global]) => `${global.value} ${name.slice('called '.length)}`);
}

function print(program, lines) {
  process.stdout.write(lines.map((line) => `${program} ${line}\n`).join(''));
}
