// Every file that a page needs is missing or does not arrive: the page says so, or works without the file. The files are
// those that the page requests when nothing is wrong.
import { expect, test } from '../fixtures.mjs';

const PAGES = {
  app: './?scenario=two-generations',
  figure: 'embed.html?scenario=two-generations&at=end',
  'start page': './',
};
const LIMIT_MS = 20_000;

// Returns the files that a page requests until it responds, without the page itself.
async function needed(page, watchglass, address) {
  const files = new Set();
  const note = (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(js|css|wasm)$/.test(pathname)) files.add(pathname);
  };
  page.context().on('request', note);
  await page.goto(address);
  await watchglass.ready();
  page.context().off('request', note);
  return [...files];
}

const FATES = {
  missing: (route) => route.fulfill({ status: 404, contentType: 'text/html', body: '<h1>Not Found</h1>' }),
  hanging: () => {},
};

for (const [name, address] of Object.entries(PAGES)) {
  for (const [fate, answer] of Object.entries(FATES)) {
    test(`${name}: a file that is ${fate} is reported`, async ({ page, watchglass }) => {
      test.setTimeout(180_000);
      const files = await needed(page, watchglass, address);
      expect(files.length).toBeGreaterThan(8);
      await page.clock.install();
      for (const file of files) {
        const pattern = `**${file}`;
        await page.context().route(pattern, answer);
        await page.goto(address, { waitUntil: 'commit' });
        const alert = page.getByRole('alert');
        const works = () => page.evaluate(() => window.watchglass?.ready().then(() => true, () => false) ?? false);
        if (file.endsWith('/static/arrivals.js')) {
          await expect.poll(works, { message: file }).toBe(true);
        } else {
          if (fate === 'hanging') {
            await expect.poll(() => page.evaluate(() => performance.getEntriesByType('resource').length)).toBeGreaterThan(3);
            await page.clock.fastForward(LIMIT_MS + 2_000);
          }
          await expect(alert, file).toContainText('then try again', { timeout: 10_000 });
          await expect(alert.getByRole('button', { name: 'Try again' }), file).toBeVisible();
        }
        await page.context().unroute(pattern);
      }
      await page.goto(address);
      await watchglass.ready();
      await expect(page.getByRole('alert')).toHaveCount(0);
    });
  }
}
