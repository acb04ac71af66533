// In the build with the pseudo-language, all letters of the texts below `words/en` have accents. A sentence with plain
// letters bypasses these modules. `cargo xtask pseudo` builds this page and runs these tests.
import { expect, test } from '../fixtures.mjs';
import { plainTexts } from '../models/pseudo.mjs';
import { sample } from '../models/snapshot.mjs';

const CACHES = 'cache/two_api_servers_and_a_client_that_goes_back_in_time';

// For each view: its key, a run that shows it, and the step to show.
const VIEWS = [
  ['Index', '1', 'at-a-glance'],
  ['Watch', '2', 'slow-client'],
  ['Cache', '3', CACHES],
  ['Messages', '4', 'slow-client'],
  ['Storage', '5', 'at-a-glance'],
  ['Cluster', '6', 'cluster/the_leader_is_cut_off'],
  ['QoS', '7', 'qos/events_above_a_number_are_refused'],
  ['Lab', '8', 'empty'],
];

test.describe.configure({ mode: 'parallel' });
test.use({ reducedMotion: 'reduce' });

for (const [view, key, scenario] of VIEWS) {
  test(`${view}: every sentence comes from a module of texts`, async ({ page, watchglass }) => {
    await watchglass.open('?scenario=empty');
    await page.keyboard.press(key);
    expect.soft(await plainTexts(page), 'empty').toEqual([]);
    await watchglass.open(`?scenario=${scenario}`);
    await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
    await page.keyboard.press(key);
    await page.keyboard.press('i');
    await page.evaluate(() => document.querySelectorAll('details').forEach((part) => { part.open = true; }));
    expect.soft(await plainTexts(page), 'busy').toEqual([]);
  });
}

test('a lesson: every sentence comes from a module of texts', async ({ page, watchglass }) => {
  await watchglass.open('?lesson=L01');
  expect.soft(await plainTexts(page)).toEqual([]);
});

for (const key of ['?', 'Control+k']) {
  test(`the dialog that ${key} opens: every sentence comes from a module of texts`, async ({ page, watchglass }) => {
    await watchglass.open('?scenario=empty');
    await page.keyboard.press(key);
    await expect(page.locator('dialog[open]')).toBeVisible();
    expect.soft(await plainTexts(page)).toEqual([]);
  });
}

test('the list of lessons: every sentence comes from a module of texts', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=empty');
  await page.locator('.wg-lessons').click();
  await expect(page.locator('dialog[open] .lesson-cards')).toBeVisible();
  expect.soft(await plainTexts(page)).toEqual([]);
});

test('a database file: every sentence comes from a module of texts', async ({ page, watchglass, snapshot }) => {
  await watchglass.open('?scenario=empty');
  await page.keyboard.press('Control+k');
  await page.locator('.wg-palette-field').fill('śńáṕśĥóť');
  await page.locator('.wg-choice').first().click();
  await snapshot.choose('registry.db', sample());
  await expect(snapshot.dialog.locator('dl')).toBeVisible();
  expect.soft(await plainTexts(page)).toEqual([]);
});

test('a figure: every sentence comes from a module of texts', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}embed.html?scenario=slow-client&at=step:14&view=watch`);
  await expect(page.locator('.wg-view')).toBeVisible();
  expect.soft(await plainTexts(page)).toEqual([]);
});
