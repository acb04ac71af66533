// The QoS view: the command that turns QoS on, the comparison of the rules with the newest request, the levels and
// queues of the classes, and the newest requests.
import { expect, inOnePage as test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

test.beforeEach(async ({ watchglass, views }) => {
  await watchglass.begin('empty');
  await views.open('QoS');
});

const rule = (views, name) => views.qos.getByRole('row', { name }).first();

test('the empty view shows the command that turns QoS on', async ({ page, views, terminal }) => {
  await expect(views.qos.getByRole('heading', { name: 'QoS is off' })).toBeVisible();
  await views.qos.getByRole('button', { name: /set experimental-enable-qos 1/ }).click();
  await expect(terminal.prompt).toHaveValue('set experimental-enable-qos 1');
  await page.keyboard.press('Enter');
  await expect(rule(views, /rule-slowlog/)).toContainText('ScanKeyNum>10000');
  await expect(views.qos.getByRole('region', { name: 'Class slow-query' })).toContainText('12 of 12 tokens');
  await page.keyboard.press('Escape');
  expect(await violations(page)).toEqual([]);
});

test('each rule says why it matches the newest request, or why not', async ({ views }) => {
  await views.exec(
    'set experimental-enable-qos 1',
    'qos class add two --qdisc-kind tbf --qps 0.1 --burst 2',
    'qos class add event --qdisc-kind lbf --qps 2 --queue 2',
    'qos rule add puts --class two --priority 20 --ops Put',
    'qos rule add events --class event --priority 9 --ops Put --prefix /events/',
    'put /events/1 a',
  );
  await expect(rule(views, /^20 puts/)).toContainText('matches and decides');
  await expect(rule(views, /^9 events/)).toContainText('matches, but a higher priority decides');
  await expect(rule(views, /^10 rule-slowlog/)).toContainText("no match: the operation differs");
  const two = views.qos.getByRole('region', { name: 'Class two' });
  await expect(two).toContainText('1 of 2 tokens');
  await views.exec('put /events/2 a', 'put /events/3 a');
  await expect(two).toContainText('0 of 2 tokens');
  await expect(two).toContainText('2 admitted, 1 limited');
  const newest = views.qos.getByRole('region', { name: 'Newest requests' }).getByRole('row').nth(1);
  await expect(newest).toContainText('limited');
});

test('the names of the lanes begin where the headings begin', async ({ page, views }) => {
  await views.exec('set experimental-enable-qos 1', 'put /events/1 a');
  const name = await page.locator('.qos-name').first().boundingBox();
  const heading = await views.qos.getByRole('heading', { name: 'Rules', exact: true }).boundingBox();
  expect(Math.abs(name.x - heading.x)).toBeLessThanOrEqual(1.5);
});

test('delayed requests wait in the queue of their class', async ({ page, views }) => {
  await views.exec(
    'set experimental-enable-qos 1',
    'qos class add event --qdisc-kind lbf --qps 2 --queue 2',
    'qos rule add events --class event --priority 9 --ops Put --prefix /events/',
    'load writer /events/ --puts=20',
    'run 2s',
  );
  const event = views.qos.getByRole('region', { name: 'Class event' });
  await expect(event).toContainText(/[12] waiting, next in/);
  await expect(event.locator('.qos-waiting')).not.toHaveCount(0);
  await expect(views.qos.locator('.qos-stream .qos-limited')).not.toHaveCount(0);
  await expect(views.qos.locator('.qos-stream .qos-delayed')).not.toHaveCount(0);
  // The key opens the view. After a step back, the view shows the state at the cursor.
  await page.keyboard.press('1');
  await page.keyboard.press('7');
  await page.evaluate(() => window.watchglass.seek({ step: 2 }));
  await expect(event).toContainText('0 of 3 in the bucket');
});

const EVENTS = [
  'set quota-backend-bytes 4MiB',
  'set experimental-enable-qos 1',
  'set qos-quota-basis 1',
  'qos class add event --qdisc-kind lbf --qps 2',
  'qos rule add rule-event --class event --priority 9 --prefix /registry/events --ops Put '
    + "--condition 'PercentOfStorageQuotaUsed>0.9'",
  'load events /registry/events/ --puts=50 --size=10kB',
];

test('the run is compared with and without the rules, side by side', async ({ page, views }) => {
  await views.exec(...EVENTS, 'run 12s');
  const section = views.qos.getByRole('region', { name: 'With and without the rules' });
  await section.getByRole('button', { name: 'Compare' }).click();
  await expect(section.getByRole('status'))
    .toHaveText(/^Without the rules, the database exceeds its quota after [\d.]+ s/);
  await expect(section.getByRole('row', { name: /^Quota no alarm.* NOSPACE after/ })).toBeVisible();
  await expect(section.getByRole('row', { name: /^Memory not killed not killed$/ })).toBeVisible();
  await expect(section.getByRole('row', { name: /^event .*limited.* failed/ })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  // The result stays visible, and the run can be compared again after the cursor has moved.
  await page.evaluate(() => window.watchglass.seek({ step: 20 }));
  await section.getByRole('button', { name: 'Compare at this step' }).click();
  await expect(section.getByRole('status')).toHaveText('The rules changed nothing, so both runs are equal.');
  await section.getByRole('button', { name: 'Close' }).click();
  await expect(section.getByRole('button', { name: 'Compare' })).toBeVisible();
});

test('a comparison can be canceled, and commands do not wait for it', async ({ views }) => {
  await views.exec(...EVENTS, 'run 300s');
  const section = views.qos.getByRole('region', { name: 'With and without the rules' });
  await section.getByRole('button', { name: 'Compare' }).click();
  await expect(section.getByRole('progressbar')).toBeVisible();
  await views.exec('put /a b');
  await section.getByRole('button', { name: 'Cancel' }).click();
  await expect(section.getByRole('button', { name: 'Compare' })).toBeVisible();
});
