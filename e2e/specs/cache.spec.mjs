// The Cache view: rulers, the lag of a cache, its history, waiting reads, routes that run as commands, the savings of
// caches, and the table.
import { expect, inOnePage as test } from '../fixtures.mjs';
import { TWO_SERVERS } from '../models/runs.mjs';

// The maximum number of nodes of the picture, its table, and the text beside it.
const DOM_NODES_MAX = 1000;

test.beforeEach(async ({ watchglass }) => {
  await watchglass.begin();
});

test('without an API server, the view explains API servers and puts a command that starts one into the prompt', async ({ page, terminal, views }) => {
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await page.keyboard.press('3');
  await expect(views.tab('Cache')).toHaveAttribute('aria-selected', 'true');
  await expect(views.cache).toContainText('No API server yet');
  await views.cache.getByRole('button', { name: 'apiserver api-1', exact: true }).click();
  await expect(terminal.prompt).toHaveValue('apiserver api-1');
  await page.keyboard.press('Enter');
  await expect(views.cache.locator('.cache-name', { hasText: 'api-1' })).toBeVisible();
});

test('the lag of a cache is shown in revisions and in time', async ({ views }) => {
  await views.load(...TWO_SERVERS);
  await views.open('Cache');
  await expect(views.cache.locator('.cache-bar:not(li *)')).toHaveCount(2);
  await expect(views.cache.locator('.cache-gap:not(li *)')).toHaveCount(1);
  await expect(views.cache.locator('.cache-stale', { hasText: '−' })).toHaveText(/^−\d+( · .*)?$/);
  await expect(views.cache.locator('figcaption')).toContainText(/api-2, cache of pods: held, \d+ behind/);
  await expect(views.cache.locator('.cache-window-text').first()).toHaveText(/^window: 16 of 16 events, from \d+$/);
  await expect(views.cache.locator('.cache-line')).toHaveCount(2);
  await expect(views.cache.locator('.cache-stale', { hasText: 'api-1: fresh' })).toBeVisible();
});

test('the picture shows a client that moves and goes back in time', async ({ views }) => {
  await views.load(...TWO_SERVERS);
  await views.open('Cache');
  await expect(views.cache.locator('.cache-moved')).toHaveCount(1);
  await expect(views.cache.locator('.cache-moved-text')).toContainText('back in time: kubectl saw');
});

test('a route runs as a command, and the read takes the path that the page predicted', async ({ page, views }) => {
  await views.load('apiserver api-1', 'run 300ms', 'kubectl create pod web-1 --node=node-1');
  await views.inspect('Cache');
  const inspector = page.locator('.wg-inspector');
  const answer = inspector.getByRole('region', { name: 'Result' });
  await expect(answer).toContainText('kubectl get pods -A --chunk-size=0 --server=api-1');
  for (const [verb, version, path] of [['LIST', 'unset', 'cache'], ['GET', 'unset', 'etcd'], ['LIST', '"0"', 'cache']]) {
    await inspector.getByRole('radiogroup', { name: 'verb' }).getByRole('radio', { name: verb }).click();
    await inspector.getByRole('radiogroup', { name: 'resourceVersion' }).getByRole('radio', { name: version }).click();
    await expect(answer.locator('h3')).toHaveText(path);
    await answer.getByRole('button', { name: 'Run it' }).click();
    await expect(answer.getByRole('status')).toContainText(`: ${path}, revision`);
    await expect(answer.getByRole('status')).toContainText(`Last request: ${verb} pods`);
  }
  const rows = inspector.locator('.cache-routes tbody tr');
  await rows.last().getByRole('button').click();
  await expect(answer.getByRole('status')).toContainText('Last request: LIST pods');
});

test('the table of routes fits beside a scroll bar', async ({ page, views }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await views.load('apiserver api-1', 'run 300ms', 'kubectl create pod web-1 --node=node-1');
  await views.inspect('Cache');
  const inspector = page.locator('.wg-inspector');
  await expect(inspector.locator('.cache-routes')).toBeVisible();
  const overflow = await inspector.evaluate((element) => {
    element.style.maxWidth = `${element.offsetWidth - 10}px`;
    return element.scrollWidth - element.clientWidth;
  });
  expect(overflow).toBeLessThanOrEqual(0);
});

test('the table marks the row of the request that a person typed last, even if other clients send later requests', async ({ page, views }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await views.load('apiserver api-1', 'run 300ms', 'kubectl create pod web-1 --node=node-1', 'kubectl get pods -A');
  await views.inspect('Cache');
  const inspector = page.locator('.wg-inspector');
  const marked = inspector.locator('.cache-routes [aria-current=true]');
  // kubectl lists in chunks of 500.
  await expect(marked).toHaveText(/^unset–500cachelast request/);
  await expect(inspector.locator('.cache-routes tr').last(), 'no scrolling').toBeInViewport({ ratio: 1 });
  await expect(views.cache.locator('.cache-line').first()).toBeInViewport();
  await views.exec('kubectl get pods -A --resource-version=0', 'kubelets 3 as fleet --every=1s', 'run 3s');
  await expect(marked).toHaveText(/^0–nonecachelast request/);
  await expect(inspector.getByRole('status')).toContainText('Last request: LIST pods rv=0 by kubectl');
  await views.exec('kubectl get pod web-1');
  await expect(marked).toHaveCount(0);
  await inspector.getByRole('button', { name: "Show the request's options" }).click();
  await expect(marked).toHaveText(/^unset–noneetcdlast request/);
  await expect(inspector.getByRole('radio', { name: 'GET' })).toBeChecked();
});

test('a read for which the table has no row can be run, too', async ({ page, terminal, views }) => {
  await views.load('apiserver api-1', 'run 300ms');
  await views.inspect('Cache');
  const inspector = page.locator('.wg-inspector');
  await inspector.getByRole('radio', { name: 'LIST' }).click();
  await inspector.getByRole('radio', { name: '"0"' }).click();
  await inspector.getByRole('radio', { name: 'Exact', exact: true }).click();
  const answer = inspector.getByRole('region', { name: 'Result' });
  await expect(answer).toContainText('--resource-version=0 --resource-version-match=Exact');
  await answer.getByRole('button', { name: 'Run it' }).click();
  await expect(terminal.last).toContainText('--resource-version-match=Exact');
});

test('a request shows its server, the reason, and the time of each part', async ({ page, views }) => {
  await views.load(...TWO_SERVERS);
  await views.open('Cache');
  await views.cache.locator('.cache-request').last().click({ force: true });
  const inspector = page.locator('.wg-inspector');
  await expect(inspector.getByRole('tab', { name: 'Request' })).toHaveAttribute('aria-selected', 'true');
  await expect(inspector.locator('.insp-panel')).toContainText('API server');
  await expect(inspector.getByRole('region', { name: 'Where the time went' })).toContainText('network');
  await expect(inspector.getByRole('button', { name: /^Go to step \d+$/ })).toBeVisible();
});

test('a waiting read is drawn with its target revision and its waiting time', async ({ page, views, time }) => {
  const other = 'put /registry/configmaps/default/x';
  await views.load(
    'apiserver api-1', 'run 300ms', 'kubectl create pod web-1', 'run 1s',
    `${other} 1`, 'kubectl get pods -A', `${other} 2`, 'kubectl get pods -A',
  );
  await views.open('Cache');
  // The second list waits until the next progress request is allowed: the wait is visible in the steps before the
  // response.
  const waits = async () => (await views.cache.locator('.cache-tag-text').allTextContents()).join();
  let said = await waits();
  for (let back = 0; back < 40 && !said.includes('waits'); back++) {
    const step = await page.evaluate(() => window.watchglass.step(-1));
    await expect(time.slider).toHaveAttribute('aria-valuenow', String(step));
    said = await waits();
  }
  expect(said).toMatch(/LIST needs RV \d+ · waits .*s/);
  await expect(views.cache.locator('.cache-tag')).toHaveCount(1);
  await expect(views.cache.locator('.cache-needs')).toHaveCount(1);
});

test('many client watches share one etcd watch, and the view counts both', async ({ views }) => {
  await views.load(
    'apiserver api-1', 'run 300ms', 'kubectl get pods -w as w1', 'kubectl get pods -w as w2',
    'kubectl create pod web-1 --node=node-1', 'run 100ms',
  );
  await views.open('Cache');
  const savings = views.cache.getByRole('region', { name: 'Savings of the caches' });
  await expect(savings.locator('tr', { hasText: 'etcd watches' })).toHaveText('etcd watches12');
  await expect(views.cache.locator('.cache-watch:not(li *)')).toHaveCount(1);
});

test('the keyboard moves through caches and requests, and the table lists them', async ({ page, views }) => {
  await views.load(...TWO_SERVERS);
  await views.open('Cache');
  await views.grid.focus();
  await expect(views.cache.locator('.watch-ring.focus')).toHaveCount(1);
  await page.keyboard.press('End');
  // The last item is the oldest write, whose key Enter opens. The requests are above the writes.
  await page.keyboard.press('Enter');
  await expect(page.locator('.wg-inspector')).toContainText('/registry/pods/');
  const request = page.locator('.wg-inspector').getByRole('tab', { name: 'Request' });
  await expect.poll(async () => {
    await views.grid.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    return await request.count() && request.getAttribute('aria-selected');
  }, { intervals: [20] }).toBe('true');
  await views.cache.getByRole('button', { name: 'As a table' }).click();
  await expect(views.grid.getByRole('row', { name: /cache of pods api-2 \d+ \d+ revisions?, / })).toBeVisible();
  await views.grid.getByRole('row', { name: /cache of pods api-1/ }).click();
  await expect(page.locator('.wg-inspector').getByRole('tab', { name: 'Servers' })).toHaveAttribute('aria-selected', 'true');
});

test('the caches use the axis of the Index view, and the picture stays within its budget', async ({ page, views }) => {
  await views.load(...TWO_SERVERS);
  await expect(page.locator('.loom-strip .cache-window')).toHaveCount(2);
  await expect(page.locator('.loom-strip')).toContainText('caches');
  await views.open('Cache');
  await expect(views.cache.locator('.cache-bar:not(li *)')).toHaveCount(2);
  expect(await page.evaluate(() => document.querySelectorAll('.wg-view *, .wg-inspector *').length)).toBeLessThanOrEqual(DOM_NODES_MAX);
});

test('after a list, the view shows who serves a list, beside the pictures and without scrolling', async ({ page, terminal, views }) => {
  await views.load('apiserver api-1', 'run 1s', 'kubectl create pods web-1');
  await views.open('Cache');
  const routes = views.cache.locator('.cache-beside');
  await expect(routes, 'the run makes no list').toHaveCount(0);
  await terminal.run('kubectl get pods');
  await expect(routes.getByRole('row')).toHaveCount(9);
  await expect(routes.locator('.is-ran')).toContainText('last request');
  for (const row of await routes.getByRole('row').all()) await expect(row).toBeInViewport({ ratio: 1 });
});

test('an overload shows the memory with its kills, and the requests', async ({ page, watchglass, views }) => {
  await watchglass.open('?scenario=cache/an_overload_ends_out_of_memory&at=beat:3');
  const load = views.cache.getByRole('region', { name: 'Load over time' });
  await expect(load.locator('path.cache-kill')).toHaveCount(4);
  await expect(load.locator('.cache-name')).toHaveText(['etcd memory', 'api-1 memory', 'in flight', 'succeeded', 'failed']);
  await expect(load).toContainText('330 in total');
  await expect(load).toBeInViewport({ ratio: 1 });
  await expect(page.locator('.wg-view figcaption')).toContainText('was killed 4 times');
});
