// A reload loses nothing that was typed, and a broken save never breaks the page.
import { expect, test } from '../fixtures.mjs';

test('nothing is kept before one does something', async ({ page, watchglass, kept }) => {
  await watchglass.open();
  await page.evaluate(() => window.watchglass.step(3));
  await kept.settle();
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test('run, cursor and the half-typed line are back after a reload', async ({ page, watchglass, terminal, time, kept }) => {
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine "a value"');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await page.evaluate(() => window.watchglass.seek({ step: 6 }));
  await terminal.prompt.fill('get /mi');
  await kept.settle();
  await kept.reload();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await expect(time.slider).toHaveAttribute('aria-valuenow', '6');
  await expect(terminal.prompt).toHaveValue('get /mi');
  await expect(page.locator('.wg-notice')).toContainText('Your last run is back.');
});

test('a reload right after Enter loses nothing either', async ({ page, watchglass, terminal, kept }) => {
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

test('starting over gives the story, and the run can still be taken back', async ({ page, watchglass, terminal, time, kept }) => {
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine 1');
  await kept.reload();
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '10');
  await page.getByRole('button', { name: 'Go back to your run' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
});

for (const broken of ['', 'nonsense', '{"v":1}', '\u0000\u0001', 'x'.repeat(100_000)]) {
  test(`a broken save (${JSON.stringify(broken.slice(0, 10))}) gives the story`, async ({ page, watchglass, time, kept }) => {
    await watchglass.open();
    await page.evaluate((text) => localStorage.setItem('watchglass.1.run', text), broken);
    await kept.reload();
    await expect(time.slider).toHaveAttribute('aria-valuemax', '10');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect(time.slider).toHaveAttribute('aria-valuenow', '1');
  });
}

test('where storage is refused the page works all the same', async ({ page, watchglass, terminal, time }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });
  });
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine 1');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
});
