// The panels beside the picture: full screen hides them in every view, and each view remembers their sizes.
import { expect, test } from '../fixtures.mjs';

const VIEWS = ['Index', 'Watch', 'Cache', 'Messages', 'Storage', 'Cluster', 'QoS', 'Lab'];
const PANELS = ['.wg-top', '.wg-story-buttons', '.wg-terminal', '.wg-inspector', '.wg-time', '.wg-sheet-tabs'];

for (const [width, height] of [[1280, 720], [800, 450], [390, 844]]) {
  test(`${width}x${height}: in full screen, the picture of every view and the text of the beat fill the window`, async ({ page, watchglass, views, layout }) => {
    await page.setViewportSize({ width, height });
    await watchglass.open('?scenario=slow-client');
    const picture = page.locator('.wg-picture');
    const button = page.getByRole('button', { name: 'Full screen (f)' });
    for (const view of VIEWS) {
      await views.open(view);
      const before = await picture.boundingBox();
      await page.keyboard.press('f');
      for (const panel of PANELS) await expect(page.locator(panel).first(), `${view}: ${panel}`).toBeHidden();
      const box = await picture.boundingBox();
      expect(box.width * box.height, view).toBeGreaterThan(before.width * before.height);
      expect(box.width, view).toBe(width);
      const text = view === 'Lab' ? 0 : (await page.locator('.wg-story').boundingBox()).height;
      expect(text, view).toBeLessThanOrEqual(height / 4);
      expect(box.height, view).toBeGreaterThanOrEqual(height - 46 - text);
      expect(await layout.sideways(), view).toBe(0);
      await expect(button).toHaveAttribute('aria-pressed', 'true');
      await page.keyboard.press('Escape');
      await expect(page.locator('.wg-top')).toBeVisible();
      expect(await picture.boundingBox(), view).toEqual(before);
    }
    await button.click();
    await expect(page.locator('.wg-top')).toBeHidden();
    // The key that focuses the terminal ends full screen, because full screen hides the terminal.
    await page.keyboard.press('/');
    await expect(page.locator('.wg-terminal')).toBeVisible();
  });
}

test('the palette offers full screen, and presenter mode ends full screen', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=slow-client');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('full screen');
  await page.keyboard.press('Enter');
  await expect(page.locator('.wg-time')).toBeHidden();
  await page.keyboard.press('p');
  await expect(page.locator('.wg-beat')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('.wg-time')).toBeVisible();
});

test('each view remembers the sizes of its panels, also on the next visit', async ({ page, watchglass, views, terminal }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?scenario=slow-client');
  await views.inspect('Watch');
  const width = async () => Math.round((await page.locator('.wg-inspector').boundingBox()).width);
  const height = async () => Math.round((await page.locator('.wg-terminal').boundingBox()).height);
  const [narrow, low] = [await width(), 164];
  const edge = page.getByRole('separator', { name: 'Width of the inspector' });
  const box = await edge.boundingBox();
  await page.mouse.move(box.x + 4, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 4 - 100, box.y + 200, { steps: 4 });
  await page.mouse.up();
  expect(await width()).toBe(narrow + 100);
  await terminal.prompt.focus();
  await expect.poll(height).toBe(low);
  await page.getByRole('separator', { name: 'Height of the terminal' }).focus();
  await page.keyboard.press('ArrowUp');
  await expect.poll(height).toBe(low + 24);
  await views.open('Messages');
  expect(await width(), 'a view without a size of its own has the default').toBe(narrow);
  await terminal.prompt.focus();
  await expect.poll(height).toBe(low);
  await edge.focus();
  await page.keyboard.press('ArrowLeft');
  expect(await width()).toBe(narrow + 24);
  await watchglass.open('?scenario=slow-client');
  await views.inspect('Watch');
  expect(await width()).toBe(narrow + 100);
  await terminal.prompt.focus();
  await expect.poll(height).toBe(low + 24);
  await views.open('Messages');
  expect(await width()).toBe(narrow + 24);
});
