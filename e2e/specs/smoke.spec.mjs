// The page starts: under a sub-path, with a strict Content-Security-Policy, without any error.
import { expect, test } from '../fixtures.mjs';

test('the page starts under a sub-path with a strict policy and no errors', async ({ page, baseURL, watchglass }) => {
  expect(new URL(baseURL).pathname, 'the tests serve the page under a sub-path').not.toBe('/');
  const response = await watchglass.open();
  const policy = response.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
  expect(policy).not.toContain('unsafe-inline');
  await expect(page).toHaveTitle('One key, two lives · Watchglass');
  await expect(page.locator('.wg-boot')).toHaveCount(0);
  expect(watchglass.complaints).toEqual([]);
});

test('the page requests nothing outside of its own folder', async ({ page, baseURL, watchglass }) => {
  const strangers = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(baseURL) && !/^(data|blob):/.test(url)) strangers.push(url);
  });
  await watchglass.open();
  expect(strangers).toEqual([]);
});

test('a sideways swipe over a picture opens no other page', async ({ page }) => {
  for (const address of ['./?scenario=empty', 'embed.html?scenario=two-generations']) {
    await page.goto(address);
    // Each browser has its own threshold for a swipe; with this setting no swipe leaves the page.
    const beyond = () => page.evaluate(() => getComputedStyle(document.documentElement).overscrollBehaviorX);
    await expect.poll(beyond, address).toBe('none');
  }
});
