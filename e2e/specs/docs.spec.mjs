// The example sites of the adapters in `integrations`, and the pages of `examples/etcd-docs`, as their real tools built
// them. `cargo xtask docs` names the built sites in WG_DOCS.
import { expect, test } from '../fixtures.mjs';

// The sizes of the pictures of etcd.io, in kB: its diagrams are PNG files of up to 330 kB.
const PICTURE_KB = 330;
// The pages of etcd-docs, and the picture of etcd.io with the same subject.
const REPLACED = {
  'data-model': 'a page without a picture',
  watch: 'the recording of "How to watch keys", a GIF of 2016',
  lease: 'the recording of "Granting and revoking leases", a GIF of 2016',
  compaction: 'a page without a picture',
  snapshot: 'the recording of "How to save the database", a GIF of 2016',
  members: 'a recording, a GIF of 2016, and the diagrams of "Learner", PNG files',
};
const PAGES = {
  mdbook: ['slow-client.html'],
  hugo: [''],
  sphinx: ['', 'markdown.html'],
  docusaurus: [''],
  'etcd-docs': Object.keys(REPLACED).map((name) => `${name}/`),
};
const built = (process.env.WG_DOCS ?? '').split(' ').filter(Boolean);

const addressOf = (baseURL, site, page) => new URL(`../${site}/${page}`, baseURL).href;

async function showFigures(page) {
  for (const figure of await page.locator('watch-glass').all()) {
    await figure.scrollIntoViewIfNeeded();
    await expect(figure.locator('.wg-tape .wg-figure-beat, .wg-tape .wg-figure-caption').first()).toBeVisible();
    await expect(figure.locator('iframe')).toHaveCount(0);
  }
}

for (const site of built) {
  test.describe(site, () => {
    test('without JavaScript, the text and the commands of each beat are visible', async ({ browser, baseURL }) => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      for (const name of PAGES[site]) {
        await page.goto(addressOf(baseURL, site, name));
        const figures = await page.locator('watch-glass').all();
        expect(figures.length).toBeGreaterThan(1);
        for (const figure of figures) {
          await expect(figure.locator('p')).toBeVisible();
          await expect(figure.locator('pre').first()).toContainText('$ ');
          await expect(figure.locator('figcaption')).toBeVisible();
        }
        const loaders = page.locator('script[src*="watchglass/watch-glass.js"]');
        await expect(loaders).toHaveCount(1);
      }
      await context.close();
    });

    for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
      test(`with JavaScript, each figure is a tape, from this site only, ${viewport.width} pixels wide`, async ({ page, baseURL }) => {
        await page.setViewportSize(viewport);
        const complaints = [];
        page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
        page.on('pageerror', (error) => complaints.push(error.message));
        page.on('request', (request) => {
          const { origin, protocol } = new URL(request.url());
          if (protocol !== 'data:' && origin !== new URL(baseURL).origin) complaints.push(request.url());
        });
        for (const name of PAGES[site]) {
          await page.goto(addressOf(baseURL, site, name));
          await showFigures(page);
          expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(viewport.width);
        }
        expect(complaints).toEqual([]);
      });
    }
  });
}

test('no page of etcd-docs is heavier than one picture of etcd.io', async ({ browser, baseURL }) => {
  test.skip(!built.includes('etcd-docs'), '`cargo xtask docs` builds the pages');
  for (const [name, replaced] of Object.entries(REPLACED)) {
    // A first visit: nothing is in the cache.
    const context = await browser.newContext();
    const page = await context.newPage();
    const responses = [];
    page.on('response', (response) => { if (response.url().includes('/watchglass/')) responses.push(response); });
    await page.goto(addressOf(baseURL, 'etcd-docs', `${name}/`));
    await showFigures(page);
    await page.waitForLoadState('networkidle');
    const sizes = await Promise.all(responses.map(async (response) => (await response.request().sizes()).responseBodySize));
    const kb = sizes.reduce((sum, size) => sum + size, 0) / 1000;
    const figures = await page.locator('watch-glass').count();
    console.log(`${name}: ${kb.toFixed(1)} kB for ${figures} figures; on etcd.io: ${replaced}`);
    // The loader, the player, its style and a tape.
    expect(responses.length).toBeGreaterThan(figures);
    expect(kb, name).toBeLessThan(PICTURE_KB);
    await context.close();
  }
});
