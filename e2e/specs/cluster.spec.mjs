// The Cluster view: the suggestion for a single member, faults by buttons and by drawing on the map, logs in conflict,
// the quorum of a read, and the check of the responses that clients received.
import { expect, inOnePage as test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass, views }) => {
  await watchglass.begin('empty');
  await views.open('Cluster');
});

const START = ['world members=3 seed=7', 'run 3s', 'put a 1'];
const faults = (views) => views.cluster.getByRole('group', { name: 'Faults' });
const member = (views, name) => views.cluster.getByRole('region', { name, exact: true });

test('a single member has no map, and the view suggests a cluster', async ({ views, terminal }) => {
  await expect(views.cluster.getByRole('heading', { name: 'One member' })).toBeVisible();
  await views.cluster.getByRole('button', { name: /world members=3/ }).click();
  await expect(terminal.prompt).toHaveValue('world members=3');
});

test('a line drawn across the map cuts the links that it crosses', async ({ page, views, terminal }) => {
  await views.load(...START);
  const map = await views.cluster.locator('.cl-map svg').boundingBox();
  await page.mouse.move(map.x + 6, map.y + 82);
  await page.mouse.down();
  await page.mouse.move(map.x + map.width - 6, map.y + 82, { steps: 5 });
  await page.mouse.up();
  await expect(terminal.log).toContainText('$ fault partition etcd-1');
  await expect(views.cluster.locator('.cl-cut')).toHaveCount(2);
  await faults(views).getByRole('button', { name: 'Heal all' }).click();
  await expect(views.cluster.locator('.cl-cut')).toHaveCount(0);
});

test('the buttons crash, start and replace the leader', async ({ views }) => {
  await views.load(...START);
  await expect(member(views, 'etcd-1')).toContainText('leader');
  await faults(views).getByRole('radio', { name: 'etcd-2' }).click();
  await faults(views).getByRole('button', { name: 'Make leader' }).click();
  await expect(member(views, 'etcd-2')).toContainText('leader');
  await faults(views).getByRole('button', { name: 'Crash' }).click();
  await expect(member(views, 'etcd-2')).toContainText('stopped');
  await faults(views).getByRole('button', { name: 'Start' }).click();
  await expect(member(views, 'etcd-2')).toContainText('follower');
});

test('the keyboard focus stays on the same fault button', async ({ page, views }) => {
  await views.load(...START);
  const chosen = (name) => faults(views).getByRole('radio', { name });
  const crash = faults(views).getByRole('button', { name: 'Crash' });
  await chosen('etcd-1').focus();
  await page.keyboard.press('ArrowRight');
  await expect(chosen('etcd-2')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(member(views, 'etcd-2')).toContainText('stopped');
  await expect(crash).toBeFocused();
  await expect(crash).toHaveAttribute('aria-disabled', 'true');
  await expect(chosen('etcd-2'), 'the member stays chosen').toBeChecked();
});

test('links and clocks have buttons, too', async ({ views, terminal }) => {
  await views.load(...START);
  await faults(views).getByRole('radio', { name: 'etcd-2' }).click();
  await faults(views).getByText('More faults').click();
  const commands = {
    'Delay messages by 200 ms': 'net etcd-2 delay 200ms',
    'Lose 1 of 10 messages': 'net etcd-2 loss 1/10',
    'Deliver 1 of 10 messages twice': 'net etcd-2 dup 1/10',
    'Clock 10 % fast': 'clock etcd-2 offset 0ms drift 100000 ppm',
    'Slow disks': 'cost fsync=200ms',
    'Cut one direction': 'fault partition --one-way etcd-2',
  };
  for (const [label, command] of Object.entries(commands)) {
    await faults(views).getByRole('button', { name: label }).click();
    await expect(terminal.log).toContainText(`$ ${command}`);
  }
  await expect(terminal.log.locator('.wg-err')).toHaveCount(0);
  await expect(views.cluster.locator('.cl-cut')).toHaveCount(2);
});

test('a full disk ends the process when its file must grow, and heal frees space', async ({ views, terminal }) => {
  await views.load(...START);
  await faults(views).getByRole('radio', { name: 'etcd-3' }).click();
  await faults(views).getByRole('button', { name: 'Fill disk' }).click();
  await expect(member(views, 'etcd-3')).toContainText('disk full');
  await terminal.run('load writer /k/ --puts=10 --size=10kB');
  await terminal.run('run 2s');
  await terminal.run('stop writer-1');
  await expect(member(views, 'etcd-3')).toContainText('stopped');
  await faults(views).getByRole('button', { name: 'Heal all' }).click();
  await faults(views).getByRole('button', { name: 'Start' }).click();
  await expect(member(views, 'etcd-3')).toContainText('follower');
});

test('the side without a majority keeps an entry that another leader replaces', async ({ views }) => {
  await views.load(...START, 'fault partition etcd-1', 'put a lost', 'put a 2 --endpoints=etcd-2', 'get a --endpoints=etcd-3');
  await expect(member(views, 'etcd-1')).toContainText('pre-candidate');
  await expect(member(views, 'etcd-1').locator('.cl-entry.is-conflicting')).toHaveCount(1);
  await expect(member(views, 'etcd-1')).toContainText('1 behind');
  const read = views.cluster.getByRole('region', { name: 'Newest linearizable read' });
  await expect(read).toContainText(/of 3 members confirm that etcd-\d is still the leader/);
  const calls = views.cluster.getByRole('region', { name: 'Operations of clients' });
  await expect(calls).toContainText('linearizable: one order explains all responses');
  await expect(calls.getByRole('listitem').filter({ hasText: 'put lost' })).toContainText('no response yet');
});
