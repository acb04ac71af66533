// A gallery of every view in its states, in light and in dark: each picture that differs from its reference is written
// to test-results/gallery, with the differences framed. `cargo xtask browser gallery.spec --update-snapshots` renews
// the references; look at the changed files, and commit only what you can explain.
import { expect, test } from '../fixtures.mjs';
import { holdWorkers, stopEngine } from '../models/failing.mjs';
import { WINDOW, renews } from '../models/gallery.mjs';

const CACHES = 'cache/two_api_servers_and_a_client_that_goes_back_in_time';

// For each view: a run of the site, the beat to show (the last beat if there is none), and a selection.
const VIEWS = [
  ['Index', 'at-a-glance', null, ({ page }) => page.locator('.loom-stage .loom-bead rect').first().click({ force: true })],
  ['Watch', 'slow-client', 6, ({ views }) => views.watch.locator('.watch-watcher').first().click()],
  ['Cache', CACHES, null, ({ views }) => views.cache.locator('.cache-request').last().click({ force: true })],
  ['Messages', 'slow-client', null, async ({ page, views }) => {
    await views.grid.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
  }],
  ['Storage', 'at-a-glance', null, ({ views }) => views.storage.locator('.sto-stage .sto-index').first().click({ force: true })],
  ['Cluster', 'cluster/the_leader_is_cut_off', 5, ({ page }) => page.keyboard.press('i')],
  ['QoS', 'qos/events_above_a_number_are_refused', 3, ({ page }) => page.keyboard.press('i')],
];

test.describe.configure({ mode: 'parallel' });
test.use({ viewport: WINDOW, reducedMotion: 'reduce' });

for (const theme of ['light', 'dark']) {
  for (const [view, scenario, beat, select] of VIEWS) {
    test(`${theme}: the ${view} view, empty, busy, with a selection, and without an engine`, async ({ page, watchglass, views, gallery }) => {
      const name = (state) => `${view.toLowerCase()}-${state}-${theme}`;
      await holdWorkers(page);
      await watchglass.open(`?scenario=empty&theme=${theme}`);
      await views.open(view);
      await gallery.check(name('empty'));
      await watchglass.open(`?scenario=${scenario}&theme=${theme}`);
      await page.evaluate((to) => window.watchglass.seek(to), beat ? { beat } : { step: 1_000_000 });
      await views.open(view);
      await gallery.check(name('busy'));
      await select({ page, views });
      await expect(page.locator('.wg-inspector')).toBeVisible();
      // The pointer shows details.
      await page.mouse.move(WINDOW.width / 2, 2);
      await gallery.check(name('selected'));
      await stopEngine(page);
      await expect(page.getByRole('alert')).toBeVisible();
      await gallery.check(name('error'));
    });
  }

  test(`${theme}: the Lab, with a result, with one request in detail, and without its program`, async ({ page, watchglass, lab, gallery }) => {
    await holdWorkers(page);
    await watchglass.open(`?scenario=empty&theme=${theme}`);
    await lab.open();
    await page.mouse.move(WINDOW.width / 2, 2);
    await gallery.check(`lab-busy-${theme}`);
    await lab.figure.getByRole('button', { name: 'Slowest' }).click();
    await lab.figure.getByRole('heading', { name: 'One request in detail' }).evaluate((node) => node.scrollIntoView());
    await gallery.check(`lab-selected-${theme}`);
    await stopEngine(page);
    const alert = lab.figure.getByRole('alert');
    await alert.evaluate((node) => node.scrollIntoView());
    await gallery.check(`lab-error-${theme}`);
  });
}

// The Storage view has the largest picture of all views: each window lays its parts out differently.
for (const theme of ['light', 'dark']) {
  for (const [width, height] of [[1440, 900], [390, 844], [800, 450]]) {
    test(`${theme}: the Storage view at ${width}x${height}`, async ({ page, watchglass, views, gallery }) => {
      await page.setViewportSize({ width, height });
      await holdWorkers(page);
      await watchglass.open(`?scenario=at-a-glance&theme=${theme}`);
      await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
      await views.open('Storage');
      await gallery.check(`storage-busy-${width}x${height}-${theme}`);
    });
  }
}

test('the comparison finds a panel that moves, and ignores another font', async ({ page, watchglass, views, gallery }) => {
  test.skip(renews(), 'the references are being renewed');
  await watchglass.open('?scenario=slow-client&theme=light');
  await page.evaluate(() => window.watchglass.seek({ beat: 6 }));
  await views.open('Watch');
  await page.evaluate(() => {
    const { style } = document.documentElement;
    style.setProperty('--wg-sans', '"DejaVu Serif", serif');
    style.setProperty('--wg-mono', '"Liberation Mono", monospace');
  });
  expect(await gallery.differs('watch-busy-light'), 'another font').toEqual([]);
  await page.keyboard.press('i');
  expect((await gallery.differs('watch-busy-light')).length, 'a panel opens').toBeGreaterThan(4);
});
