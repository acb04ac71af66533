// The palette finds everything by name, and the table of contents lists everything that can be opened.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

const field = (page) => page.getByRole('combobox', { name: 'Find a lesson' });
const chosen = (page) => page.locator('.wg-choice[aria-selected="true"]');

test.describe('the palette', () => {
  test.beforeEach(async ({ watchglass }) => {
    await watchglass.open('?scenario=two-generations&at=end');
  });

  test('the keyboard alone finds and opens a lesson', async ({ page, watchglass }) => {
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('keys are');
    await expect(chosen(page)).toContainText('Keys are bytes');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Keys are bytes');
    expect(watchglass.complaints).toEqual([]);
  });

  test('arrows wrap around, and the chosen entry stays visible', async ({ page }) => {
    await page.keyboard.press('Control+k');
    await expect(chosen(page)).toContainText('Keys are bytes');
    await page.keyboard.press('ArrowUp');
    await expect(chosen(page)).toContainText('Write a lesson');
    await expect(chosen(page)).toBeInViewport();
    await page.keyboard.press('ArrowDown');
    await expect(chosen(page)).toContainText('Keys are bytes');
    await expect(chosen(page)).toBeInViewport();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('a term shows its definition, and leads to its lesson', async ({ page }) => {
    await page.getByRole('button', { name: 'Find (Ctrl+K)' }).click();
    await field(page).fill('tombstone');
    const term = page.getByRole('option').filter({ hasText: 'The row that a delete writes' });
    await expect(chosen(page)).toContainText('tombstone');
    await term.click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Two generations');
  });

  test('the palette finds keys of the store and commands', async ({ page }) => {
    await page.keyboard.press('Control+k');
    await field(page).fill('/ke');
    const key = page.getByRole('option').filter({ hasText: 'in this store' });
    await expect(key).toHaveText(/key\/key1in this store/);
    await key.click();
    await expect(page.getByRole('heading', { name: '/key1' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await field(page).fill('lease gr');
    await expect(chosen(page)).toContainText('lease grant');
    await page.keyboard.press('Enter');
    await expect(page.locator('#wg-prompt')).toHaveValue('lease grant ');
    await expect(page.locator('#wg-prompt')).toBeFocused();
  });

  test('the palette chooses a view and a setting', async ({ page }) => {
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('storage');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('tab', { name: 'Storage' })).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('dark');
    await page.keyboard.press('Enter');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  });

  test('a run opens at its own address', async ({ page, watchglass }) => {
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('older backup is restored');
    await expect(chosen(page)).toContainText('An older backup is restored');
    await page.keyboard.press('Enter');
    await page.waitForURL(/scenario=cache\/a_backup_takes_etcd_back/);
    await watchglass.ready();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('An older backup is restored');
  });

  test('the palette finds a run by its topic, and shows code in a title without backticks', async ({ page }) => {
    await page.keyboard.press('Control+k');
    await field(page).fill('cluster');
    await expect(page.getByRole('option', { name: /The leader is cut off/ })).toBeVisible();
    await field(page).fill('--physical');
    const option = page.getByRole('option').filter({ has: page.locator('b code') }).first();
    await expect(option).toBeVisible();
    const titles = await page.locator('.wg-choice b').allTextContents();
    expect(titles.filter((title) => title.includes('`'))).toEqual([]);
  });

  test('for words without a match, the palette shows a message', async ({ page }) => {
    await page.keyboard.press('Control+k');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type('zzzz');
    await expect(page.getByRole('status').filter({ hasText: 'Nothing matches' })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(field(page)).toBeFocused();
    const input = await field(page).boundingBox();
    const message = await page.getByText('Nothing matches').boundingBox();
    expect(message.y - input.y - input.height, 'the message is where the results would be').toBeLessThanOrEqual(24);
  });
});

test('if the table of contents cannot be fetched, the palette says so, and fetches the table when it is opened again', async ({ page, watchglass }) => {
  await page.route('**/contents.txt', (route) => route.abort());
  await watchglass.open('?scenario=empty');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('status').filter({ hasText: 'could not be fetched' })).toBeVisible();
  await expect(page.getByRole('option', { name: /Presenter mode/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.unroute('**/contents.txt');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option', { name: /Keys are bytes/ })).toBeVisible();
});
