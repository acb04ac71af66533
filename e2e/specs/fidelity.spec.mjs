// The list of simplifications: one text, and a badge on each view that opens the simplifications of the view.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

test('the badge of each view opens the simplifications of that view', async ({ page, watchglass, views }) => {
  await watchglass.open('?scenario=empty');
  const badge = page.locator('.wg-badge');
  const dialog = page.getByRole('dialog', { name: 'How faithful is it?' });
  const topics = { Watch: 'A sync pass', Cache: 'API servers', Messages: 'The network', Storage: 'Commits of the database file', Cluster: 'Raft with several members', QoS: 'QoS, a proposal', Lab: 'The Lab' };
  for (const [view, topic] of Object.entries(topics)) {
    await views.open(view);
    await expect(badge, view).toHaveText('simplified');
    await badge.click();
    await expect(dialog.getByRole('heading', { name: `Simplified in the ${view} view` })).toBeVisible();
    await expect(dialog.locator('dt').filter({ hasText: topic })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  }
  await views.open('Index');
  await expect(badge).toHaveText('modelled');
  expect(watchglass.complaints).toEqual([]);
});

test('the full list has simplifications, differences between versions, and behaviour that matches etcd', async ({ page, watchglass }) => {
  await watchglass.open('?dialog=fidelity');
  const dialog = page.getByRole('dialog', { name: 'How faithful is it?' });
  await expect(dialog.locator('dt').filter({ hasText: 'Raft with one member' })).toBeVisible();
  expect(await dialog.locator('dt').count()).toBeGreaterThan(40);
  await expect(dialog.getByRole('heading', { name: 'Where the versions differ' })).toBeAttached();
  expect(await dialog.getByRole('listitem').count()).toBeGreaterThan(20);
  expect(await violations(page)).toEqual([]);
});
