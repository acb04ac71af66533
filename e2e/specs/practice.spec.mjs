// Practice from the view of a learner: a question without its answer on the page, the result and the reason, a round of
// ten, and results that a reload keeps.
import { expect, test } from '../fixtures.mjs';
import { violationsInThemes } from '../models/axe.mjs';

test('a round of ten by keyboard ends with a summary, which a reload keeps', async ({ page, watchglass, practice }) => {
  await watchglass.open('?practice');
  const results = [];
  for (let number = 1; number <= 10; number += 1) {
    await expect(practice.position).toContainText(`Practice ${number} of 10`);
    // The picture, the terminal and the timeline would show the answer.
    for (const part of ['.wg-stage', '.wg-terminal', '.wg-time']) await expect(page.locator(part)).toBeHidden();
    const title = await practice.title.textContent();
    const isRight = await practice.answer();
    results.push(isRight);
    await expect(page.locator('.wg-stage')).toBeVisible();
    await expect(practice.spoken).toContainText('The answer is');
    // A wrong answer has a reason of its own; the last paragraph explains the right answer.
    await expect(practice.verdict.locator('p')).toHaveCount(isRight ? 0 : 2);
    await expect(practice.panel.locator('.lesson-say').last()).not.toBeEmpty();
    await page.keyboard.press('Enter');
    if (number < 10) await expect(practice.title).not.toHaveText(title);
    if (number === 3) {
      await expect(practice.choices.first()).toBeVisible();
      await page.reload();
      await watchglass.ready();
    }
  }
  const right = results.filter(Boolean).length;
  expect(right, 'the first choices are not all right or all wrong').toBeGreaterThan(0);
  expect(right).toBeLessThan(10);
  await expect(practice.title).toHaveText(`${right} of 10 right`);
  await expect(practice.panel).toContainText('These topics come again tomorrow:');
  await page.reload();
  await watchglass.ready();
  await expect(practice.title).toHaveText(`${right} of 10 right`);
  expect(new URL(page.url()).search, 'no entry of the history for each exercise').toContain('?practice');
  await page.keyboard.press('Enter');
  await expect(practice.position).toContainText('Practice 1 of 10');
  expect(watchglass.complaints).toEqual([]);
});

test('a link opens the same exercise each time, and only the first answer counts', async ({ page, watchglass, practice }) => {
  await watchglass.open('?practice=version-0');
  const question = await practice.panel.locator('.lesson-say').textContent();
  const isRight = await practice.answer();
  const actual = (await practice.spoken.textContent()).split('The answer is ')[1];
  const segments = practice.panel.locator('.wg-segments .is-on');
  await expect(segments).toHaveCount(1);
  await page.reload();
  await watchglass.ready();
  await expect(practice.panel.locator('.lesson-say')).toHaveText(question);
  await practice.choices.filter({ hasText: actual }).click();
  await expect(practice.verdict).toHaveClass(/is-right/);
  await expect(segments).toHaveCount(1);
  await expect(segments).toHaveClass(isRight ? 'is-on' : 'is-on is-wrong');
  await practice.main.click();
  await expect(practice.position).toContainText('Practice 2 of 10');
});

test('the start page and the list of lessons lead to practice', async ({ page, watchglass, practice }) => {
  await page.goto('./');
  await page.getByRole('link', { name: 'ten questions a day' }).click();
  await watchglass.ready();
  await expect(practice.choices.first()).toBeVisible();
  await page.goto('./?dialog=lessons');
  await watchglass.ready();
  await page.getByRole('dialog', { name: 'Lessons' }).getByRole('button', { name: 'Practice' }).click();
  await expect(practice.choices.first()).toBeVisible();
});

test('a phone has room for an exercise, and axe finds nothing', async ({ page, watchglass, practice }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await watchglass.open('?practice&theme=light');
  await expect(practice.choices.first()).toBeVisible();
  const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(await isWide()).toBe(false);
  for (const choice of await practice.choices.all()) {
    const { x, width, height } = await choice.boundingBox();
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(390);
    expect(height).toBeGreaterThanOrEqual(40);
  }
  expect(await violationsInThemes(page), 'a question').toEqual([]);
  await practice.choices.first().click();
  await expect(practice.verdict).toBeVisible();
  expect(await isWide()).toBe(false);
  expect(await violationsInThemes(page), 'a result').toEqual([]);
});
