// axe finds no violations of accessibility rules, in each theme: at the start, at an earlier step, and with dialogs
// open.
import { expect, test } from '../fixtures.mjs';
import { violations, violationsInThemes } from '../models/axe.mjs';

test('no violations', async ({ page, watchglass, open }) => {
  await watchglass.open('?theme=light');
  expect(await violationsInThemes(page), 'at the start').toEqual([]);
  await page.evaluate(async () => {
    await window.watchglass.exec('put /a 1');
    await window.watchglass.step(-1);
  });
  await expect(page.locator('.wg-past')).toBeVisible();
  expect(await violationsInThemes(page), 'in the past').toEqual([]);
  await page.keyboard.press('?');
  expect(await violationsInThemes(page), 'with the help').toEqual([]);
  await page.keyboard.press('Escape');
  await open.text('$ etcdctl put foo bar\nNO\n$ etcdctl get --rev=99 foo\n');
  await expect(page.locator('.wg-err')).toBeVisible();
  await page.locator('.wg-open').click();
  expect(await violationsInThemes(page), 'with an error and a menu').toEqual([]);
});

test('no violations in the Watch and Messages views', async ({ page, watchglass, views }) => {
  await watchglass.open('?theme=light');
  await views.load('put /a 1', 'put /a 2', 'watch /a --prefix --rev=2 as w1', 'watch /b as w2');
  await views.open('Watch');
  await views.watcher('w1').click();
  expect(await violationsInThemes(page), 'watchers').toEqual([]);
  await views.lamp('not exercised yet').click();
  await views.watch.getByRole('button', { name: 'As a table' }).click();
  expect(await violationsInThemes(page), 'as a table').toEqual([]);
  await views.open('Messages');
  await views.messages.locator('.msg').first().click({ force: true });
  expect(await violationsInThemes(page), 'messages').toEqual([]);
  await views.open('Index');
  expect(await violationsInThemes(page), 'the strip of watchers').toEqual([]);
});

test('no violations in the Cache view', async ({ page, watchglass, views }) => {
  await watchglass.open('?theme=light');
  await views.load(
    'apiserver api-1', 'apiserver api-2', 'run 300ms', 'kubectl create pod web-1', 'run 50ms', 'kubectl get pods -w as w1',
    'net api-2 hold', 'kubectl delete pod web-1', 'kubectl get pods', 'kubectl get pods --server=api-2 --resource-version=0',
  );
  await views.inspect('Cache');
  await expect(views.cache.locator('.cache-moved')).toHaveCount(1);
  expect(await violationsInThemes(page), 'the picture and the routes').toEqual([]);
  await page.locator('.wg-inspector').getByRole('tab', { name: 'Request' }).click();
  await views.cache.getByRole('button', { name: 'As a table' }).click();
  expect(await violationsInThemes(page), 'the table and a request').toEqual([]);
  await views.open('Index');
  expect(await violationsInThemes(page), 'the strip of caches').toEqual([]);
});

test('no violations in the QoS view', async ({ page, watchglass, views }) => {
  await watchglass.open('?theme=light');
  await views.open('QoS');
  expect(await violationsInThemes(page), 'off').toEqual([]);
  await views.load(
    'set experimental-enable-qos 1', 'qos class add slow --qdisc-kind lbf --qps 1 --queue 2',
    'qos rule add puts --class slow --priority 9 --ops Put --prefix /a/', 'load writer /a/ --puts=20', 'run 1s',
  );
  await expect(page.locator('.wg-picture')).toContainText('puts');
  expect(await violationsInThemes(page), 'delayed and limited requests').toEqual([]);
});

test('no violations in the Cluster view', async ({ page, watchglass, views }) => {
  await watchglass.open('?theme=light&scenario=empty');
  await views.open('Cluster');
  expect(await violationsInThemes(page), 'one member').toEqual([]);
  await views.load('world members=3 seed=7', 'run 3s', 'put a 1', 'fault partition etcd-1', 'put a 2');
  await expect(page.locator('.wg-picture')).toContainText('a=2');
  expect(await violationsInThemes(page), 'a partition').toEqual([]);
});

test('no violations in small windows', async ({ page, watchglass, layout }) => {
  await watchglass.open();
  await page.evaluate(async () => {
    await window.watchglass.exec('put /a 1');
    await window.watchglass.step(-1);
  });
  await layout.inEach([[390, 844], [800, 450]], async () => expect(await violations(page)).toEqual([]));
});
