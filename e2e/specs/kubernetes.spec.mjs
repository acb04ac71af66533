// The page that measures an API server. The server in front of it gives the responses of a real one.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';
import { KubeServer, Measure } from '../models/kube.mjs';

let server;
test.beforeEach(async ({ baseURL }) => {
  server = await new KubeServer().start(baseURL);
});
test.afterEach(() => server.stop());

test('the page measures lists and the watch, and says who serves them', async ({ page }) => {
  const measure = new Measure(page);
  await measure.open(server);
  expect(await violations(page)).toEqual([]);
  await measure.measure();
  await expect(measure.state).toHaveText('Measuring');
  await expect(page.locator('#kube-version')).toHaveText('v1.36.2');
  await expect(measure.row('Consistent list').first()).toContainText('median');
  await expect(measure.row('Consistent list').nth(1)).toHaveText('cache 5, etcd 0 of 5 lists · etcd asked for its revision: 5');
  await expect(measure.row('List at resource version 0').nth(1)).toHaveText('cache 5, etcd 0 of 5 lists');
  await expect(measure.row('Cache behind etcd').first()).toHaveText('now 0 revisions, at most 0');
  await expect(page.getByText('ConsistentListFromCache: on · WatchList: off')).toBeVisible();
  await expect(measure.chart.locator('.is-fresh')).not.toHaveCount(1);
  server.send('MODIFIED', '73');
  server.send('BOOKMARK', '75');
  await expect(measure.row(/^Watch/).first()).toContainText('1 event, 1 bookmark');
  await expect(measure.chart).toHaveAttribute('aria-label', /consistent list took .* 0 revisions behind etcd/);
  expect(await violations(page)).toEqual([]);
  expect(server.requests.filter((line) => !line.startsWith('GET '))).toEqual([]);

  const download = page.waitForEvent('download');
  await measure.button('Save as CSV').click();
  const table = await readFile(await (await download).path(), 'utf8');
  expect(table).toMatch(/^time,consistent_list_ms,.*\n\S+Z,[\d.]+,[\d.]+,72,72\n/);

  await measure.button('Stop').click();
  await expect(measure.state).toHaveText('Stopped');
  const sent = server.requests.length;
  await page.waitForTimeout(1_500);
  expect(server.requests).toHaveLength(sent);
});

test('lists that etcd serves are told from requests for its revision', async ({ page }) => {
  server.hasCache = false;
  const measure = new Measure(page);
  await measure.open(server);
  await measure.measure();
  await expect(measure.row('Consistent list').nth(1)).toHaveText('cache 0, etcd 5 of 5 lists');
  await measure.button('Read all of them').click();
  await expect(measure.ways).toHaveCount(4);
  await expect(measure.ways.first().locator('td').last()).toHaveText('cache 0, etcd 2 of 2 lists');
  await measure.button('Stop').click();
  await expect(measure.button('Read all of them')).toBeDisabled();
});

test('all objects are read in four ways', async ({ page }) => {
  const measure = new Measure(page);
  await measure.open(server);
  await measure.measure();
  await expect(page.getByText(/^3 objects, about .* of JSON each time/)).toBeVisible();
  await measure.button('Read all of them').click();
  await expect(measure.ways).toHaveCount(4);
  await expect(measure.ways.locator('th')).toHaveText([
    'pages of 500', 'one consistent list', 'one list at resource version 0', 'initial events of a watch']);
  await expect(measure.ways.first().locator('td').first()).toHaveText('2 requests');
  await expect(measure.ways.last().locator('td').last()).toHaveText('cache: no list reached etcd');
  await expect(measure.button('Read all of them')).toBeEnabled();
  expect(await violations(page)).toEqual([]);
});

test('without permissions and without a server, the page says what helps', async ({ page, baseURL }) => {
  const measure = new Measure(page);
  await page.goto(`${baseURL}kubernetes.html`);
  await measure.measure();
  await expect(measure.alert).toContainText('kubectl proxy --www=. --www-prefix=/watchglass/');

  await measure.open(server);
  await measure.measure('secrets');
  await expect(measure.alert).toContainText('cannot list resource "secrets"');
  await measure.measure('pods/log');
  await expect(measure.alert).toContainText('“pods/log” is no resource.');
  server.hasMetrics = false;
  await measure.measure();
  await expect(measure.alert).toContainText('does not show its metrics');
  await expect(measure.row('Consistent list').nth(1)).toHaveText('unknown: /metrics may not be read');

  server.isDown = true;
  await expect(measure.state).toHaveText('No response');
  await expect(measure.alert).toContainText('Does kubectl proxy still run?');
  server.isDown = false;
  await expect(measure.state).toHaveText('Measuring');
  await expect(measure.alert).toBeHidden();
});

for (const [width, height] of [[1440, 900], [1280, 720], [390, 844], [800, 450]]) {
  test(`nothing is cut off at ${width}x${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const measure = new Measure(page);
    await measure.open(server);
    await measure.measure();
    await expect(measure.chart.locator('.is-stem')).not.toHaveCount(0);
    const outside = await page.evaluate(() => [...document.querySelectorAll('#kube-found *, .attach-bar *')]
      .filter((part) => part.getClientRects().length && part.getBoundingClientRect().right > innerWidth + 1)
      .map((part) => part.textContent));
    expect(outside).toEqual([]);
  });
}
