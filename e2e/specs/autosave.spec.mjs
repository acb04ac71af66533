// A reload loses no typed line, and a broken save never breaks the page.
import { expect, test } from '../fixtures.mjs';

test('nothing is saved before the first action', async ({ page, watchglass, kept }) => {
  await watchglass.open();
  await page.evaluate(() => window.watchglass.step(3));
  await kept.pause();
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(['watchglass.1.prefs']);
});

test('a reload restores the run, the cursor and the half-typed line', async ({ page, watchglass, terminal, time, kept }) => {
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine "a value"');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await page.evaluate(() => window.watchglass.seek({ step: 6 }));
  await terminal.prompt.fill('get /mi');
  await kept.pause();
  await kept.reload();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await expect(time.slider).toHaveAttribute('aria-valuenow', '6');
  await expect(terminal.prompt).toHaveValue('get /mi');
  await expect(page.locator('.wg-notice')).toContainText('Your last run is restored.');
});

test('a reload right after Enter loses nothing', async ({ page, watchglass, terminal, kept }) => {
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /early 1');
  await terminal.run('put /late 2');
  await kept.reload();
  await expect.poll(() => page.evaluate(async () => {
    const { keys } = await window.watchglass.state();
    return keys.map(({ key }) => key).join();
  })).toMatch(/\/early.*\/late/);
});

test('a restart opens the story, and an undo restores the run', async ({ page, watchglass, terminal, time, kept }) => {
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine 1');
  await kept.reload();
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '10');
  await page.getByRole('button', { name: 'Go back to your run' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
});

test('a broken save opens the story', async ({ page, watchglass, time, kept }) => {
  await watchglass.open();
  for (const broken of ['', 'nonsense', '{"v":1}', '\u0000\u0001', 'x'.repeat(100_000)]) {
    await test.step(JSON.stringify(broken.slice(0, 10)), async () => {
      await page.evaluate((text) => localStorage.setItem('watchglass.1.run', text), broken);
      await kept.reload();
      await expect(time.slider).toHaveAttribute('aria-valuemax', '10');
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await expect(time.slider).toHaveAttribute('aria-valuenow', '1');
    });
  }
});

test('the page works without storage', async ({ page, watchglass, terminal, time }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });
  });
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await page.keyboard.press('w');
  await terminal.run('put /mine 1');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
});
