// A link to the current step can be created and opened in a new page; a broken link is refused.
import jsQR from 'jsqr';
import { expect, modelsOf, test } from '../fixtures.mjs';

const digest = (page) => page.evaluate(async () => (await window.watchglass.state()).digest);

test('the button puts the link into the address bar, and a new page with this address opens at the same step', async ({ page, context, watchglass, views }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await watchglass.open();
  await views.exec('put /k 1', 'watch /k as w1', 'put /k 2');
  await views.open('Watch');
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.locator('.wg-notice')).toHaveText(/^Link copied\. The link opens the run at this step\./);
  // The confirmation is beside the button and covers nothing.
  await expect(page.locator('.wg-narration')).toHaveText(/^Link copied/);
  expect((await page.locator('.wg-notice').boundingBox()).width).toBeLessThanOrEqual(1);
  const address = await page.evaluate(() => window.location.href);
  expect(address).toContain('#v4.');
  const before = await digest(page);

  const other = await context.newPage();
  const fresh = modelsOf(other);
  await other.goto(address);
  await fresh.watchglass.ready();
  await expect.poll(() => digest(other)).toBe(before);
  await expect(fresh.views.watcher('w1')).toBeVisible();
  expect(fresh.watchglass.complaints).toEqual([]);
});

test('a published run has a short link to the beat, until a command is added', async ({ page, context, watchglass, views }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await watchglass.open('?scenario=slow-client&at=beat:4&view=messages');
  const copy = async () => {
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect(page.locator('.wg-notice')).toHaveText(/^Link copied/);
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const short = await copy();
  expect(new URL(short).search).toBe('?scenario=slow-client&at=beat:4&view=messages');
  expect(new URL(short).hash).toBe('');
  const before = await digest(page);
  await page.goto('about:blank');
  await page.goto(short);
  await watchglass.ready();
  expect(await digest(page)).toBe(before);
  await views.exec('put /k 1');
  expect(new URL(await copy()).hash).toContain('#v4.');
});

test('the embed code of a step shows the same step as a figure, and its picture without scripts', async ({ browser, page, context, watchglass, views }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await watchglass.open('?scenario=slow-client&at=beat:6&view=watch');
  const copy = async () => {
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('button', { name: 'Copy embed code' }).click();
    await expect(page.locator('.wg-notice')).toHaveText(/^HTML copied/);
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const code = await copy();
  expect(code).toContain('<watch-glass scenario="slow-client" at="beat:6" view="watch">');
  const caption = /<figcaption><a href="([^"]+)">A slow client<\/a>: .{20,}<\/figcaption>/.exec(code);
  expect(new URL(caption[1].replaceAll('&amp;', '&')).search).toBe('?scenario=slow-client&at=beat:6&view=watch');
  await views.exec('put /k 1');
  await copy();
  // The notice of the first copy may still be there.
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('<watch-glass scenario="v4.');
  const host = (one) => one.route('**/host.html', (route) => route.fulfill({ contentType: 'text/html', body: code }));
  await host(page);
  await page.goto('host.html');
  await expect(page.locator('watch-glass')).toContainText('6 of 12');
  const reader = await browser.newContext({ javaScriptEnabled: false });
  const still = await reader.newPage();
  await host(still);
  await still.goto(page.url());
  const picture = still.getByRole('img', { name: /^A slow client: Five more writes/ });
  expect((await picture.boundingBox()).height).toBeGreaterThan(250);
  await expect(picture.getByText('worker', { exact: true }).first()).toBeVisible();
  await reader.close();
});

test('a QR code leads to the step, and a link that is too long for one has a message', async ({ page, watchglass, terminal }) => {
  await watchglass.open('?scenario=slow-client&at=beat:6&view=watch');
  const show = async () => {
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('button', { name: 'Show as QR code' }).click();
  };
  await show();
  const code = page.getByRole('img', { name: 'QR code of the link below' });
  await expect(code).toBeVisible();
  const address = await page.getByRole('dialog').getByRole('link').textContent();
  expect(new URL(address).search).toBe('?scenario=slow-client&at=beat:6&view=watch');
  const { width, height, pixels } = await code.evaluate(async (svg) => {
    const copy = svg.cloneNode(true);
    // The styles of the page are not in a copy.
    copy.querySelector('rect').setAttribute('fill', 'white');
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const image = Object.assign(new Image(400, 400), { src: `data:image/svg+xml,${encodeURIComponent(copy.outerHTML)}` });
    await image.decode();
    const pen = Object.assign(document.createElement('canvas'), { width: 400, height: 400 }).getContext('2d');
    pen.drawImage(image, 0, 0, 400, 400);
    return { width: 400, height: 400, pixels: [...pen.getImageData(0, 0, 400, 400).data] };
  });
  expect(jsQR(Uint8ClampedArray.from(pixels), width, height).data).toBe(address);
  const { x, y, width: wide, height: high } = await code.boundingBox();
  expect(Math.min(wide, high), 'readable from the last row').toBeGreaterThan(500);
  expect(Math.max(x + wide - 1440, y + high - 900)).toBeLessThan(0);
  await page.keyboard.press('Escape');
  // Random bytes, which a link cannot compress.
  const long = await page.evaluate(() => [...crypto.getRandomValues(new Uint8Array(3_000))].map((byte) => byte.toString(36)).join(''));
  await terminal.prompt.focus();
  await page.keyboard.insertText(`put /long ${long}`);
  await page.keyboard.press('Enter');
  await show();
  await expect(page.getByRole('dialog')).toContainText('too long for a QR code');
  expect(watchglass.complaints).toEqual([]);
});

test('a broken link shows a message, and the story stays open', async ({ page, watchglass }) => {
  await watchglass.open('#v1.not-a-link');
  await expect(page.locator('.wg-notice')).toContainText('damaged or incomplete');
  await expect(page.locator('.wg-run-title')).toHaveText('One key, two lives');
  expect(watchglass.complaints).toEqual([]);
});

test('the key c copies the link, too', async ({ page, context, watchglass }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await watchglass.open();
  await page.locator('.wg-run-title').click();
  await page.keyboard.press('c');
  await expect(page.locator('.wg-notice')).toHaveText(/^Link copied\. The link opens the run at this step\./);
});
