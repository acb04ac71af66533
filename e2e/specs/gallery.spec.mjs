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

// Compares the page in both themes, without loading it again.
async function compare({ page, gallery }, name) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await gallery.check(`${name}-${colorScheme}`);
  }
}

for (const [view, scenario, beat, select] of VIEWS) {
  test(`the ${view} view, empty, busy and with a selection`, async ({ page, watchglass, views, gallery }) => {
    const name = view.toLowerCase();
    await holdWorkers(page);
    await watchglass.open('?scenario=empty');
    await views.open(view);
    await compare({ page, gallery }, `${name}-empty`);
    await watchglass.open(`?scenario=${scenario}`);
    await page.evaluate((to) => window.watchglass.seek(to), beat ? { beat } : { step: 1_000_000 });
    await views.open(view);
    await compare({ page, gallery }, `${name}-busy`);
    await select({ page, views });
    await expect(page.locator('.wg-inspector')).toBeVisible();
    // The pointer shows details.
    await page.mouse.move(WINDOW.width / 2, 2);
    await compare({ page, gallery }, `${name}-selected`);
    // Without its engine, each view keeps its last picture below the same message.
    if (view !== 'Index') return;
    await stopEngine(page);
    await expect(page.getByRole('alert')).toBeVisible();
    await compare({ page, gallery }, `${name}-error`);
  });
}

test('the Lab, with a result, with one request in detail, and without its program', async ({ page, watchglass, lab, gallery }) => {
  await holdWorkers(page);
  await watchglass.open('?scenario=empty');
  await lab.open();
  await page.mouse.move(WINDOW.width / 2, 2);
  await compare({ page, gallery }, 'lab-busy');
  await lab.figure.getByRole('button', { name: 'Slowest' }).click();
  await lab.figure.getByRole('heading', { name: 'One request in detail' }).evaluate((node) => node.scrollIntoView());
  await compare({ page, gallery }, 'lab-selected');
  await stopEngine(page);
  const alert = lab.figure.getByRole('alert');
  await alert.evaluate((node) => node.scrollIntoView());
  await compare({ page, gallery }, 'lab-error');
});

// The Storage view has the largest picture of all views: each window lays its parts out differently.
test('the Storage view in windows of three sizes', async ({ page, watchglass, views, gallery, layout }) => {
  await watchglass.open('?scenario=at-a-glance');
  await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
  await views.open('Storage');
  await layout.inEach([[1440, 900], [390, 844], [800, 450]], async (width, height) => {
    await compare({ page, gallery }, `storage-busy-${width}x${height}`);
  });
});

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
