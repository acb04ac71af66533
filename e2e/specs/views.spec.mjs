// The tabs of the stage: one view at a time, by mouse, arrow keys and numbers, remembered after a reload.
import { expect, test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass }) => {
  await watchglass.open();
});

test('each tab shows its picture and no other', async ({ page, views }) => {
  await expect(views.tabs).toHaveText(['Index', 'Watch', 'Cache', 'Messages', 'Storage', 'Cluster', 'QoS', 'Lab']);
  await expect(views.tab('Index')).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.loom')).toBeVisible();
  await views.open('Watch');
  await expect(views.watch).toBeVisible();
  await expect(page.locator('.loom')).toHaveCount(0);
  await views.open('Messages');
  await expect(views.messages).toBeVisible();
  await expect(views.watch).toHaveCount(0);
  await expect(page.getByRole('tabpanel', { name: 'Messages' })).toBeVisible();
});

test('arrow keys cycle through the tabs, and numbers choose a tab from anywhere', async ({ page, views }) => {
  await views.tab('Index').focus();
  await page.keyboard.press('ArrowRight');
  await expect(views.tab('Watch')).toBeFocused();
  await expect(views.watch).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(views.tab('Lab')).toBeFocused();
  await page.keyboard.press('1');
  await expect(page.locator('.loom')).toBeVisible();
  await page.keyboard.press('2');
  await expect(views.watch).toBeVisible();
  await page.keyboard.press('4');
  await expect(views.messages).toBeVisible();
});

test('a reload keeps the chosen view', async ({ page, watchglass, views }) => {
  await views.open('Watch');
  await page.reload();
  await watchglass.ready();
  await expect(views.watch).toBeVisible();
});

test('the focus stays on its element while time passes', async ({ page, views }) => {
  await views.open('Watch');
  await page.keyboard.press('1');
  await page.locator('.loom-stage').click({ position: { x: 200, y: 60 } });
  await page.keyboard.press('2');
  await page.evaluate(() => window.watchglass.step(1));
  await page.keyboard.press('1');
  await expect(page.locator('.loom')).toBeVisible();
});

test('the position at an earlier step is not cut beside the inspector', async ({ page, views, layout }) => {
  for (const key of ['a', 'b', 'c']) await views.exec(`put /${key} 1`);
  await page.evaluate(() => window.watchglass.step(-2));
  await page.keyboard.press('i');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible();
  await layout.inEach([[1440, 900], [1280, 720], [1024, 768]], async () => {
    const boxes = await page.evaluate(() =>
      ['.wg-tabs', '.wg-past', '.wg-past p', '.wg-past button', '.wg-views'].map((part) => {
        const { top, bottom, left, right } = document.querySelector(part).getBoundingClientRect();
        return { top, bottom, left, right };
      }));
    const [tabs, past, position, button, names] = boxes;
    expect(position.top === position.bottom || (position.top >= tabs.top && position.bottom <= tabs.bottom)).toBe(true);
    expect(button.left).toBeGreaterThanOrEqual(past.left);
    expect(past.left).toBeGreaterThanOrEqual(names.right);
  });
});

test('on a phone, the tabs are reachable, also at an earlier step', async ({ page, views, layout }) => {
  await views.exec('put /a 1');
  await page.evaluate(() => window.watchglass.step(-1));
  await expect(page.locator('.wg-past')).toBeVisible();
  await layout.inEach([[390, 844], [320, 640]], async () => {
    await views.open('Index');
    await views.open('Messages');
    await expect(views.messages).toBeVisible();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await expect(page.getByRole('button', { name: 'Return to the end' })).toBeInViewport({ ratio: 1 });
  });
});
