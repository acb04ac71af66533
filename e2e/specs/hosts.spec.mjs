// The engine in a worker, in the page's own thread, and when it stops.
import { expect, test } from '@playwright/test';
import { WatchglassPage } from '../models/page.mjs';
import { Terminal } from '../models/terminal.mjs';
import { Time } from '../models/time.mjs';

test('it runs in a worker', async ({ page }) => {
  await new WatchglassPage(page).open();
  expect(page.workers()).toHaveLength(1);
});

test('without a worker it runs in the page, and answers the same', async ({ page }) => {
  const watchglass = new WatchglassPage(page);
  const states = [];
  for (const query of ['', '?host=inline']) {
    await watchglass.open(query);
    states.push(await page.evaluate(async () => {
      await window.watchglass.seek({ step: 10 });
      await window.watchglass.exec('put /a 1');
      return window.watchglass.state();
    }));
    await page.evaluate(() => localStorage.clear());
  }
  expect(page.workers()).toHaveLength(0);
  expect(states[1]).toEqual(states[0]);
  expect(watchglass.complaints).toEqual([]);
});

test('a worker that cannot be loaded is done without', async ({ page }) => {
  await page.route('**/worker_boot.js', (route) => route.abort());
  await new WatchglassPage(page).open();
  await new Terminal(page).run('get /key1');
  await expect(new Terminal(page).last).toContainText('get /key1');
});

test('when the engine stops the page stands, says why, and starts it again with the run', async ({ page }) => {
  await page.addInitScript(() => {
    window.Worker = class extends window.Worker {
      constructor(...rest) {
        super(...rest);
        window.theWorker = this;
      }
    };
  });
  await new WatchglassPage(page).open();
  const time = new Time(page);
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await new Terminal(page).run('put /mine 1');
  await page.waitForTimeout(800);
  // Bytes that no page sends.
  await page.evaluate(() => window.theWorker.postMessage(new Uint8Array([9, 9, 9])));
  await expect(page.getByRole('alert')).toContainText('The simulator stopped.');
  await expect(time.slider, 'the last picture stays').toHaveAttribute('aria-valuemax', '11');
  const refusal = await page.evaluate(() => window.watchglass.state().then(() => '', (error) => error.message));
  expect(refusal).not.toBe('');
  await page.getByRole('button', { name: 'Start it again with your run' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await new Terminal(page).run('put /again 1');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '12');
});
