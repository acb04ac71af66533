// The page to read: its figures, guesses, numbers and its slider, also on a phone and without scripts.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

const PAGE = 'put-to-pod.html';
const beat = (page, id) => page.locator(`#${id} .wg-tape > .wg-figure .wg-figure-beat`);

async function drawn(page, id) {
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  await expect(beat(page, id)).toBeVisible();
}

test('each figure shows its beat, and the numbers in the text are those of the figures', async ({ page }) => {
  await page.goto(PAGE);
  const numbers = page.locator('output[data-figure]');
  const before = await numbers.allTextContents();
  expect(before).toEqual(['2', '3']);
  for (const [id, number] of [['write', 2], ['label', 3], ['watch', 5], ['cache', 6], ['behind', 8], ['stale', 8], ['wait', 9], ['end', 11]]) {
    await drawn(page, id);
    await expect(beat(page, id)).toHaveText(new RegExp(`^${number} of 11 `));
  }
  expect(await numbers.allTextContents()).toEqual(before);
  await page.locator('#write').getByRole('button', { name: 'Next', exact: true }).click();
  await expect(numbers.first()).toHaveText('3');
});

test('an answer appears after a guess, and its figure moves on', async ({ page }) => {
  await page.goto(PAGE);
  await drawn(page, 'stale');
  const guess = page.locator('.article-guess[data-figure=stale]');
  const answer = guess.locator('.article-answer');
  await expect(answer).toBeHidden();
  await expect(answer).toBeEmpty();
  await guess.getByRole('button', { name: /fails/ }).click();
  await expect(answer).toHaveText(/^Not this one\. It starts the container/);
  await expect(beat(page, 'stale')).toHaveText(/^9 of 11 /);
  await guess.getByRole('button', { name: /starts a container/ }).click();
  await expect(answer).toHaveText(/^Right\. It starts/);
});

test('the slider runs both lists with its delay', async ({ page }) => {
  await page.goto(PAGE);
  await page.locator('#delay').fill('300');
  await expect(page.locator('#live-text')).toHaveText('With a delay of 300 ms, the list with resource version 0 takes 500 µs and returns 1 pod. '
    + 'The consistent list takes 600.5 ms and returns 2 pods.', { timeout: 30_000 });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });
  test('the page has its text, its answers and the texts of its figures', async ({ page }) => {
    await page.goto(PAGE);
    await expect(page.locator('.article-answer').first()).toBeVisible();
    await expect(page.getByText('The key has two values')).toBeVisible();
  });
});

test('the page fits every window and has no violations of accessibility rules', async ({ page }) => {
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(PAGE);
    for (const id of ['write', 'watch', 'cache', 'end']) await drawn(page, id);
    expect(await violations(page), `${width}`).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), 'nothing is cut off').toBeLessThanOrEqual(width);
  }
});
