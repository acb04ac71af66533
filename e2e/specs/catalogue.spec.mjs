// The filters of the catalogue: they hide the cards that do not fit, and the address keeps them.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

const cards = (page) => page.locator('.front-card:visible');
const count = (page) => page.locator('#catalogue [role="status"]');

test('words, level and topic narrow the list, and a link keeps them', async ({ page }) => {
  await page.goto('./scenarios.html');
  const all = await cards(page).count();
  await page.getByLabel('Words').fill('victim');
  await expect.poll(() => cards(page).count()).toBeLessThan(20);
  await page.getByLabel('Level').selectOption('beginner');
  for (const card of await cards(page).all()) await expect(card).toContainText('beginner');
  await page.reload();
  await expect(page.getByLabel('Level')).toHaveValue('beginner');
  await expect(count(page)).toHaveText(`${await cards(page).count()} of ${all}`);
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => cards(page).count()).toBe(all);
  expect(new URL(page.url()).search).toBe('');
  await page.getByLabel('Topic').selectOption('Compaction');
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Compaction']);
  expect(await violations(page)).toEqual([]);
});

test('a filter that nothing fits says so', async ({ page }) => {
  await page.goto('./scenarios.html?words=no-run-has-this-word');
  await expect(cards(page)).toHaveCount(0);
  await expect(count(page)).toHaveText('No run fits. Remove a filter.');
});

test('a run that was opened leaves the list of those not yet opened', async ({ page, watchglass }) => {
  await page.goto('./scenarios.html?fresh=on');
  const before = await cards(page).count();
  await watchglass.open('?lesson=L04');
  await watchglass.open('?scenario=cache/compaction_passes_the_cache');
  await page.goto('./scenarios.html?fresh=on');
  await expect.poll(() => cards(page).count()).toBe(before - 2);
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('the list is whole and has no filters', async ({ page }) => {
    await page.goto('./scenarios.html');
    await expect(page.locator('#catalogue')).toBeHidden();
    expect(await cards(page).count()).toBeGreaterThan(200);
  });
});
