// A reader's page: a story shows its text, its picture and its playback; the workbench is one key away.
import { expect, test } from '../fixtures.mjs';

// A first visit, without stored preferences.
test.use({ storageState: { cookies: [], origins: [] } });

const CONTROLS = 'a, button, select, input, [role="slider"], [role="tab"], [role="textbox"]';
const visible = (page) => page.locator(CONTROLS).filter({ visible: true, hasNot: page.locator('.wg-legend *') });
const terminal = (page) => page.locator('.wg-terminal');

test('a story opens with the text, the picture and a few controls', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=slow-client&at=beat:7');
  await expect(page.locator('.wg-beat')).toContainText('The channel is full.');
  await expect(page.locator('.wg-outputs')).toContainText('put /jobs/7 queued');
  await expect(terminal(page)).toBeHidden();
  await expect(page.getByRole('tab')).toHaveCount(0);
  const outside = await visible(page).evaluateAll((all) => all.filter((one) => !one.closest('.wg-view, .wg-beat')).length);
  expect(outside).toBeLessThanOrEqual(9);
  const { width, height } = await page.locator('.wg-picture').boundingBox();
  expect(width * height).toBeGreaterThan(0.55 * 1440 * 900);
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('8 of 12')).toBeVisible();
});

test('the confirmation of a copied link is visible, although there is no bar that shows it', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=slow-client&at=beat:7');
  await page.keyboard.press('c');
  const notice = page.locator('.wg-notice');
  await expect(notice).toBeVisible();
  expect((await notice.boundingBox()).width).toBeGreaterThan(150);
});

test('the workbench is one key away, and is there at the next visit', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=two-generations');
  await page.keyboard.press('w');
  await expect(terminal(page)).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Watch' })).toBeVisible();
  await watchglass.open('?scenario=slow-client');
  await expect(terminal(page)).toBeVisible();
  await page.getByRole('button', { name: 'Workbench' }).click();
  await expect(terminal(page)).toBeHidden();
  await watchglass.open('?scenario=two-generations');
  await expect(page.getByRole('button', { name: 'Next' })).toBeVisible();
  await expect(terminal(page)).toBeHidden();
});

test('a command opens the workbench, which stays for the run and not for the next story', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=two-generations');
  await page.keyboard.press('/');
  await expect(page.locator('#wg-prompt')).toBeFocused();
  await page.keyboard.type('put /key1 mine');
  await page.keyboard.press('Enter');
  await expect(page.locator('.wg-entry').last()).toContainText('OK');
  await expect(page.getByRole('button', { name: 'Workbench' }), 'this run needs it').toBeHidden();
  await watchglass.open('?scenario=slow-client');
  await expect(terminal(page)).toBeHidden();
});

test('lessons and empty stores always have the workbench', async ({ page, watchglass }) => {
  for (const query of ['?scenario=empty', '?lesson=L01']) {
    await watchglass.open(query);
    await expect(terminal(page)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Workbench' })).toBeHidden();
    await page.keyboard.press('w');
    await expect(terminal(page)).toBeVisible();
  }
});

test('in every window, the picture has 280 px, and the reader can go on', async ({ page, watchglass, layout }) => {
  await watchglass.open('?scenario=slow-client&at=beat:7');
  // 640x360 is a window of 1280x720 that is enlarged to 200 %.
  await layout.inEach([[390, 844], [640, 360], [320, 256], [1280, 720]], async () => {
    await expect.poll(() => layout.height('.wg-stage')).toBeGreaterThanOrEqual(280);
    await page.evaluate(() => document.querySelectorAll('*').forEach((part) => part.scrollTo(0, 0)));
    await expect(page.getByRole('button', { name: 'Next' })).toBeInViewport({ ratio: 1 });
    expect(await layout.sideways()).toBe(0);
    const last = page.locator('.wg-outputs, .wg-happened').last();
    await last.scrollIntoViewIfNeeded();
    const [text, buttons] = [await last.boundingBox(), await page.locator('.wg-story-buttons').boundingBox()];
    expect(text.y + text.height, 'the buttons cover no text').toBeLessThanOrEqual(buttons.y + 1);
  });
});
