// The table of contents, and the runs that it opens.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

const links = (page) => page.locator('main a.front-card').evaluateAll((all) => all.map((link) => link.getAttribute('href')));

test('a run opens from the table of contents, can be stepped through, and names broken guarantees', async ({ page, watchglass }) => {
  await page.goto('scenarios.html');
  await page.locator('a.front-card', { has: page.getByText('An older backup is restored', { exact: true }) }).click();
  await watchglass.ready();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('An older backup is restored');
  await expect(page.getByRole('tab', { name: 'Cache', exact: true })).toHaveAttribute('aria-selected', 'true');
  await page.evaluate(() => window.watchglass.seek({ step: 0 }));
  await expect(page.getByText('No API server yet')).toBeVisible();
  await page.keyboard.press('End');
  await expect(page.getByRole('figure', { name: /^Cache/ })).toContainText('ConsistentList, broken: in step');
  expect(watchglass.complaints).toEqual([]);
});

test('every run in the table of contents exists, and one run of each topic opens', async ({ page, baseURL, watchglass }) => {
  test.setTimeout(120_000);
  await page.goto('scenarios.html');
  const all = await links(page);
  expect(all.length).toBeGreaterThan(100);
  const place = (name) => all.findIndex((link) => link.endsWith(name));
  const [first, then] = [place('a_stale_list_runs_a_pod_twice'), place('a_consistent_list_runs_a_pod_once')];
  expect(first, 'the second run builds on the first').toBe(then - 1);
  const folder = await page.evaluate(() => new URL('..', document.querySelector('script[src]').src).href);
  await Promise.all(all.map(async (link) => {
    const address = new URL(link, baseURL).searchParams;
    const name = address.has('lesson') ? `lessons/${address.get('lesson')}` : address.get('scenario');
    const file = name.includes('/') ? name : `stories/${name}`;
    const response = await page.request.get(`${folder}scenarios/${file}.txt`);
    expect(response.status(), file).toBe(200);
  }));
  const topics = page.locator('main section');
  const firsts = await topics.evaluateAll((all) => all.map((topic) => topic.querySelector('a.front-card')?.getAttribute('href')));
  for (const link of firsts.filter(Boolean)) {
    await page.goto(new URL(link, baseURL).href);
    await watchglass.ready();
    await expect(page.getByRole('heading', { level: 1 }), link).not.toHaveText(/Sandbox/);
    await expect(page.getByRole('alert'), link).toHaveCount(0);
    expect(watchglass.complaints, link).toEqual([]);
  }
});

test('the links to the sections are in groups, and each card has a picture', async ({ page }) => {
  await page.goto('scenarios.html');
  const groups = page.locator('.front-jumps > div');
  await expect(groups.locator('b')).toHaveText(['Start', 'etcd', 'Watch cache']);
  const sections = await page.locator('main section').count();
  expect(await groups.getByRole('link').count()).toBe(sections);
  const empty = await page.locator('.front-goal').evaluateAll((pictures) => pictures
    .filter((picture) => !picture.querySelector('text.is-name, path.goal-tomb, rect:not(.goal-past, .goal-ring)'))
    .map((picture) => picture.parentElement.querySelector('b').textContent));
  expect(empty).toEqual([]);
});

for (const [width, height, colorScheme] of [[1440, 900, 'light'], [390, 844, 'dark']]) {
  test(`the table of contents at ${width}x${height}, ${colorScheme}: nothing is cut off`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await page.goto('scenarios.html');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await violations(page)).toEqual([]);
  });
}

test('for an unknown name, the page shows a message and nothing that loads', async ({ page }) => {
  for (const address of ['?scenario=cache/nothing_of_the_kind', 'embed.html?scenario=cache/nothing_of_the_kind']) {
    await page.goto(address);
    await expect(page.getByRole('alert')).toContainText('nothing_of_the_kind');
    await expect(page.getByText('Loading').filter({ visible: true })).toHaveCount(0);
  }
  await page.goto('embed.html?scenario=nothing');
  await expect(page.getByRole('alert')).toContainText('There is no story nothing.');
  await expect(page.getByText('Loading').filter({ visible: true })).toHaveCount(0);
  await page.goto('embed.html?run=nothing');
  await expect(page.getByRole('alert')).toContainText('A figure cannot show a run that a browser saved.');
  await page.goto('?scenario=cache/nothing_of_the_kind');
  await page.getByRole('link', { name: 'All lessons, stories and runs' }).click();
  await expect(page).toHaveURL(/scenarios\.html$/);
  await page.goto('?run=nothing');
  await expect(page.locator('.wg-notice')).toContainText('This browser does not have that run');
  await page.getByRole('button', { name: 'Find another run' }).click();
  await expect(page.getByRole('dialog', { name: 'Find' })).toBeVisible();
});
