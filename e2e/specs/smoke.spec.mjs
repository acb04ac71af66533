// The page starts: under a sub-path, with a strict Content-Security-Policy, without a single complaint.
import { expect, test } from '../fixtures.mjs';

test('starts under a sub-path with a strict policy and no complaints', async ({ page, baseURL, watchglass }) => {
  expect(new URL(baseURL).pathname, 'the tests serve the page under a sub-path').not.toBe('/');
  const response = await watchglass.open();
  const policy = response.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
  expect(policy).not.toContain('unsafe-inline');
  await expect(page).toHaveTitle('One key, two lives · Watchglass');
  await expect(page.locator('.wg-boot')).toHaveCount(0);
  expect(watchglass.complaints).toEqual([]);
});

test('asks for nothing outside of its own folder', async ({ page, baseURL, watchglass }) => {
  const strangers = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(baseURL) && !/^(data|blob):/.test(url)) strangers.push(url);
  });
  await watchglass.open();
  expect(strangers).toEqual([]);
});

test('a swipe sideways over a picture leads to no other page', async ({ page }) => {
  for (const address of ['./?scenario=empty', 'embed.html?scenario=two-generations']) {
    await page.goto(address);
    // A browser decides by its own measure how far is too far; with this it never goes.
    const beyond = () => page.evaluate(() => getComputedStyle(document.documentElement).overscrollBehaviorX);
    await expect.poll(beyond, address).toBe('none');
  }
});
