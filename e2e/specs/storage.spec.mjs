// The Storage view: rows wait in the batch, a commit writes pages, the view follows a row from the index to its bytes,
// a page shows its elements, and the file is saved.
import { readFile } from 'node:fs/promises';
import { expect, inOnePage as test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass, views }) => {
  await watchglass.begin('empty');
  await views.open('Storage');
});

// Returns the path of the followed row, as text.
const way = (views) => views.storage.locator('.sto-way-words');
const list = (page) => page.getByRole('grid', { name: /^Rows and pages/ });

test('a row is in the batch until the commit and then in a page', async ({ page, views }) => {
  await views.exec('put /a 1');
  await expect(views.storage.getByText(/^2 rows are in the batch/)).toBeVisible();
  await expect(way(views)).toHaveText(/^get \/a finds revision 2\.0 .* row is in the batch/);
  await views.exec('run 200ms');
  await expect(views.storage.getByText(/^Nothing waits for a commit/)).toBeVisible();
  await expect(way(views)).toHaveText(/^get \/a finds revision 2\.0 .* inline in page \d+/);
  // The inspector shows the page with that row, down to its bytes.
  await views.inspect('Storage');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('row', { name: /^2\.0 \/a = 1/ })).toBeVisible();
  await expect(inspector.getByRole('region', { name: /^Key, 17 bytes/ })).toContainText('main');
});

test('the mouse selects a key, and the keyboard selects a page', async ({ page, views }) => {
  await views.exec('for i in {1..60}; do put /k$i a-value-that-fills-the-pages-before-long; done', 'run 200ms');
  await views.exec('put /k1 again', 'run 200ms');
  await expect(way(views)).toHaveText(/^get \/k1 finds revision 62\.0/);
  await views.storage.locator('.sto-stage .sto-index', { hasText: '/k10' }).click();
  await expect(way(views)).toHaveText(/^get \/k10 finds revision 11\.0 .* in leaf page \d+, below branch page \d+/);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('row', { name: /^11\.0 \/k10 = a-value/ })).toHaveClass(/is-chosen/);
  // The keys move from the last row of the list, which is a page, to the first page, which is a meta page.
  await list(page).focus();
  await page.keyboard.press('End');
  const first = list(page).getByRole('row', { name: /^Page 0, meta/ });
  for (let at = 0; at < 80 && (await first.getAttribute('class')) !== 'is-active'; at += 1) {
    await page.keyboard.press('ArrowUp');
    if ((await first.count()) === 0) continue;
  }
  await page.keyboard.press('Enter');
  await expect(inspector.getByRole('heading', { name: 'Page 0' })).toBeVisible();
  await expect(inspector).toContainText('root page');
});

test('a stopped process loses its keys in memory, but not its rows', async ({ views }) => {
  await views.exec('put /a 1', 'run 200ms', 'stop etcd');
  await expect(views.storage.getByText(/^etcd is not running/)).toBeVisible();
  await expect(views.storage.locator('.sto-stage .sto-row')).toHaveCount(1);
});

test('the database is downloaded as a snapshot', async ({ page, views }) => {
  await views.exec('put /a 1');
  const download = page.waitForEvent('download');
  await views.storage.getByRole('button', { name: 'Download snapshot.db' }).click();
  expect((await download).suggestedFilename()).toBe('snapshot.db');
});

test('a saved snapshot is downloaded from the terminal', async ({ page, views }) => {
  await views.exec('put /a 1', 'snapshot save backup/monday.db');
  // The terminal shows its buttons while it has the focus.
  await page.locator('#wg-prompt').focus();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download backup/monday.db' }).click();
  expect((await download).suggestedFilename()).toBe('monday.db');
});

test('metrics are shown as charts over time, as a table and as a download', async ({ page, views }) => {
  await views.exec('for i in {1..5}; do put /a$i 1; run 1s; done', 'get --prefix /a');
  await expect(views.storage.locator('.sto-chart')).toHaveCount(0);
  await views.storage.getByRole('button', { name: 'Metrics', exact: true }).click();
  const row = (name) => views.storage.getByRole('row', { name: new RegExp(`^${name} `) });
  await expect(row('etcd_mvcc_put_total')).toHaveText(/_total5/);
  await expect(row('etcd_mvcc_range_total')).toHaveText(/_total1/);
  const puts = views.storage.locator('.sto-chart', { hasText: 'mvcc_put_total' });
  const drawn = await puts.locator('.sto-metric-line').getAttribute('d');
  // After a seek, the charts show the history up to the cursor. At the end of the run, they show the whole history.
  await page.evaluate(() => window.watchglass.seek({ time_us: 2_500_000 }));
  await expect(row('etcd_mvcc_put_total')).toHaveText(/_total3/);
  await expect(puts.locator('.sto-metric-line')).not.toHaveAttribute('d', drawn);
  await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
  await expect(puts.locator('.sto-metric-line')).toHaveAttribute('d', drawn);
  const download = page.waitForEvent('download');
  await views.storage.getByRole('button', { name: 'Download metrics.txt' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('metrics.txt');
  const text = await readFile(await file.path(), 'utf8');
  expect(text).toContain('# TYPE etcd_mvcc_put_total counter\netcd_mvcc_put_total 5\n');
});
