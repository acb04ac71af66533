// A visitor of the museum guesses a result, and compares the run with the bug and the run with the fix.
import { expect, test } from '../fixtures.mjs';
import { violationsInThemes } from '../models/axe.mjs';

const BEFORE = '?scenario=museum/etcd_15220&at=beat:4';

test('a guess leads to the result, and the result names the guess', async ({ page, watchglass }) => {
  await watchglass.open(BEFORE);
  const exhibit = page.locator('.wg-exhibit');
  await expect(exhibit).toContainText('With the fix: 3.4.25 and 3.5.8.');
  await expect(exhibit.getByRole('link', { name: 'etcd#15220' }))
    .toHaveAttribute('href', 'https://github.com/etcd-io/etcd/issues/15220');
  const guess = page.getByRole('group', { name: 'Guess before you go on' });
  await expect(guess).toContainText('How many of the five pods');
  await expect(page.locator('.wg-guessed')).toHaveCount(0);
  await guess.getByRole('button', { name: '5', exact: true }).click();
  await expect(page.locator('.wg-guessed')).toHaveText('Your guess: 5. The answer: 3.');
  await expect(page.locator('.wg-beat')).toContainText('The list contains three pods.');
  await expect(guess).toHaveCount(0);
});

test('a button leads to the same beat of the other run, and back', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=museum/etcd_15220&at=beat:5');
  await page.getByRole('link', { name: 'See this with the fix' }).click();
  await expect(page).toHaveURL(/scenario=museum\/etcd_15220_fixed/);
  await expect(page.locator('.wg-beat')).toContainText('The list contains all five pods.');
  await expect(page.locator('.wg-kick')).toContainText('5 of 6');
  await page.getByRole('link', { name: 'See this with the bug' }).click();
  await expect(page.locator('.wg-beat')).toContainText('The list contains three pods.');
  await expect(page.locator('.wg-kick')).toContainText('5 of 6');
});

test('playback pauses at a guess', async ({ page, watchglass, time }) => {
  await watchglass.open('?scenario=museum/etcd_15220');
  await page.getByLabel('Speed').selectOption({ label: '16×' });
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(page.locator('.wg-guess')).toBeVisible({ timeout: 20_000 });
  await expect(time.button(/Play/)).toBeVisible({ timeout: 20_000 });
  await expect(page.locator('.wg-kick')).toContainText('4 of 6');
});

test('the table of contents lists each bug once, with the release that fixed it', async ({ page }) => {
  await page.goto('scenarios.html');
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Museum of real bugs' }) });
  await expect(section.locator('.front-card')).toHaveCount(14);
  await expect(section.locator('.front-card', { hasText: 'etcd#15220: progress' }))
    .toContainText('With the fix: 3.4.25 and 3.5.8.');
});

test('a page shows both runs of each exhibit side by side', async ({ page }) => {
  await page.goto('museum.html#etcd_17529');
  await expect(page.locator('watch-glass')).toHaveCount(28);
  const [broken, fixed] = [0, 1].map((place) => page.locator('#etcd_17529 watch-glass').nth(place));
  await expect(broken.locator('.wg-figure-beat')).toContainText('receives the newest put');
  await expect(fixed.locator('.wg-figure-beat')).toContainText('is canceled with an error');
  const reliable = (figure) => figure.getByRole('button', { name: /^Reliable/ });
  await expect(reliable(broken)).toHaveAccessibleName(/broken/);
  await expect(reliable(fixed)).toHaveAccessibleName(/holds/);
});

test('no violations beside a guess, and on the page of the museum', async ({ page, watchglass }) => {
  await watchglass.open(`${BEFORE}&theme=light`);
  await expect(page.locator('.wg-guess')).toBeVisible();
  expect(await violationsInThemes(page)).toEqual([]);
  await page.locator('.wg-guess button').first().click();
  await expect(page.locator('.wg-guessed')).toBeVisible();
  expect(await violationsInThemes(page)).toEqual([]);
  await page.goto('museum.html');
  await expect(page.locator('watch-glass')).toHaveCount(28);
  expect(await violationsInThemes(page)).toEqual([]);
});
