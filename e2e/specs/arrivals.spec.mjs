// Every file that a page needs, in every way in which a network damages a file: the page names the file, or works
// without it. The files come from the page, which the build wrote. Timers run on a clock of the test.
import { expect, test } from '../fixtures.mjs';
import { HOST_FATES, neededFiles, startHost } from '../models/host.mjs';

const BASE = process.env.WG_URL;
// The page that watches over the files works without this file, and says so if another file is missing, too.
const WATCHER = 'static/arrivals.js';
const LIMIT_MS = 20_000;
const KINDS = {
  app: { page: 'index.html', address: '?scenario=two-generations' },
  front: { page: 'index.html', address: '' },
  embed: { page: 'embed.html', address: 'embed.html?scenario=slow-client' },
};

let host;
test.beforeAll(async () => { host = await startHost(BASE); });
test.afterAll(() => host.stop());

// Opens a page, and lets the limit pass if a file hangs.
async function open(page, name, address, fate) {
  await page.clock.install();
  await page.goto(host.url + address, { waitUntil: 'commit' });
  if (fate !== 'hanging' || name === WATCHER) {
    await page.clock.resume();
    return;
  }
  // The script itself arrives.
  await expect.poll(() => page.evaluate(() => 'watchglassFailed' in window), { timeout: 30_000 }).toBe(true);
  await expect(async () => {
    await page.clock.fastForward(LIMIT_MS + 2_000);
    await page.clock.fastForward(6_000);
    await page.clock.resume();
    await expect(page.getByRole('alert').or(page.locator('.is-drawn')).first()).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 30_000 });
}

const isAlive = (page) => page.evaluate(async () => {
  if (!window.watchglass) return false;
  const late = new Promise((resolve) => { setTimeout(resolve, 500, 'late'); });
  return await Promise.race([window.watchglass.ready().then(() => 'ready', () => 'failed'), late]) === 'ready';
});

// Every file suffers these two fates. With WG_LONG=1, it suffers all of them in the first page that needs it.
const COMMON_FATES = ['missing', 'hanging'];
const seen = new Set();

for (const [kind, { page: file, address }] of Object.entries(KINDS)) {
  for (const name of await neededFiles(BASE, file, kind)) {
    const isWhole = process.env.WG_LONG && !seen.has(name);
    const fates = isWhole ? Object.keys(HOST_FATES) : COMMON_FATES;
    seen.add(name);
    for (const fate of fates) {
      test(`${kind}: ${name} is ${fate}`, async ({ page }) => {
        host.damage({ [name]: fate });
        await open(page, name, address, fate);
        const alert = page.getByRole('alert');
        if (name === WATCHER) {
          await expect.poll(() => isAlive(page), { timeout: 30_000 }).toBe(true);
          await expect(page.locator('.wg-silent')).toHaveCount(0);
          return;
        }
        // Half a script may be a script, and the page may work with it.
        await expect.poll(async () => (await alert.count()) > 0 || isAlive(page), { timeout: 30_000 }).toBe(true);
        // A page without its style sheet responds before it has checked its files.
        await alert.waitFor({ timeout: 3_000 }).catch(() => {});
        if (await alert.count() === 0) {
          expect(['cut', 'halved', 'empty'], 'only a part of a script can be enough').toContain(fate);
          return;
        }
        await expect(alert).toContainText('try again');
        await expect(alert).toBeVisible();
        const button = alert.getByRole('button', { name: 'Try again' });
        await expect(button).toBeVisible();
        if (!COMMON_FATES.includes(fate)) return;
        host.damage({});
        await page.clock.resume();
        // The program may have started another worker in the meantime, and the message is gone.
        await button.click({ timeout: 5_000 }).catch(() => {});
        await expect.poll(() => isAlive(page), { timeout: 30_000 }).toBe(true);
        await expect(alert).toHaveCount(0);
      });
    }
  }
}

test('without any script, the style sheet reveals a sentence after the limit', async ({ page }) => {
  host.damage({ [WATCHER]: 'missing', 'static/page.js': 'missing', 'static/boot.js': 'missing' });
  await page.goto(host.url);
  const silent = page.locator('.wg-silent');
  await expect(silent).toBeHidden();
  const ends = await silent.evaluate((element) => {
    const [wait] = element.getAnimations();
    const { endTime } = wait.effect.getComputedTiming();
    wait.finish();
    return endTime;
  });
  expect(ends).toBe(LIMIT_MS);
  await expect(silent).toBeVisible();
  await expect(silent).toContainText('try again');
});

test('without the whole release folder, the page says so at once', async ({ page }) => {
  host.damage(Object.fromEntries((await neededFiles(BASE, 'index.html', 'app')).map((name) => [name, 'missing'])));
  await page.goto(`${host.url}?app`);
  await expect(page.locator('.wg-silent')).toBeVisible();
});

test('a figure whose page hangs is reported by the element', async ({ page, docs }) => {
  await page.clock.install();
  await page.route('**/embed.html*', () => {});
  await docs.open();
  await docs.add('lost', { scenario: 'slow-client' });
  await page.clock.fastForward(LIMIT_MS + 1_000);
  const alert = docs.figure('lost').getByRole('alert');
  await expect(alert).toContainText('has not arrived for 20 s');
  await page.unroute('**/embed.html*');
  await page.clock.resume();
  await docs.figure('lost').getByRole('button', { name: 'Try again' }).click();
  await expect(docs.frame('lost').getByRole('figure')).toBeVisible({ timeout: 30_000 });
});
