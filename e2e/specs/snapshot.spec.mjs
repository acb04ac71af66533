// A snapshot of the user: chosen or dropped, read in the tab, inspected, and used as the start of a run. Also damaged
// files.
import { readFileSync } from 'node:fs';
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';
import { sample } from '../models/snapshot.mjs';

const PAGE = 4096;

test.beforeEach(async ({ watchglass, open }) => {
  await watchglass.open('?scenario=empty');
  await open.choose(/Open a snapshot/);
});

test('a snapshot shows its content, down to a value', async ({ page, snapshot, watchglass }) => {
  await snapshot.choose('prod.db', sample());
  await expect(snapshot.explore).toBeEnabled();
  for (const [name, text] of [
    ['file size', '127,008 bytes'],
    ['pages', '31 × 4,096 bytes'],
    ['hash (snapshot status)', '89fd5cd5'],
    ['newest revision', '396'],
    ['compacted revision', '381'],
    ['last applied Raft entry', '401'],
    ['live keys', '259'],
    ['revisions stored', '357'],
    ['of these, deletes', '43'],
    ['rows in all buckets', '364'],
  ]) {
    await expect(snapshot.fact(name), name).toHaveText(text);
  }
  await expect(snapshot.dialog.getByText('The SHA-256 at the end of the file matches')).toBeVisible();
  await expect(snapshot.dialog.getByText('1 lease, 20 keys attached')).toBeVisible();
  expect(await violations(page)).toEqual([]);

  await snapshot.prefixes.getByRole('button', { name: 'leases/', exact: true }).click();
  await snapshot.prefixes.getByRole('button', { name: 'kube-node-lease/' }).last().click();
  await snapshot.prefixes.getByRole('button', { name: 'node-00' }).click();
  await expect(snapshot.value).toContainText('version 41, 8 bytes, lease 390da1fca0251a1e');
  await expect(snapshot.value.locator('pre').first()).toHaveText('renew-40');

  const download = page.waitForEvent('download');
  await snapshot.prefixes.getByRole('button', { name: 'CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('prefixes.csv');
  expect(readFileSync(await file.path(), 'utf8')).toContain('/registry/leases/kube-node-lease/node-00,1,1,1,0,');
  expect(watchglass.complaints).toEqual([]);
});

test('a snapshot starts a run that a link opens again', async ({ page, snapshot, terminal, views, time }) => {
  await snapshot.choose('prod.db', sample());
  await snapshot.explore.click();
  await expect(page.locator('.wg-run-title')).toHaveText('prod.db');
  await expect(snapshot.dialog).toHaveCount(0);
  await terminal.run('get /registry/configmaps/default/cm-003 --rev=385');
  await expect(terminal.last).toContainText('data-3');
  await terminal.run('put /mine 1');
  await expect(terminal.last).toContainText('OK');
  await terminal.run('compact 390');
  await expect(terminal.last).toContainText('compacted revision 390');
  await terminal.run('snapshot status prod.db');
  await expect(terminal.last).toContainText('89fd5cd5, 396, 364, 127 kB');
  await views.open('Index');
  await expect(page.getByRole('tab', { name: /Index/ })).toHaveAttribute('aria-selected', 'true');
  await page.evaluate(() => window.watchglass.seek({ step: 0 }));
  await expect(page.getByText('etcd started on prod.db: revision 396, 259 keys.').first()).toBeVisible();

  // The run is saved, but the file is not: the page asks for the file again.
  await page.reload();
  await expect(snapshot.dialog).toContainText('127,008 bytes');
  await snapshot.choose('other.db', sample().subarray(0, 126_976));
  await expect(snapshot.alert).toContainText('other.db is another file');
  await snapshot.choose('renamed.db', sample());
  await expect(page.locator('.wg-run-title')).toHaveText('prod.db');
  await expect(snapshot.dialog).toHaveCount(0);
  await expect(time.slider).not.toHaveAttribute('aria-valuemax', '0');
  await terminal.run('get /mine');
  await expect(terminal.last).toContainText('1');
});

test('the user can leave a run whose file is missing', async ({ page, snapshot, watchglass }) => {
  await snapshot.choose('prod.db', sample());
  await snapshot.explore.click();
  await expect(page.locator('.wg-run-title')).toHaveText('prod.db');
  const link = await page.evaluate(() => window.watchglass.permalink());
  await page.goto('about:blank');
  await page.goto(link);
  await expect(snapshot.dialog).toContainText('127,008 bytes');
  await snapshot.dialog.getByRole('button', { name: 'Do not open this run' }).click();
  await expect(snapshot.dialog).toHaveCount(0);
  await watchglass.ready();
  await expect(page.locator('.wg-run-title')).not.toHaveText('prod.db');
});

test('a dropped snapshot opens', async ({ page, open, snapshot }) => {
  await page.keyboard.press('Escape');
  await open.drop('dropped.db', [...sample()]);
  await expect(snapshot.dialog.getByRole('heading', { name: 'dropped.db' })).toBeVisible();
  await expect(snapshot.explore).toBeEnabled();
});

const damaged = (change) => {
  const file = sample();
  change(file);
  return file;
};

for (const [what, file, says] of [
  ['nothing', Buffer.alloc(0), /the file has 0 bytes, too few for the two meta pages of a database/],
  ['an SQLite database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8192)]), /is an SQLite database/],
  ['two damaged meta pages', damaged((file) => {
    file[70] ^= 1;
    file[PAGE + 70] ^= 1;
  }), /both meta pages are damaged: page 0, byte 72: the checksum is/],
]) {
  test(`${what}: the message states what was expected`, async ({ snapshot }) => {
    await snapshot.choose('odd.db', file);
    await expect(snapshot.alert).toContainText(says);
    // Another file can be chosen at once.
    await snapshot.choose('prod.db', sample());
    await expect(snapshot.explore).toBeEnabled();
  });
}

for (const [what, file, says] of [
  ['a file that was cut', sample().subarray(0, 20 * PAGE), /counts 31 pages, but the file has 20: the end of the file is missing/],
  ['a page that claims too much', damaged((file) => file.writeUInt16LE(0xffff, 8 * PAGE + 10)), /page 8, byte 32778: the page claims 65535 elements/],
]) {
  test(`${what}: the undamaged pages are shown`, async ({ snapshot }) => {
    await snapshot.choose('odd.db', file);
    await expect(snapshot.dialog.getByRole('region', { name: 'Faults' })).toContainText(says);
    await expect(snapshot.explore).toBeDisabled();
    await expect(snapshot.prefixes.getByRole('row')).not.toHaveCount(1);
  });
}

test('a wrong SHA-256 and a damaged meta page are reported, and the file is shown', async ({ snapshot }) => {
  await snapshot.choose('odd.db', damaged((file) => {
    file[70] ^= 1;
  }));
  await expect(snapshot.dialog).toContainText(/Meta page 0 is damaged .*; meta page 1 is used/);
  await expect(snapshot.dialog).toContainText('The SHA-256 at the end does not match the pages');
  await expect(snapshot.explore).toBeEnabled();
});
