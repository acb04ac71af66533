// A snapshot of the user: chosen or dropped, read in the tab, inspected, and used as the start of a run. Also damaged
// files.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';
import { compared, encrypted, ledger, sample, writeSparse, written } from '../models/snapshot.mjs';
import { stored } from '../models/stored.mjs';

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
  await expect(snapshot.dialog.getByRole('region', { name: 'What frees space?' })).toContainText('A compaction removes up to');
  expect(await violations(page)).toEqual([]);

  await snapshot.prefixes.getByRole('button', { name: 'leases/', exact: true }).click();
  await snapshot.prefixes.getByRole('button', { name: 'kube-node-lease/' }).last().click();
  await snapshot.prefixes.getByRole('button', { name: 'node-00' }).click();
  await expect(snapshot.value).toContainText('version 41, 8 bytes, lease 390da1fca0251a1e');
  await expect(snapshot.value.locator('pre').first()).toHaveText('renew-40');

  const [name, text] = await snapshot.save(snapshot.prefixes.getByRole('button', { name: 'CSV' }));
  expect(name).toBe('prefixes.csv');
  expect(text).toContain('/registry/leases/kube-node-lease/node-00,1,1,1,0,');
  expect(watchglass.complaints).toEqual([]);
});

test('the report tells who wrote most, and which writes changed nothing', async ({ page, snapshot }) => {
  const { writers, compacted } = ledger();
  await snapshot.choose('prod.db', written());
  await expect(snapshot.prefixes).toContainText('Below /registry/, /registry/configmaps/ has the most bytes');
  await expect(snapshot.writers).toContainText('Most writes are from kubelet (Update): 180 of 443 (40.6 %), 1,917 an hour.');
  await expect(snapshot.writers).toContainText('Most of these are from tekton-controller (Update): 66.7 % of its writes changed nothing.');
  await expect(snapshot.writers).toContainText(`each change after the compact revision ${compacted}`);
  const tekton = writers['tekton-controller/Update/'];
  const cells = snapshot.cells(snapshot.writers, 'tekton-controller (Update)');
  await expect(cells.nth(0)).toHaveText(String(tekton.writes));
  await expect(cells.nth(2)).toHaveText('66.7 %');
  await expect(cells.nth(3)).toHaveText(String(tekton.revisions));
  await snapshot.writers.getByRole('radio', { name: 'Kind' }).click();
  await snapshot.writers.getByRole('searchbox').fill('configmap');
  await expect(snapshot.writers.getByRole('row')).toHaveCount(2);
  await expect(snapshot.cells(snapshot.writers, 'ConfigMap (v1)').nth(3)).toHaveText('110');
  const [name, text] = await snapshot.save(snapshot.writers.getByRole('button', { name: 'CSV' }));
  expect(name).toBe('writes-by-kind.csv');
  expect(text).toContain('ConfigMap (v1),15,160,1,1,110,146,');
  expect(text).toContain('Task (example.com/v1)');
  await snapshot.writers.getByRole('radio', { name: 'Created on' }).click();
  await expect(snapshot.cells(snapshot.writers, '2026-03-01').first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test('a deleted object comes back as JSON and as a script', async ({ page, snapshot, watchglass }) => {
  await snapshot.choose('prod.db', written());
  await snapshot.keys.getByRole('checkbox', { name: 'Deleted keys only' }).check();
  await expect(snapshot.keys).toContainText('119 keys match, 119 of them deleted');
  await snapshot.keys.getByRole('searchbox').fill('web/cm-032');
  await expect(snapshot.keys.getByRole('row')).toHaveCount(2);
  await snapshot.keys.getByRole('button', { name: '/registry/configmaps/web/cm-032' }).click();
  await expect(snapshot.value).toContainText('The key was deleted at revision');
  await expect(snapshot.value.getByRole('heading')).toBeFocused();
  await expect(snapshot.value.locator('pre').first()).toContainText('"note": "it\'s 32 % of the €\\n"');
  // An earlier value of the same key.
  const older = snapshot.value.getByRole('group', { name: 'Revisions in the file' }).getByRole('button').last();
  await older.click();
  await expect(older).toHaveAttribute('aria-current', 'true');
  await expect(snapshot.value.locator('pre').first()).toContainText('"manager": "kubectl-client-side-apply"');
  const [, json] = await snapshot.save(snapshot.value.getByRole('button', { name: 'JSON object' }));
  expect(JSON.parse(json).data.note).toBe("it's 32 % of the €\n");
  const [yamlName, yaml] = await snapshot.save(snapshot.value.getByRole('button', { name: 'YAML object' }));
  expect(yamlName).toMatch(/^cm-032-\d+\.yaml$/);
  expect(yaml).toMatch(/^apiVersion: v1\ndata:\n[^]*\n  note: \|\n    it's 32 % of the €\nkind: ConfigMap\n/);
  expect(await violations(page)).toEqual([]);
  await snapshot.value.getByRole('button', { name: 'Close the value' }).click();
  await expect(snapshot.keys.getByRole('button', { name: '/registry/configmaps/web/cm-032' })).toBeFocused();

  await snapshot.keys.getByRole('searchbox').fill('/registry/configmaps/');
  await expect(snapshot.keys).toContainText('109 keys match');
  const [name, script] = await snapshot.save(snapshot.keys.getByRole('button', { name: 'etcdctl script' }));
  expect(name).toBe('prod-keys.sh');
  expect(script).toMatch(/^#!\/bin\/sh\n# Puts the last values of keys in prod.db \(revision 761\)/);
  const blocks = [...script.matchAll(/base64 -d <<'END' \| etcdctl put -- '(.*)'\n([^]*?)\nEND\n/g)];
  const { deleted } = ledger();
  expect(blocks.length).toBe(109);
  for (const [, key, value] of blocks) {
    expect(createHash('sha256').update(Buffer.from(value, 'base64')).digest('hex'), key).toBe(deleted[key].sha256);
  }
  const [, table] = await snapshot.save(snapshot.keys.getByRole('button', { name: 'CSV of all' }));
  expect(table.trim().split('\r\n').length).toBe(110);
  expect(watchglass.complaints).toEqual([]);
});

test('the report predicts the sizes after a compaction, a delete and a defragmentation', async ({ page, snapshot, watchglass }) => {
  await snapshot.choose('prod.db', sample());
  const plan = snapshot.maintenance;
  const sizes = (name) => snapshot.cells(plan, name).filter({ hasText: /B$/ }).allTextContents();
  // With the keyboard: the plan is a form.
  const prefix = plan.getByRole('combobox', { name: 'Delete keys with prefix' });
  await prefix.focus();
  await page.keyboard.press('Enter');
  await expect(plan.getByRole('status')).toHaveText('The database shrinks from 126.9 kB to 86.0 kB, 67.7 % of its size.');
  expect(await sizes('Defragment')).toEqual(['77.8 kB', '86.0 kB']);
  await expect(plan.locator('pre')).toContainText('etcdctl compact --command-timeout=10m --physical "$revision"');

  await prefix.fill('/registry/pods/');
  await page.keyboard.press('Enter');
  await expect(plan.getByRole('status')).toHaveText('The database shrinks from 126.9 kB to 32.7 kB, 25.8 % of its size.');
  await expect(snapshot.cells(plan, 'Delete keys').first()).toHaveText('200 keys deleted');
  await expect(snapshot.cells(plan, 'Compact at revision 397').first()).toContainText('rows removed');
  const [name, script] = await snapshot.save(plan.getByRole('button', { name: 'Save as a script' }));
  expect(name).toBe('maintenance.sh');
  expect(script).toMatch(/alarm list[^]*del .*--prefix -- '\/registry\/pods\/'[^]*compact[^]*defrag[^]*alarm disarm/);
  expect(await violations(page)).toEqual([]);

  // What is not possible is refused with the possible range.
  await prefix.fill('/nothing/');
  await page.keyboard.press('Enter');
  await expect(plan.getByRole('alert')).toContainText('No live key starts with /nothing/.');
  await prefix.fill('');
  const compact = plan.getByRole('combobox', { name: 'Compact' });
  await compact.selectOption('at a revision');
  const revision = plan.getByRole('textbox', { name: 'Revision' });
  await expect(revision).toHaveValue('396');
  await revision.fill('1,000');
  await plan.getByRole('button', { name: 'Predict the sizes' }).click();
  await expect(plan.getByRole('alert')).toContainText('Revision 1000 is after the newest revision. Enter a revision from 382 to 396.');
  await compact.selectOption('and keep the last revisions');
  await plan.getByRole('textbox', { name: 'Revisions to keep' }).fill('10');
  await page.keyboard.press('Enter');
  await expect(plan.getByRole('alert')).toHaveCount(0);
  await expect(snapshot.cells(plan, 'Compact at revision 386').first()).toContainText('rows removed');
  await expect(plan.locator('pre')).toContainText('$((revision - 10))');
  await expect(plan.getByRole('textbox', { name: 'Revisions to keep' })).toHaveValue('10');
  expect(watchglass.complaints).toEqual([]);
});

test('two snapshots are compared, down to the lines of a value', async ({ page, snapshot, watchglass }) => {
  await snapshot.choose('tuesday.db', compared('tuesday'));
  const { comparison, difference } = snapshot;
  await snapshot.compareWith('monday.db', compared('monday'));
  await expect(comparison.getByRole('status')).toHaveText(/^From monday\.db at revision 59 to tuesday\.db at revision 89 below \/registry\/: /);
  await expect(comparison).toContainText('One history: both files have the same rows at each revision from 51 to 59.');
  const hashes = snapshot.cells(comparison, 'endpoint hashkv --rev=59');
  await expect(hashes).toHaveText(['2481636233', '1728905518']);
  await expect(comparison).toContainText('Members can be compared by their hashes only at equal compact revisions.');

  const list = comparison.getByRole('group', { name: 'Changed keys' }).getByRole('row');
  const all = await list.count() - 1;
  await comparison.getByRole('combobox', { name: 'Changes' }).selectOption('deleted');
  await expect(comparison).toContainText(/\d+ changed keys? match(es)?\./);
  await expect.poll(() => list.count()).toBeLessThan(all);
  await comparison.getByRole('combobox', { name: 'Changes' }).selectOption('changed');
  await comparison.getByRole('button', { name: '/registry/pods/', exact: true }).click();
  await expect(comparison.getByRole('status')).toContainText('below /registry/pods/');
  const key = list.nth(1).getByRole('button');
  const name = await key.textContent();
  await key.click();
  await expect(difference.getByRole('heading')).toBeFocused();
  await expect(difference).toContainText(`− monday.db at revision 59: value of revision`);
  await expect(difference.locator('del')).toHaveText(/^− [ab] \d\n$/);
  await expect(difference.locator('ins')).toHaveText(/^\+ [ab] \d\n$/);
  await expect(difference.locator('pre > span')).toContainText(`key ${name}`);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(difference).toHaveCount(0);
  await expect(key).toBeFocused();

  const [file, text] = await snapshot.save(comparison.getByRole('button', { name: 'CSV of all' }));
  expect(file).toBe('tuesday-changes.csv');
  expect(text.split('\r\n')[1]).toMatch(new RegExp(`^${name},changed,`));
  expect(watchglass.complaints).toEqual([]);
});

test('a restored store parts from its cluster, and a file is compared with itself', async ({ snapshot }) => {
  await snapshot.choose('tuesday.db', compared('tuesday'));
  const { comparison } = snapshot;
  await snapshot.compareWith('fork.db', compared('fork'));
  await expect(comparison).toContainText('Two histories: the rows are the same at each revision from 51 to 59, and part at revision 60.');
  await expect(comparison.getByRole('group', { name: /first revision that differs/ }).getByRole('columnheader')).toHaveText(['fork.db', 'tuesday.db']);

  await comparison.getByRole('button', { name: 'Close the other file' }).click();
  await comparison.getByLabel('From revision').fill('60');
  await comparison.getByLabel('to revision', { exact: true }).fill('70');
  await comparison.getByLabel('to revision', { exact: true }).press('Enter');
  await expect(comparison.getByRole('status')).toHaveText(/^From revision 60 to revision 70 below \/registry\/: /);
  await expect(snapshot.cells(comparison, 'compared revision')).toHaveText(['60', '70']);
  await expect(comparison).not.toContainText('hashkv');

  await comparison.getByLabel('From revision').fill('49');
  await comparison.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(snapshot.alert).toHaveText('The state at revision 49 is compacted in tuesday.db. Enter a revision from 50 on.');
  await comparison.getByLabel('From revision').fill('monday');
  await comparison.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(snapshot.alert).toHaveText('Enter a whole number, such as 1000.');
  await snapshot.compareWith('notes.txt', Buffer.from('no database'));
  await expect(snapshot.alert).toContainText('notes.txt is not an etcd database');
  await expect(snapshot.fact('newest revision')).toHaveText('89');
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

test('a file of more than 1 GiB is read page by page, with little memory, and nothing is sent', async ({ page, snapshot, terminal, baseURL }, info) => {
  test.slow();
  const path = info.outputPath('full.db');
  writeSparse(path, 1.25 * 2 ** 30);
  const requests = [];
  page.on('request', (request) => requests.push(request));
  await snapshot.chooseOnDisk(path);
  await expect(snapshot.explore).toBeEnabled({ timeout: 120_000 });
  await expect(snapshot.fact('pages')).toHaveText('327,680 × 4,096 bytes');
  await expect(snapshot.fact('live keys')).toHaveText('259');
  await expect(snapshot.fact('hash (snapshot status)')).toHaveText('89fd5cd5');
  await snapshot.prefixes.getByRole('button', { name: 'leases/', exact: true }).click();
  await snapshot.prefixes.getByRole('button', { name: 'kube-node-lease/' }).last().click();
  await snapshot.prefixes.getByRole('button', { name: 'node-00' }).click();
  await expect(snapshot.value.locator('pre').first()).toHaveText('renew-40');
  expect(await snapshot.engineMemory()).toBeLessThan(400e6);

  // The run needs only the pages in use, and does not need the file.
  await snapshot.explore.click();
  await expect(page.locator('.wg-run-title')).toHaveText('full.db');
  rmSync(path);
  await terminal.run('get /registry/configmaps/default/cm-003 --rev=385');
  await expect(terminal.last).toContainText('data-3');
  expect(await snapshot.engineMemory()).toBeLessThan(400e6);
  for (const request of requests) {
    expect(new URL(request.url()).origin, request.url()).toBe(new URL(baseURL).origin);
    expect(request.postDataBuffer(), request.url()).toBeNull();
  }
});

test('a file that is changed while it is read is named, and the run stays', async ({ page, open, snapshot, terminal }, info) => {
  await page.keyboard.press('Escape');
  await terminal.run('put /mine 1');
  await expect(terminal.last).toContainText('OK');
  await open.choose(/Open a snapshot/);
  const path = info.outputPath('prod.db');
  writeSparse(path, 4 * 2 ** 30);
  await snapshot.chooseOnDisk(path);
  await expect(snapshot.dialog.getByRole('progressbar')).toBeVisible();
  writeSparse(path, 2 ** 20);
  await expect(snapshot.alert).toContainText('cannot read prod.db any more');
  await page.keyboard.press('Escape');
  await terminal.run('get /mine --print-value-only');
  await expect(terminal.last).toContainText('1');
});

test('a dropped snapshot opens', async ({ page, open, snapshot }) => {
  await page.keyboard.press('Escape');
  await open.drop('dropped.db', [...sample()]);
  await expect(snapshot.dialog.getByRole('heading', { name: 'dropped.db' })).toBeVisible();
  await expect(snapshot.explore).toBeEnabled();
});

test('encrypted values are read with keys that stay in the tab', async ({ page, snapshot }) => {
  const secret = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
  await snapshot.choose('vaults.db', encrypted());
  const { decryption } = snapshot;
  await expect(decryption.getByRole('status')).toHaveText('API servers have encrypted 5 values.');
  const decrypt = async (keys) => {
    await decryption.getByRole('textbox').fill(keys);
    await decryption.getByRole('button', { name: 'Decrypt' }).click();
  };
  await decrypt('my key');
  await expect(snapshot.alert).toContainText('This text contains no key.');
  await decrypt(`- aescbc:\n    keys:\n    - name: key1\n      secret: ${secret}\n`);
  await expect(decryption.getByRole('status')).toHaveText('3 values decrypted with your keys; 2 values still encrypted: by another key or provider.');
  expect(await violations(page)).toEqual([]);
  await snapshot.keys.getByRole('button', { name: '/registry/example.com/vaults/team/one' }).click();
  await expect(snapshot.value.locator('pre').first()).toContainText('"level": 2');
  await snapshot.explore.click();
  await expect(snapshot.dialog).toHaveCount(0);
  const kept = await stored(page) + await page.evaluate(() => window.watchglass.permalink()) + page.url();
  expect(kept).toContain('#v4.');
  expect(kept).not.toContain(secret);
});

test('a file that is compressed with gzip is unpacked', async ({ page, open, snapshot }) => {
  await snapshot.choose('odd.db.gz', gzipSync(sample()).subarray(0, 1000));
  await expect(snapshot.alert).toContainText('odd.db.gz cannot be unpacked: its gzip data is damaged');
  await page.keyboard.press('Escape');
  await open.drop('monday.gz', [...gzipSync(sample())]);
  await expect(snapshot.dialog.getByRole('heading', { name: 'monday', exact: true })).toBeVisible();
  await expect(snapshot.explore).toBeEnabled();
  await snapshot.compareWith('tuesday.db.gz', gzipSync(compared('tuesday')));
  await expect(snapshot.comparison.getByRole('status')).toContainText('tuesday.db at revision 89');
});

const damaged = (change) => {
  const file = sample();
  change(file);
  return file;
};

test('a file that cannot be read is refused with what was expected, and another file can be chosen at once', async ({ snapshot }) => {
  for (const [file, says] of [
    [Buffer.alloc(0), /the file has 0 bytes, too few for the two meta pages of a database/],
    [Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8192)]), /is an SQLite database/],
    [Buffer.concat([Buffer.alloc(257), Buffer.from('ustar'), Buffer.alloc(8192)]), /is a tar archive. Unpack it with `tar xf odd.db`/],
    [damaged((file) => {
      file[70] ^= 1;
      file[PAGE + 70] ^= 1;
    }), /both meta pages are damaged: page 0, byte 72: the checksum is/],
  ]) {
    await snapshot.choose('odd.db', file);
    await expect(snapshot.alert).toContainText(says);
  }
  await snapshot.choose('prod.db', sample());
  await expect(snapshot.explore).toBeEnabled();
});

test('the undamaged pages of a damaged file are shown', async ({ snapshot }) => {
  for (const [file, says] of [
    [sample().subarray(0, 20 * PAGE), /counts 31 pages, but the file has 20: the end of the file is missing/],
    [damaged((file) => file.writeUInt16LE(0xffff, 8 * PAGE + 10)), /page 8, byte 32778: the page claims 65535 elements/],
  ]) {
    await snapshot.choose('odd.db', file);
    await expect(snapshot.dialog.getByRole('region', { name: 'Faults' })).toContainText(says);
    await expect(snapshot.explore).toBeDisabled();
    await expect(snapshot.prefixes.getByRole('row')).not.toHaveCount(1);
  }
});

test('a wrong SHA-256 and a damaged meta page are reported, and the file is shown', async ({ snapshot }) => {
  await snapshot.choose('odd.db', damaged((file) => {
    file[70] ^= 1;
  }));
  await expect(snapshot.dialog).toContainText(/Meta page 0 is damaged .*; meta page 1 is used/);
  await expect(snapshot.dialog).toContainText('The SHA-256 at the end does not match the pages');
  await expect(snapshot.explore).toBeEnabled();
});
