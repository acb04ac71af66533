// node shots.mjs URL OUTDIR: takes screenshots of the page at the sizes for which the page is designed, in light and in
// dark. node shots.mjs URL static/preview.png: takes the picture of the start page that previews of links show. A tool
// for looking at the page; it also prints the browser's errors.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { launchOptions } from './chromium.mjs';
import { WatchglassPage } from './models/page.mjs';

const SIZES = [[1440, 900], [1280, 720], [390, 844], [800, 450]];
const THEMES = ['light', 'dark'];

const [url, folder] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node shots.mjs URL OUTDIR');
  process.exit(2);
}

const browser = await chromium.launch(launchOptions());
try {
  if (folder.endsWith('.png')) {
    await preview();
  } else {
    await mkdir(folder, { recursive: true });
    for (const theme of THEMES) {
      for (const [width, height] of SIZES) await shoot(theme, width, height);
    }
  }
} finally {
  await browser.close();
}

async function preview() {
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 }, colorScheme: 'light' });
  await page.goto(url);
  await page.locator('.front-poster input:not(:disabled)').filter({ visible: true }).waitFor();
  await page.screenshot({ path: folder });
}

async function shoot(theme, width, height) {
  const context = await browser.newContext({ baseURL: url, viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  const watchglass = new WatchglassPage(page);
  // The query of the given address is kept: `shots.mjs 'http://…/?lesson=1' out`.
  const address = new URL(url);
  address.searchParams.set('theme', theme);
  // A page that does not start also gets a screenshot, because the screenshot helps to find the reason.
  const problem = await watchglass.open(`${address.search}${address.hash}`).then(() => null, (error) => error.message);
  const file = join(folder, `${width}x${height}-${theme}.png`);
  await page.screenshot({ path: file });
  console.log(file);
  for (const line of [problem, ...watchglass.complaints].filter(Boolean)) console.log(`  ${line}`);
  await context.close();
}
