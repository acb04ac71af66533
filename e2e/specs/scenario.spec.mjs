// The list of what goes wrong with a watch cache, and the runs it opens.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

test('a failure is opened from the list, steps, and says what it broke', async ({ page, watchglass }) => {
  await page.goto('scenarios.html');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: 'An older backup is restored', exact: true }).click();
  await watchglass.ready();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('An older backup is restored');
  await expect(page.getByRole('tab', { name: 'Cache', exact: true })).toHaveAttribute('aria-selected', 'true');
  await page.evaluate(() => window.watchglass.seek({ step: 0 }));
  await expect(page.getByText('No API server yet')).toBeVisible();
  await page.keyboard.press('End');
  await expect(page.getByRole('figure', { name: /^Cache/ })).toContainText('ConsistentList, broken: in step');
  expect(watchglass.complaints).toEqual([]);
});

test('every failure of the list opens', async ({ page, baseURL, watchglass }) => {
  test.setTimeout(180_000);
  await page.goto('scenarios.html');
  const links = await page.locator('main a[href*="scenario="]').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links.length).toBeGreaterThan(10);
  for (const link of links) {
    await page.goto(new URL(link, baseURL).href);
    await watchglass.ready();
    await expect(page.getByRole('heading', { level: 1 }), link).not.toHaveText(/One key, two lives|Sandbox/);
    expect(watchglass.complaints, link).toEqual([]);
  }
});

test('a name that is not there is answered in words', async ({ page }) => {
  await page.goto('?scenario=cache/nothing_of_the_kind');
  await expect(page.getByRole('alert')).toContainText('nothing_of_the_kind');
});
