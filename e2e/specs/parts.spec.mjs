// Parts of the page whose code is fetched when the reader first opens them.
import { expect, inOnePage, test } from '../fixtures.mjs';
import { FATES } from '../models/failing.mjs';

// Returns the names of the parts that the page fetches from now on.
function fetchedParts(page) {
  const fetched = [];
  page.on('request', (request) => fetched.push(.../split_(\w+)\.wasm$/.exec(request.url())?.slice(1) ?? []));
  return fetched;
}

test('the code of a view comes with the first such view, and only once', async ({ page, watchglass, views }) => {
  const fetched = fetchedParts(page);
  await watchglass.open();
  await page.evaluate(() => window.watchglass.exec('put /a 1'));
  expect(fetched, 'a run in the Index view needs the page\'s program alone').toEqual([]);
  await views.open('Watch');
  await expect(views.watch).toBeVisible();
  await views.open('Messages');
  await expect(views.messages).toBeVisible();
  expect(fetched).toEqual(['views']);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('put KEY VALUE');
  expect(fetched).toEqual(['views', 'dialogs']);
  expect(watchglass.complaints).toEqual([]);
});

for (const [name, fate] of Object.entries(FATES)) {
  inOnePage(`the code of a view is ${name}: a message is in its place, the run still works, and Try again helps`, async ({ page, watchglass, views }) => {
    await page.route('**/split_views.wasm', fate);
    await watchglass.open();
    await views.open('Watch');
    const alert = page.getByRole('alert');
    await expect(alert).toContainText('This part of the page could not be loaded.');
    const { output } = await page.evaluate(() => window.watchglass.exec('put /a 1'));
    expect(output).toBe('OK\n');
    await views.open('Index');
    await expect(page.locator('.loom'), 'the other parts still work').toBeVisible();
    await expect(alert).toHaveCount(0);
    await views.open('Watch');
    await page.unroute('**/split_views.wasm');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect(views.watch).toBeVisible();
    await expect(alert).toHaveCount(0);
  });
}

test('a view whose code arrives late shows no part that is cut off in presenter mode', async ({ page, watchglass }) => {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route('**/split_views.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?scenario=slow-client&at=beat:6&present');
  await expect(page.locator('.wg-skeleton')).toBeVisible();
  release();
  await expect(page.locator('.wg-view-foot')).toHaveAttribute('data-left-out', /^Not shown: /);
  const scroller = page.locator('.wg-view-scroll');
  await expect.poll(() => scroller.evaluate((view) => view.scrollHeight - view.clientHeight)).toBeLessThan(2);
  expect(watchglass.complaints).toEqual([]);
});

test('a dialog without its code shows the message, and Escape closes it', async ({ page, watchglass }) => {
  await page.route('**/split_dialogs.wasm', FATES.missing);
  await watchglass.open();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('alert')).toContainText('could not be loaded');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('a figure keeps its poster until the code of its view is there, and loads no other part', async ({ page }) => {
  const fetched = fetchedParts(page);
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route('**/split_views.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('./embed.html?scenario=slow-client&view=watch');
  const poster = page.locator('#poster');
  await expect(poster.locator('.wg-picture')).toBeVisible();
  await page.waitForFunction(() => window.watchglass?.ready);
  await page.evaluate(() => window.watchglass.ready());
  await expect(poster, 'no empty frame replaces the poster').toBeVisible();
  await expect(page.locator('#app .is-drawn')).toHaveCount(0);
  release();
  await expect(page.locator('#app .is-drawn')).toHaveCount(1);
  await expect(poster).toBeHidden();
  expect(fetched).toEqual(['views']);
});
