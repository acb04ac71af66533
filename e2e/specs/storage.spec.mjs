// The Storage view: rows wait in the batch, a commit writes pages, a page shows its elements, and the file is saved.
import { expect, test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass, views }) => {
  await watchglass.open('?scenario=empty');
  await views.open('Storage');
});

test('a row is in the batch until the commit and then in a page', async ({ page, views }) => {
  await views.exec('put /a 1');
  await expect(views.storage.getByText(/^2 rows are in the batch/)).toBeVisible();
  await views.exec('run 200ms');
  await expect(views.storage.getByText(/^Nothing waits for a commit/)).toBeVisible();
  await expect(views.storage.getByRole('row', { name: /^2\.0 \/a = 1/ })).toBeVisible();
  // By keyboard to a meta page: its fields are those of the newest transaction.
  await views.storage.getByRole('button', { name: /^Page 0, meta/ }).focus();
  await page.keyboard.press('Enter');
  await expect(views.storage.getByRole('region', { name: 'Page 0' })).toContainText('root page');
});

test('the database is downloaded as a snapshot', async ({ page, views }) => {
  await views.exec('put /a 1');
  const download = page.waitForEvent('download');
  await views.storage.getByRole('button', { name: 'Download snapshot.db' }).click();
  expect((await download).suggestedFilename()).toBe('snapshot.db');
});

test('a saved snapshot is downloaded from the terminal', async ({ page, views }) => {
  await views.exec('put /a 1', 'snapshot save backup/monday.db');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download backup/monday.db' }).click();
  expect((await download).suggestedFilename()).toBe('monday.db');
});
