// A reload loses nothing that was typed, and a broken save never breaks the page.
import { expect, test } from '@playwright/test';
import { Kept } from '../models/kept.mjs';
import { WatchglassPage } from '../models/page.mjs';
import { Terminal } from '../models/terminal.mjs';
import { Time } from '../models/time.mjs';

async function reload(page) {
  await page.reload();
  await new WatchglassPage(page).ready();
}

test('nothing is kept before one does something', async ({ page }) => {
  await new WatchglassPage(page).open();
  await page.evaluate(() => window.watchglass.step(3));
  await new Kept(page).settle();
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test('run, cursor and the half-typed line are back after a reload', async ({ page }) => {
  await new WatchglassPage(page).open();
  const terminal = new Terminal(page);
  const time = new Time(page);
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine "a value"');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await page.evaluate(() => window.watchglass.seek({ step: 6 }));
  await terminal.prompt.fill('get /mi');
  await new Kept(page).settle();
  await reload(page);
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await expect(time.slider).toHaveAttribute('aria-valuenow', '6');
  await expect(terminal.prompt).toHaveValue('get /mi');
  await expect(page.locator('.wg-notice')).toContainText('Restored your run.');
});

test('a reload right after Enter loses nothing either', async ({ page }) => {
  await new WatchglassPage(page).open();
  const terminal = new Terminal(page);
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /early 1');
  await terminal.run('put /late 2');
  await reload(page);
  await expect.poll(() => page.evaluate(async () => {
    const { keys } = await window.watchglass.state();
    return keys.map(({ key }) => key).join();
  })).toMatch(/\/early.*\/late/);
});

test('starting over gives the story, and the run can still be taken back', async ({ page }) => {
  await new WatchglassPage(page).open();
  const time = new Time(page);
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await new Terminal(page).run('put /mine 1');
  await reload(page);
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '10');
  await page.getByRole('button', { name: 'Go back to your run' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
});

for (const broken of ['', 'nonsense', '{"v":1}', '\u0000\u0001', 'x'.repeat(100_000)]) {
  test(`a broken save (${JSON.stringify(broken.slice(0, 10))}) gives the story`, async ({ page }) => {
    const watchglass = new WatchglassPage(page);
    await watchglass.open();
    await page.evaluate((text) => localStorage.setItem('watchglass.1.run', text), broken);
    await reload(page);
    await expect(new Time(page).slider).toHaveAttribute('aria-valuemax', '10');
    await page.getByRole('button', { name: 'Play the story' }).click();
    await expect(new Time(page).slider).toHaveAttribute('aria-valuenow', '1');
  });
}

test('where storage is refused the page works all the same', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });
  });
  await new WatchglassPage(page).open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await new Terminal(page).run('put /mine 1');
  await expect(new Time(page).slider).toHaveAttribute('aria-valuemax', '11');
});
