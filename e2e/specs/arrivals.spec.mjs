// Every file that a page needs is missing or does not arrive: the page says so, or works without the file. The files are
// those that the page requests when nothing is wrong.
import { expect, test } from '../fixtures.mjs';

const PAGES = {
  app: './?scenario=two-generations',
  figure: 'embed.html?scenario=two-generations&at=end',
  'start page': './',
};
// Files whose absence no program notices.
const NAMED = /static\/(boot|start|embed_boot|\w+\.html)\.(js|css)$/;

// Waits until a page responds: until its program does, or until the slider of the start page can be moved.
const responds = (page) => expect.poll(() => page.evaluate(() => (
  window.watchglass ? window.watchglass.ready().then(() => true, () => false)
    : document.querySelector('.front-poster input:not(:disabled)') !== null))).toBe(true);

// Returns the files that a page requests until it responds, without the page itself.
async function needed(page, address) {
  const files = new Set();
  const note = (request) => {
    const { pathname } = new URL(request.url());
    // The start page fetches the app in advance, but works without it.
    const isAdvance = address === './' && /\/(app|worker)(_\w+)?\.\w+$/.test(pathname);
    if (/\.(js|css|wasm)$/.test(pathname) && !isAdvance) files.add(pathname);
  };
  page.context().on('request', note);
  await page.goto(address);
  await responds(page);
  page.context().off('request', note);
  return [...files];
}

const FATES = {
  missing: (route) => route.fulfill({ status: 404, contentType: 'text/html', body: '<h1>Not Found</h1>' }),
  hanging: () => {},
};

for (const [name, address] of Object.entries(PAGES)) {
  for (const [fate, answer] of Object.entries(FATES)) {
    test(`${name}: a file that is ${fate} is reported`, async ({ page, browser }) => {
      test.setTimeout(180_000);
      const files = await needed(page, address);
      expect(files.length).toBeGreaterThan(8);
      // Three pages at a time, since a page mostly waits.
      await Promise.all([0, 1, 2].map(async () => {
        const context = await browser.newContext();
        await shortenLimit(context);
        for (let file = files.pop(); file; file = files.pop()) await check(await context.newPage(), address, file, answer);
        await context.close();
      }));
    });
  }
}

// Shortens the limit of 20 s and the time between two checks.
const shortenLimit = (context) => context.route('**/arrivals.js', async (route) => {
  const script = await (await route.fetch()).text();
  const times = /LIMIT_MS = 20000(.*?)BEAT_MS = 1000/s;
  expect(script).toMatch(times);
  await route.fulfill({ contentType: 'text/javascript', body: script.replace(times, 'LIMIT_MS = 400$1BEAT_MS = 100') });
});

// Opens a page without one file.
async function check(page, address, file, answer) {
  const pattern = `**${file}`;
  await page.context().route(pattern, answer);
  await page.goto(address, { waitUntil: 'commit' });
  if (file.endsWith('/static/arrivals.js')) {
    await responds(page);
  } else {
    const alert = page.getByRole('alert');
    await expect(alert, file).toContainText('then try again', { timeout: 20_000 });
    const [named] = NAMED.exec(file) ?? [];
    if (named) await expect(alert).toContainText(`The file ${named}`);
    await expect(alert.getByRole('button', { name: 'Try again' }), file).toBeVisible();
  }
  await page.context().unroute(pattern);
  await page.close();
}
