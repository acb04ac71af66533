// Four sizes: nothing sticks out, nothing needed is hidden, and fingers find their targets.
import { expect, test } from '@playwright/test';
import { WatchglassPage } from '../models/page.mjs';
import { Terminal } from '../models/terminal.mjs';
import { Time } from '../models/time.mjs';

const SIZES = [[1440, 900], [1280, 720], [390, 844], [800, 450], [320, 640]];

for (const [width, height] of SIZES) {
  test.describe(`${width}x${height}`, () => {
    test.use({ viewport: { width, height } });

    test('nothing sticks out and the story can be played', async ({ page }) => {
      await new WatchglassPage(page).open();
      const room = () => page.evaluate(() => ({
        wide: document.documentElement.scrollWidth - innerWidth,
        high: document.documentElement.scrollHeight - innerHeight,
      }));
      expect(await room()).toEqual({ wide: 0, high: 0 });
      const main = page.locator('.wg-main-action');
      await expect(main).toBeInViewport({ ratio: 1 });
      await expect(new Time(page).slider).toBeInViewport({ ratio: 0.9 });
      await page.evaluate(() => window.watchglass.step(8));
      expect(await room()).toEqual({ wide: 0, high: 0 });
      await expect(page.getByRole('button', { name: 'Return to the end' })).toBeInViewport({ ratio: 1 });
      await expect(page.locator('.wg-picture')).toBeInViewport({ ratio: 0.9 });
      const picture = await page.locator('.wg-picture').boundingBox();
      expect(picture.height, 'room for the picture').toBeGreaterThan(150);
    });

    test('the terminal can be reached and used', async ({ page }) => {
      await new WatchglassPage(page).open();
      await page.evaluate(() => window.watchglass.seek({ step: 10 }));
      const terminal = new Terminal(page);
      if (width <= 640) await page.getByRole('button', { name: 'Terminal', exact: true }).click();
      else await page.keyboard.press('/');
      await terminal.run('put /a 1');
      await expect(terminal.last).toContainText('OK');
      await expect(terminal.prompt).toBeInViewport({ ratio: 1 });
    });
  });
}

test('on a phone targets are 44 px high and words can be tapped', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await new WatchglassPage(page).open();
  const targets = page.locator('.wg-transport-buttons button:visible, .wg-main-action, .wg-sheet-tab');
  const heights = await targets.evaluateAll(
    (buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().height)),
  );
  for (const height of heights) expect(height).toBeGreaterThanOrEqual(42);
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await page.getByRole('button', { name: 'Terminal', exact: true }).click();
  const words = page.getByRole('group', { name: 'Words for the prompt' });
  for (const word of ['get', '/key1', '--rev=']) await words.getByRole('button', { name: word }).click();
  await expect(new Terminal(page).prompt).toHaveValue('get /key1 --rev=');
  await words.getByRole('button', { name: 'Remove the last word' }).click();
  await words.getByRole('button', { name: 'Run the line' }).click();
  await expect(new Terminal(page).last).toContainText('get /key1');
});

test('on a phone the readout of a long run stands beside the link', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await new WatchglassPage(page).open('?scenario=empty');
  await page.evaluate(() => window.watchglass.exec('for i in {1..1200}; do put a $i; done'));
  const readout = page.locator('.wg-readout');
  await expect(readout).toContainText(/step\s*1200\s*of\s*1200/);
  const words = await readout.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().left;
  });
  const link = await page.getByRole('button', { name: 'Copy link' }).boundingBox();
  expect(words).toBeGreaterThanOrEqual(link.x + link.width);
});

for (const theme of ['light', 'dark', 'projector']) {
  test(`the ${theme} theme can be asked for in the address`, async ({ page }) => {
    await new WatchglassPage(page).open(`?theme=${theme}`);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
  });
}
