// The pages for teachers: worksheets, whose printed pages have no answers beside the questions, and plans.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

test('every lesson has a worksheet with its guesses and tasks, and a chosen one stands alone', async ({ page }) => {
  await page.goto('worksheets.html');
  const sheets = page.locator('.sheet');
  const names = await page.locator('.sheets-head ol a').allTextContents();
  await expect(sheets).toHaveCount(names.length);
  for (const sheet of await sheets.all()) {
    expect(await sheet.locator('.sheet-guess, .sheet-task').count(), await sheet.getAttribute('id')).toBeGreaterThan(1);
    expect(await sheet.locator('aside dt').count()).toBeGreaterThanOrEqual(await sheet.locator('.sheet-guess, .sheet-task').count());
  }
  // After the first transaction of three seats, two have changed at revision 5.
  expect(await page.locator('#L07 > section').first().locator('svg text').allTextContents()).toEqual(expect.arrayContaining(['5', '5']));
  await page.getByRole('link', { name: 'Compaction: what survives' }).click();
  await expect(page.locator('.sheet:visible')).toHaveCount(1);
  const sheet = page.locator('.sheet:visible');
  await expect(sheet).toContainText('Before you run it, my guess:');
  // The answer to the guess is that etcd refuses the read.
  expect(await sheet.locator('> section').allTextContents().then((texts) => texts.join())).not.toContain('etcd refuses reads');
  await expect(sheet.locator('aside')).toContainText('etcd refuses reads');
  expect(await violations(page)).toEqual([]);
});

test('a printed worksheet has its answers on a page of their own', async ({ page }) => {
  await page.goto('worksheets.html#L01');
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.sheets-head')).toBeHidden();
  expect(await page.locator('#L01 aside').evaluate((answers) => getComputedStyle(answers).breakBefore)).toBe('page');
  const pages = (pdf) => pdf.toString('latin1').match(/\/Type \/Page\b/g).length;
  for (const format of ['A4', 'Letter']) expect(pages(await page.pdf({ format }))).toBeLessThanOrEqual(4);
});

test('every address of the plans opens a run, a lesson or a page', async ({ page, request }) => {
  await page.goto('workshop.html');
  const links = await page.locator('main a[href]').evaluateAll((all) => [...new Set(all.map((link) => link.href))]);
  expect(links.length).toBeGreaterThan(20);
  const release = await page.evaluate(() => new URL('..', document.querySelector('script[src*="page.js"]').src).href);
  for (const link of links) {
    const { searchParams, pathname } = new URL(link);
    const [lesson, run] = [searchParams.get('lesson'), searchParams.get('scenario')];
    const file = lesson ? `scenarios/lessons/${lesson}.txt` : `scenarios/${run?.includes('/') ? run : `stories/${run}`}.txt`;
    const address = (lesson || run) && run !== 'empty' ? release + file : new URL(pathname, link).href;
    expect((await request.get(address)).status(), link).toBe(200);
  }
  expect(await violations(page)).toEqual([]);
});

test('the notes in a second window follow the run, move it, and say what comes next', async ({ page, context, watchglass }) => {
  const notes = await context.newPage();
  await notes.goto('notes.html');
  await expect(notes.getByText('No run is open in another window')).toBeVisible();
  await watchglass.open('?scenario=slow-client&at=beat:4&present');
  await expect(notes.locator('#notes-place')).toHaveText('4 of 12');
  await expect(notes.locator('#notes-now')).toContainText('A write notifies the synced watchers');
  await expect(notes.locator('#notes-next pre')).toHaveText('$ pause worker');
  await notes.keyboard.press('PageDown');
  await expect(page.locator('.wg-story')).toContainText('The worker stops reading');
  await expect(notes.locator('#notes-place')).toHaveText('5 of 12');
  // Opened later, the notes show the run that is open already.
  await notes.reload();
  await expect(notes.locator('#notes-place')).toHaveText('5 of 12');
  expect(await violations(notes)).toEqual([]);
  await watchglass.open('?lesson=L08');
  await expect(notes.getByRole('link', { name: 'Its worksheet' })).toHaveAttribute('href', 'worksheets.html#L08');
  expect(watchglass.complaints).toEqual([]);
});
