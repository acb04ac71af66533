// The engine in a worker and in the page's own thread, and an engine that stops.
import { expect, test } from '../fixtures.mjs';
import { ENGINE, WORKER_SCRIPT, holdWorkers, stopEngine } from '../models/failing.mjs';

test('the engine runs in a worker', async ({ page, watchglass }) => {
  await watchglass.open();
  expect(page.workers()).toHaveLength(1);
});

test('the module of the engine is fetched once, and before the scripts of its worker arrive', async ({ page, watchglass, terminal }) => {
  let modules = 0;
  page.on('request', (request) => { modules += request.url().endsWith('worker_bg.wasm'); });
  // The response of the worker's script waits for the request of the module.
  await page.route(WORKER_SCRIPT, async (route) => {
    await expect.poll(() => modules).toBe(1);
    await route.continue();
  });
  await watchglass.open();
  await terminal.run('get /key1');
  await expect(terminal.last).toContainText('get /key1');
  expect(modules).toBe(1);
});

test('if the page cannot compile the module of the engine, the worker fetches it', async ({ page, watchglass, terminal }) => {
  let modules = 0;
  await page.route(ENGINE, (route) => {
    modules += 1;
    return modules === 1 ? route.abort() : route.continue();
  });
  await watchglass.open();
  await terminal.run('get /key1');
  await expect(terminal.last).toContainText('get /key1');
  expect(modules).toBe(2);
});

test('without a worker, the engine runs in the page with the same responses', async ({ page, watchglass }) => {
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

test('without the Worker constructor, the engine runs in the page', async ({ page, watchglass, terminal }) => {
  await page.addInitScript(() => { delete window.Worker; });
  await watchglass.open();
  await terminal.run('get /key1');
  await expect(terminal.last).toContainText('get /key1');
  expect(page.workers()).toHaveLength(0);
  expect(watchglass.complaints).toEqual([]);
});

test('an engine that runs in the page can be restarted after it has stopped', async ({ page, watchglass, terminal }) => {
  await page.addInitScript(() => {
    window.ports = [];
    window.MessageChannel = class extends window.MessageChannel {
      constructor() {
        super();
        window.ports.push(this.port1);
      }
    };
  });
  await watchglass.open('?app&host=inline');
  // The first channel is that of the page; the engine has one for its own slices.
  await page.evaluate(() => window.ports[0].postMessage(new Uint8Array([255, 255, 255])));
  const alert = page.getByRole('alert');
  await alert.getByRole('button', { name: 'Restart the simulator with your run' }).click();
  await expect(alert).toHaveCount(0);
  await terminal.run('get /key1');
  await expect(terminal.last).toContainText('get /key1');
});

test('if the engine stops, the page reports the reason and restarts the engine with the run', async ({ page, watchglass, terminal, time }) => {
  await holdWorkers(page);
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine 1');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await stopEngine(page);
  await expect(page.getByRole('alert')).toContainText('The simulator stopped');
  await expect(time.slider, 'the last picture stays').toHaveAttribute('aria-valuemax', '11');
  const refusal = await page.evaluate(() => window.watchglass.state().then(() => '', (error) => error.message));
  expect(refusal).not.toBe('');
  await page.getByRole('button', { name: 'Restart the simulator with your run' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await terminal.run('put /again 1');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '12');
});
