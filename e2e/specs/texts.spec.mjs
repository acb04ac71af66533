// The texts of stories, lessons and scenarios: files that the page fetches when a run needs them.
import { expect, test } from '../fixtures.mjs';
import { FATES } from '../models/failing.mjs';

const STORY = '**/scenarios/stories/two-generations.txt';
const LESSON = '**/scenarios/lessons/L04.txt';

// Returns the texts that a page requests, in order.
function asked(page) {
  const names = [];
  page.on('request', (request) => {
    const name = /\/scenarios\/(.+)\.txt$/.exec(new URL(request.url()).pathname);
    if (name) names.push(name[1]);
  });
  return names;
}

test('each start fetches only the text that it shows, without waiting for the programs', async ({ page }) => {
  const names = asked(page);
  for (const [address, name] of [
    ['?app', 'stories/two-generations'],
    ['?scenario=slow-client', 'stories/slow-client'],
    ['?lesson=L04', 'lessons/L04'],
    ['?scenario=cache/compaction_passes_the_cache', 'cache/compaction_passes_the_cache'],
    ['embed.html?scenario=list-and-watch', 'stories/list-and-watch'],
  ]) {
    names.length = 0;
    // Only the requests of the page itself.
    await page.route('**/*.wasm', (route) => route.abort());
    await page.goto(`./${address}`, { waitUntil: 'load' });
    await expect.poll(() => names, { message: address }).toEqual([name]);
    await page.unroute('**/*.wasm');
  }
});

test('a saved run and an empty store need no text', async ({ page, watchglass, terminal }) => {
  const names = asked(page);
  await watchglass.open('?scenario=empty');
  await terminal.run('put /mine 1');
  await watchglass.open('?app');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Sandbox');
  expect(names).toEqual([]);
});

for (const name of ['blocked', 'missing', 'portal']) {
  test(`the text of the story is ${name}: the page shows a message, and Retry helps`, async ({ page, watchglass }) => {
    await page.route(STORY, FATES[name]);
    await page.goto('./?app');
    const alert = page.getByRole('alert');
    await expect(alert).toContainText('The text of this run could not be loaded.');
    await expect(alert).toContainText('then try again');
    await expect(alert.locator('pre'), 'one click away').toBeHidden();
    await page.unroute(STORY);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await watchglass.ready();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('One key, two lives');
    await expect(alert).toHaveCount(0);
  });
}

test('a run with a wrong name leaves nothing to control', async ({ page }) => {
  await page.goto('./?scenario=nope/nothing');
  await expect(page.getByRole('alert')).toContainText('could not be loaded (nope/nothing)');
  await expect(page.locator('.wg-time').filter({ visible: true })).toHaveCount(0);
});

test('a lesson whose text is missing keeps the run, and opens at the second try', async ({ page, watchglass }) => {
  await page.route(LESSON, FATES.portal);
  await watchglass.open('?app');
  await page.keyboard.press('l');
  await page.locator('[data-lesson=L04]').click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('The text of this run could not be loaded.');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('One key, two lives');
  await page.unroute(LESSON);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Two generations of /key1');
});

test('a scenario with a wrong text is reported, and Retry helps', async ({ page, watchglass }) => {
  const pattern = '**/scenarios/cache/*.txt';
  await page.route(pattern, FATES.portal);
  await page.goto('./?scenario=cache/compaction_passes_the_cache');
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('compaction_passes_the_cache');
  await expect(alert).toContainText('could not be loaded');
  await page.unroute(pattern);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await watchglass.ready();
});

test('a figure whose text is missing shows a message', async ({ page, docs }) => {
  await page.route('**/scenarios/stories/slow-client.txt', FATES.missing);
  await docs.open();
  await docs.add('broken', { scenario: 'slow-client', controls: 'full' });
  const alert = docs.frame('broken').getByRole('alert');
  await expect(alert).toContainText('The text of this run could not be loaded.');
  await page.unroute('**/scenarios/stories/slow-client.txt');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(docs.frame('broken').getByRole('figure')).toBeVisible();
});

test('links, scripts and the menu open runs that have a text', async ({ page, watchglass, open }) => {
  const title = page.getByRole('heading', { level: 1 });
  await watchglass.open('?lesson=L02');
  const link = await page.evaluate(() => window.watchglass.permalink());
  await watchglass.open('?scenario=empty');
  await page.evaluate((link) => window.watchglass.load(link), link);
  await expect(title).toContainText('One counter for the whole store');
  await page.evaluate(() => window.watchglass.load('slow-client'));
  await expect(title).toContainText('A slow client');
  await page.evaluate(() => window.watchglass.load('lesson/L04'));
  await expect(title).toContainText('Two generations of /key1');
  await open.choose(/List and watch/);
  await expect(title).toContainText('List and watch');
  expect(watchglass.complaints).toEqual([]);
});

test('the start page shows the same lessons as the list of lessons', async ({ page, watchglass }) => {
  await page.goto('./');
  const cards = await page.locator('.front-card[href^="?lesson"]').evaluateAll((all) => all.map((card) => [
    card.getAttribute('href').slice('?lesson='.length), card.querySelector('b').textContent,
  ]));
  expect(cards.length).toBe(4);
  await watchglass.open('?dialog=lessons');
  for (const [name, title] of cards) {
    await expect(page.locator(`[data-lesson=${name}] b`)).toHaveText(title);
    await expect(page.locator(`[data-lesson=${name}] svg`).first(), 'its goal').toBeVisible();
  }
});
