// The panels beside the picture: each view remembers their sizes.
import { expect, test } from '../fixtures.mjs';

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
