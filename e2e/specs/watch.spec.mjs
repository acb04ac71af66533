// The Watch view: pools, places on the axis, the fence of a typed compaction, streams, indicators, the table.
import { expect, inOnePage as test } from '../fixtures.mjs';

const DOM_NODES_MAX = 1400;
const FIVE = ['put /a 1', 'put /a 2', 'put /b 1', 'put /a 3', 'put /c 1'];

test.beforeEach(async ({ watchglass }) => {
  await watchglass.begin();
});

test('without a watch, the view explains one and puts its command into the prompt', async ({ page, terminal, views }) => {
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await views.open('Watch');
  await expect(views.watch).toContainText('No watchers yet');
  await views.watch.getByRole('button', { name: 'watch /key1 --prefix as w1' }).click();
  const { prompt } = terminal;
  await expect(prompt).toBeFocused();
  await expect(prompt).toHaveValue('watch /key1 --prefix as w1');
  await page.keyboard.press('Enter');
  await expect(views.watcher('w1')).toBeVisible();
  await expect(views.pool('synced')).toHaveText('synced1');
});

test('a watcher is at the next revision that it will accept', async ({ page, views }) => {
  await views.load(...FIVE, 'watch /a --prefix as w1', 'put /a 4');
  await views.open('Watch');
  await views.watcher('w1').click();
  const inspector = page.locator('.wg-inspector');
  await expect(inspector.locator('.insp-key')).toHaveText('w1 /a*');
  await expect(inspector).toContainText('synced');
  await expect(inspector.locator('.insp-pairs').first()).toContainText('next (minRev)8');
  await inspector.getByRole('tab', { name: 'Printed' }).click();
  await views.exec('recv w1');
  await expect(inspector.locator('.insp-json')).toContainText('PUT');
  await expect(inspector.locator('.insp-json')).toContainText('/a');
  await inspector.getByRole('tab', { name: 'Why' }).click();
  await expect(inspector.locator('.insp-why li').first()).toBeVisible();
});

test('a watcher that starts in the past is unsynced until a sync pass', async ({ views }) => {
  await views.load(...FIVE, 'watch /a --prefix --rev=2 as w1');
  await views.open('Watch');
  await expect(views.pool('unsynced')).toHaveText('unsynced1');
  await expect(views.watch.locator('.watch-bracket-text')).toContainText('2–6');
  await expect(views.watch.locator('.watch-clock-text')).toContainText('to the next pass');
  await expect(views.watch.locator('.watch-lag')).toHaveCount(1);
  const before = await views.watcher('w1').boundingBox();
  await views.exec('run 200ms');
  await expect(views.pool('synced')).toHaveText('synced1');
  const after = await views.watcher('w1').boundingBox();
  expect(after.x + after.width, 'it has moved to the right').toBeGreaterThan(before.x + before.width);
});

test('a typed compaction shows its fence and the watches that it would cancel', async ({ terminal, views }) => {
  await views.load(...FIVE, 'watch /a --prefix --rev=2 as w1');
  await views.open('Watch');
  const flag = views.watch.locator('.watch-flag-text.asked');
  await expect(flag).toHaveCount(0);
  await terminal.prompt.fill('compact 5');
  await expect(flag).toHaveText('compact 5 would cancel w1');
  await expect(views.watch.locator('.watch-fence')).toHaveCount(1);
  await terminal.prompt.fill('compact 2');
  await expect(flag).toHaveText('compact 2 would cancel no watch');
  await terminal.prompt.fill('');
  await expect(flag).toHaveCount(0);
});

test('a client that does not read fills its channel, and its watcher becomes a victim', async ({ views }) => {
  const many = Array.from({ length: 400 }, (_, at) => `put /a ${'x'.repeat(400)}${at}`);
  await views.load('watch /a --prefix as w1', 'pause w1', ...many);
  await views.open('Watch');
  await expect(views.pool('victims')).toHaveText('victims1');
  const stream = views.watch.locator('.watch-stream.is-full');
  await expect(stream.locator('.watch-slots')).toHaveText('128/128');
  await expect(stream).toContainText('paused');
  await views.exec('resume w1', 'run 2s');
  await expect(views.pool('synced')).toHaveText('synced1');
});

test('the guarantees explain themselves, and the limits name their source', async ({ page, views }) => {
  await views.load(...FIVE, 'watch /a --prefix --rev=2 as w1');
  await views.open('Watch');
  const lamp = views.lamp('not exercised yet');
  await lamp.click();
  await expect(views.watch.locator('.watch-lamp-button-note')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(views.watch.locator('.watch-lamp-button-note')).toHaveCount(0);
  await views.watch.getByRole('button', { name: /512 watchers a pass/ }).hover();
  await expect(views.watch.locator('.watch-limit-note')).toContainText('maxWatchersPerSync');
});

test('the keyboard moves through watchers, Enter inspects, and the table lists them', async ({ page, views }) => {
  await views.load(...FIVE, 'watch /a as w1', 'watch /b as w2', 'watch / --prefix as w3');
  await views.open('Watch');
  await expect(views.watch.locator('.watch-watcher')).toHaveCount(3);
  await views.grid.focus();
  await page.keyboard.press('ArrowDown');
  await expect(views.watcher('w2').locator('.watch-ring.focus')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page.locator('.wg-inspector .insp-key')).toHaveText('w2 /b');
  await expect(views.grid.getByRole('row', { name: /^w2/ })).toHaveAttribute('aria-selected', 'true');
  await views.watch.getByRole('button', { name: 'As a table' }).click();
  await expect(views.grid.getByRole('row', { name: /^w3/ })).toBeVisible();
  await views.grid.getByRole('row', { name: /^w3/ }).click();
  await expect(page.locator('.wg-inspector .insp-key')).toHaveText('w3 /*');
});

test('a thousand watchers are shown as counts, within the budget of nodes', async ({ page, views }) => {
  await views.load(...FIVE, ...FIVE, 'watch / --prefix --many=1000 --streams=20 --rev=2 as crowd', 'run 50ms');
  await views.open('Watch');
  await expect(views.watch.locator('.watch-now')).toHaveCount(1);
  await expect(views.watch.locator('.watch-watcher')).toHaveCount(0);
  await expect(views.grid).toHaveAttribute('aria-rowcount', '1001');
  const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);
  expect(await nodes()).toBeLessThanOrEqual(DOM_NODES_MAX);
  await views.watch.getByRole('button', { name: 'As a table' }).click();
  await views.grid.evaluate((grid) => { grid.scrollTop = grid.scrollHeight; });
  await expect(views.grid.getByRole('row', { name: /^crowd-1000/ })).toBeVisible();
  expect(await nodes()).toBeLessThanOrEqual(DOM_NODES_MAX);
});

test('in the Index view, watchers are under the lanes and point at their keys', async ({ page, views }) => {
  await views.load(...FIVE, 'watch /a as w1');
  const strip = page.locator('.loom-strip');
  const own = strip.locator('.watch-watcher');
  await expect(own).toHaveCount(1);
  await expect(strip).toContainText('w1');
  await expect(page.locator('.loom-stage .loom-lane-watched')).toHaveCount(0);
  await own.locator('.watch-name').hover();
  await expect(page.locator('.loom-stage .loom-lane-watched')).toHaveCount(1);
  await own.locator('.watch-name').click();
  await expect(page.locator('.wg-inspector .insp-key')).toHaveText('w1 /a');
  await page.mouse.move(2, 2);
  await expect(page.locator('.loom-stage .loom-lane-watched'), 'it stays while it is inspected').toHaveCount(1);
});

test('watches that lost their watcher stay in the picture, with the reason and what helps', async ({ page, terminal, views }) => {
  await views.load('watch /a as w1', 'watch /a as w2', 'put /a 1', 'stop etcd');
  await views.open('Watch');
  await expect(views.away.getByRole('listitem')).toHaveText([/^w1.*disconnected.*etcd is stopped/, /^w2.*disconnected/]);
  await expect(views.watch).not.toContainText('No watchers yet');
  await expect(views.watch.locator('figcaption')).toContainText('w1, disconnected: etcd is stopped');
  await views.away.getByRole('button', { name: 'start etcd' }).first().click();
  await expect(terminal.prompt).toHaveValue('start etcd');
  await page.keyboard.press('Enter');
  await expect(views.pool('synced')).toHaveText('synced2');
  await expect(views.away).toHaveCount(0);
  // Some steps before the end the clients have asked, and etcd has not confirmed the watches.
  const back = () => page.evaluate(() => window.watchglass.step(-1));
  await expect.poll(async () => {
    await back();
    return (await views.away.getByRole('listitem').allTextContents()).join();
  }).toMatch(/reconnecting.*from revision 3 on; no response yet/);
});

test('watches that ended are dimmed, with the reason and the step', async ({ page, time, views }) => {
  await views.load('watch /a as w1', 'watch /a as w2', 'put /a 1', 'disconnect w1', 'put /a 2', 'put /a 3', 'compact 4',
    'connect w1', 'run 200ms', 'unwatch w2');
  await views.open('Watch');
  await expect(views.away.locator('.is-over')).toHaveText([
    /^w2.*ended.*canceled by its client/, /^w1.*ended.*etcd was compacted at revision 4, but the watch needed revision 3/,
  ]);
  const step = await views.away.getByRole('button', { name: /^Go to step \d+$/ }).last().textContent();
  await views.away.getByRole('button', { name: step }).click();
  await expect(time.slider).toHaveAttribute('aria-valuenow', step.match(/\d+/)[0]);
  await page.evaluate(() => window.watchglass.step(-1));
  await expect(views.away.locator('.is-over')).toHaveCount(0);
});

test('with reduced motion, nothing is animated', async ({ page, views }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await views.load(...FIVE, 'watch /a --prefix --rev=2 as w1');
  await views.open('Watch');
  const duration = await views.watcher('w1').evaluate((watcher) => getComputedStyle(watcher).transitionDuration);
  expect(duration).toBe('0s');
});
