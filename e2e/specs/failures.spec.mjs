// The messages that a person sees if the simulator does not load, stops, or is silent. There is never more than one
// worker.
import { expect, inOnePage, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';
import { ENGINE, FATES, GLUE, PROGRAM, WORKER_SCRIPT, alertsDuringPings, countPings, holdWorkers, stopEngine } from '../models/failing.mjs';

// Words of Rust, of libraries and of the build machine.
const TECHNICAL = /panicked|RefCell|gloo|\.rs\b|\/rustc|unreachable|wasm|undefined|\[object/i;

for (const [file, pattern] of [['worker script', WORKER_SCRIPT], ['glue', GLUE], ['engine', ENGINE]]) {
  for (const [name, fate] of Object.entries(FATES)) {
    // The first half of a script is often a valid script, so a truncated worker script is not tested.
    if (file === 'worker script' && name === 'truncated') continue;
    inOnePage(`the ${file} is ${name}: the page shows a message, and Retry helps`, async ({ page, watchglass, terminal }) => {
      await page.route(pattern, fate);
      await page.goto('./?scenario=two-generations');
      const alert = page.getByRole('alert');
      await expect(alert).toContainText('The simulator could not be loaded.');
      await expect(alert).toContainText('then try again');
      expect(await alert.locator('p').first().textContent()).not.toMatch(TECHNICAL);
      await expect(alert.locator('pre'), 'the details are hidden until a click').toBeHidden();
      await alert.locator('summary').click();
      await expect(alert.locator('pre')).toContainText('Watchglass');
      expect(page.workers(), 'nothing runs').toHaveLength(0);
      const refusal = await page.evaluate(() => window.watchglass.ready().then(() => '', (error) => error.message));
      expect(refusal).toContain('could not be loaded');

      await page.unroute(pattern);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await expect(page.getByRole('alert')).toHaveCount(0);
      await watchglass.ready();
      await terminal.run('get /key1');
      await expect(terminal.last).toContainText('get /key1');
      expect(page.workers()).toHaveLength(1);
    });
  }
}

for (const [name, fate] of Object.entries(FATES)) {
  inOnePage(`the page's own program is ${name}: the page shows a message without it`, async ({ page, watchglass }) => {
    await page.route(PROGRAM, fate);
    await page.goto('./?app');
    const alert = page.getByRole('alert');
    await expect(alert).toContainText('The simulator could not be loaded.');
    expect(await alert.locator('p').textContent()).not.toMatch(TECHNICAL);
    await expect(alert.locator('pre')).toBeHidden();
    await page.unroute(PROGRAM);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await watchglass.ready();
  });
}

test('the page notices a worker that ends without an event', async ({ page, watchglass, terminal, time }) => {
  await holdWorkers(page);
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine 1');
  const { slider } = time;
  await expect(slider).toHaveAttribute('aria-valuemax', '11');
  await page.evaluate(() => window.workers[0].terminate());
  await page.evaluate(() => { window.watchglass.exec('put /later 2').catch(() => {}); });
  const alert = page.getByRole('alert');
  // The tests of frontend/src/host/pulse.rs count the beats until the message.
  await expect(alert).toContainText('The simulator does not respond.', { timeout: 15_000 });
  await alert.getByRole('button', { name: 'Restart the simulator with your run' }).click();
  await expect(alert, 'the line without a response may be what silenced it').toContainText('put /later 2');
  await expect(slider).toHaveAttribute('aria-valuemax', '11');
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect(slider).toHaveAttribute('aria-valuemax', '12');
  await expect(alert).toHaveCount(0);
});

test('a worker with long work does not count as silent', async ({ page, watchglass, terminal }) => {
  await countPings(page);
  await watchglass.open('?scenario=empty');
  for (const line of ['apiserver api-1', 'load w --creates=50 --clients=5', 'run 10m']) await terminal.run(line);
  expect(await alertsDuringPings(page)).toBe(0);
  expect(page.workers()).toHaveLength(1);
  await page.keyboard.press('Control+c');
});

test('the page waits for a slow download and starts no second engine', async ({ page, watchglass }) => {
  await countPings(page);
  let arrive;
  const arrived = new Promise((resolve) => { arrive = resolve; });
  await page.route(ENGINE, async (route) => {
    await arrived;
    await route.continue();
  });
  await page.goto('./?app');
  expect(await alertsDuringPings(page)).toBe(0);
  expect(page.workers()).toHaveLength(1);
  arrive();
  await watchglass.ready();
  expect(page.workers()).toHaveLength(1);
  expect(await page.evaluate(() => 'watchglassServe' in window), 'no engine in this thread').toBe(false);
});

test('a failure has a message, and one click shows how to reproduce it', async ({ page, watchglass, terminal, kept }) => {
  await holdWorkers(page);
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine 1');
  await kept.settle();
  await stopEngine(page);
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('The simulator stopped because of a defect.');
  expect(await alert.locator('p').first().textContent()).not.toMatch(TECHNICAL);
  await alert.locator('summary').click();
  expect(await violations(page)).toEqual([]);
  const link = alert.getByRole('link', { name: 'Open the run as it was before the failure' });
  await expect(link).toHaveAttribute('href', /#v\d+\.\w+/);
  await page.goto(await link.getAttribute('href'));
  await page.reload();
  await watchglass.ready();
  const { keys } = await page.evaluate(() => window.watchglass.state());
  expect(keys.map(({ key }) => key)).toContain('/mine');
});

test('after any number of restarts there is one worker, and the page uses it', async ({ page, watchglass, terminal }) => {
  await holdWorkers(page);
  await watchglass.open();
  const alert = page.getByRole('alert');
  for (let time = 0; time < 3; time += 1) {
    await stopEngine(page);
    await alert.getByRole('button', { name: 'Restart the simulator with your run' }).click();
    await expect(alert).toHaveCount(0);
    await watchglass.ready();
    await expect.poll(() => page.workers().length).toBe(1);
  }
  expect(await page.evaluate(() => window.workers.length)).toBe(4);
  // Late errors of an earlier worker are ignored.
  await page.evaluate(() => window.workers[0].dispatchEvent(new ErrorEvent('error', { message: 'late' })));
  await expect(alert).toHaveCount(0);
  await terminal.run('get /key1');
  await expect(terminal.last).toContainText('get /key1');
});

test('a failure names the fault of the engine, even if the page starts to listen late', async ({ page, watchglass }) => {
  await watchglass.open('?app');
  const named = await page.evaluate(async () => {
    const boot = document.querySelector('script[type=module]').src;
    const { serve } = await import(new URL('engine.js', boot).href);
    const failureOf = async (engine, bytes) => {
      const { port1, port2 } = new MessageChannel();
      const wasm = { memory: { buffer: { byteLength: bytes } } };
      await serve(port1, async () => (engine ? { engine, wasm } : Promise.reject(new Error('404'))), 5);
      port2.postMessage(new Uint8Array([1]));
      await new Promise((done) => { setTimeout(done, 50); });
      const words = [];
      port2.onmessage = ({ data }) => words.push(data.failure ?? data.word);
      port2.postMessage('ping');
      await new Promise((done) => { setTimeout(done, 50); });
      return words;
    };
    const traps = { hear: () => { throw new WebAssembly.RuntimeError('unreachable'); }, run: () => [false] };
    const panics = { hear: () => { throw new Error('panicked'); }, run: () => [false] };
    return {
      memory: await failureOf(traps, 3 << 29),
      trap: await failureOf(traps, 1 << 24),
      panic: await failureOf(panics, 3 << 29),
      load: await failureOf(null, 0),
    };
  });
  for (const [name, failure] of [['memory', 'memory'], ['trap', 'stop'], ['panic', 'stop'], ['load', 'load']]) {
    expect(named[name].at(0), name).toBe('began');
    expect(named[name].at(-1), name).toBe(failure);
    expect(named[name].filter((word) => word === failure).length, 'the failure is reported again').toBeGreaterThan(1);
  }
});

test('a figure whose engine does not load shows a message', async ({ page, docs }) => {
  await page.route(ENGINE, FATES.truncated);
  await docs.open();
  await docs.add('broken', { scenario: 'slow-client', controls: 'full' });
  const alert = docs.frame('broken').getByRole('alert');
  await expect(alert).toContainText('The simulator could not be loaded.');
  await expect(alert.getByRole('button', { name: 'Try again' })).toBeVisible();
  await page.unroute(ENGINE);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(docs.frame('broken').getByRole('figure')).toBeVisible();
  expect((await docs.call('broken', 'state')).error).toBeUndefined();
});
