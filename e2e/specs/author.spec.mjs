// The page for authors of lessons: the check names the line of a fault, the preview follows the text, and the finished
// lesson reaches learners as a file, as a link, and by its name on the site.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../fixtures.mjs';
import { violationsInThemes } from '../models/axe.mjs';

const SIZES = [[1440, 900], [1280, 720], [390, 844], [800, 450]];

test('a fault names its line and leads the caret there, and the preview follows the text', async ({ page, watchglass, author, lesson }) => {
  await watchglass.open('?write');
  await expect(author.status).toHaveText('No faults. The lesson passes its check.');
  await expect(lesson.title).toHaveText('Two writes');
  await author.replace('{3 = store.rev}', '{7 = store.rev}');
  await expect(author.faults).toHaveText(['Line 18`store.rev` is 3 here, not 7'.replaceAll('`', '')]);
  await author.place('#! lesson');
  await author.faults.first().click();
  await expect(author.field).toBeFocused();
  expect(await author.caret()).toBe(18);
  await author.replace('{7 = store.rev}', '{3 = store.rev}');
  await expect(author.status).toHaveText('No faults. The lesson passes its check.');
  // A text that is no lesson leaves the preview as it is.
  await author.replace('#: step Two writes', '#: stop Two writes');
  await expect(author.faults.first()).toContainText('Line 8a lesson cannot contain #: stop');
  await expect(author.status).toContainText('The preview shows an earlier text.');
  await expect(lesson.title).toHaveText('Two writes');
  await author.replace('#: stop Two writes', '#: step Two puts');
  await expect(lesson.title).toHaveText('Two puts');
  // The preview shows the part at the caret, after the commands of the parts before.
  await author.place('#: want');
  await expect(lesson.title).toHaveText('Bring the key back');
  expect(await lesson.holds()).toEqual([false, false]);
  expect(await page.evaluate(() => window.watchglass.exec('put /key1 again').then(({ exit }) => exit))).toBe(0);
  await expect.poll(() => lesson.holds()).toEqual([true, true]);
  expect(new URL(page.url()).search).toBe('?write');
  expect(watchglass.complaints).toEqual([]);
});

test('the check reports an endless command as a fault, and the author can go on typing', async ({ watchglass, author, lesson }) => {
  await watchglass.open('?write');
  await expect(lesson.title).toHaveText('Two writes');
  await author.replace('put /key1 value1', 'for i in {1..30000}; do put /k x; done');
  await expect(author.faults.last()).toContainText('takes more than 20000 steps', { timeout: 20_000 });
  await author.replace('for i in {1..30000}; do put /k x; done', 'put /key1 value1');
  await expect(author.status).toHaveText('No faults. The lesson passes its check.');
});

test('a reload keeps the draft, which can be downloaded', async ({ page, watchglass, author, lesson }) => {
  await watchglass.open('?write');
  await author.replace('T01', 'team-7');
  await author.replace('Two writes', 'Two puts');
  await page.reload();
  await watchglass.ready();
  await expect(lesson.title).toHaveText('Two puts');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    author.editor.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('team-7.txt');
  expect(await readFile(await download.path(), 'utf8')).toBe(await author.field.inputValue());
  await expect(author.editor).toContainText('give learners the address ?lesson=team-7');
  // A file replaces the draft, and the author can undo that.
  const file = (text) => ({ name: 'T02.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });
  const before = await author.field.inputValue();
  const after = before.replaceAll('Two puts', 'Two rows');
  await author.file.setInputFiles(file(`\ufeff${after.replaceAll('\n', '\r\n')}`));
  await expect(page.getByText('T02.txt is open.').first()).toBeVisible();
  await expect(author.field).toHaveValue(after);
  await expect(author.field).toBeFocused();
  await expect(lesson.title).toHaveText('Two rows');
  await page.keyboard.press('Control+z');
  await expect(author.field).toHaveValue(before);
  for (const wrong of [Buffer.from([0xff, 0xfe, 0x00]), '', `#! lesson: T02\0`, 'x'.repeat(200_001)]) {
    await author.file.setInputFiles(file(wrong));
    await expect(page.getByText('T02.txt cannot be opened.').first()).toBeVisible();
    await expect(author.field).toHaveValue(before);
  }
  // Two tabs write the same draft.
  const other = await page.context().newPage();
  await other.goto('LICENSES.txt');
  await other.evaluate(() => localStorage.setItem('watchglass.1.lesson-draft', 'another text'));
  await other.close();
  await expect(author.editor.getByRole('alert')).toContainText('Another tab has changed the draft.');
  // The draft is no run of a learner.
  await page.goto('./?dialog=runs');
  await watchglass.ready();
  await expect(page.getByRole('dialog', { name: 'Your runs' })).not.toContainText('A delete is a write');
});

test('a link opens the lesson as learners see it', async ({ page, context, watchglass, author, lesson }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await watchglass.open('?write');
  await author.replace('A delete is a write', 'A lesson of my own');
  await expect(author.copy).toBeEnabled();
  await author.copy.click();
  await expect(page.locator('.wg-notices')).toContainText('Link copied.');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto(link);
  await watchglass.ready();
  await expect(lesson.title).toHaveText('Two writes');
  await expect(page.locator('.wg-run-title')).toContainText('A lesson of my own');
  await expect(author.editor).toHaveCount(0);
  await lesson.goTo('Bring the key back');
  await page.evaluate(() => window.watchglass.exec('put /key1 again'));
  await expect(lesson.rail.locator('.lesson-end')).toBeVisible();
  await expect(lesson.rail).not.toContainText('another key');
  expect(watchglass.complaints).toEqual([]);
});

test('a lesson beside the start page opens by its name, and another name lists the lessons', async ({ page, watchglass, author, lesson }) => {
  await watchglass.open('?write');
  const text = (await author.field.inputValue()).replaceAll('T01', 'team-7').replace('Two writes', 'Published');
  await page.route('**/lessons/team-7.txt', (route) => (
    route.request().url().includes('/scenarios/') ? route.fulfill({ status: 404 }) : route.fulfill({ body: text })));
  await watchglass.open('?lesson=team-7');
  await expect(lesson.title).toHaveText('Published');
  await page.route('**/lessons/team-8.txt', (route) => route.fulfill({ status: 404 }));
  await watchglass.open('?lesson=team-8');
  await expect(page.locator('.wg-notices')).toContainText('There is no lesson team-8. The lessons are L01, L02,');
});

test('the palette and the list of lessons lead to the page, which fits each window and has no violations', async ({ page, watchglass, author, lesson, layout }) => {
  await watchglass.open('?dialog=lessons&theme=light');
  await page.getByRole('dialog', { name: 'Lessons' }).getByRole('link', { name: 'Write a lesson' }).click();
  await watchglass.ready();
  await expect(lesson.title).toHaveText('Two writes');
  // Tab leaves the text.
  await author.field.focus();
  await page.keyboard.press('Tab');
  await expect(author.field).not.toBeFocused();
  await author.replace('{3 = store.rev}', '{7 = store.rev}');
  await expect(author.faults).toHaveCount(1);
  await author.editor.getByText('The format of a lesson').click();
  await layout.inEach(SIZES, async (width) => {
    await expect.poll(() => layout.sideways()).toBe(0);
    for (const part of [author.field, author.faults.first(), lesson.title, page.locator('.wg-picture')]) {
      await part.scrollIntoViewIfNeeded();
      const box = await part.boundingBox();
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
    expect(await violationsInThemes(page)).toEqual([]);
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.insertText('write a lesson');
  await expect(page.getByRole('option').first()).toContainText('Write a lesson…');
});
