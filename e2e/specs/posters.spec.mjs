// The content of figures and of the app before their program runs, and if the program never runs.
import { gunzipSync } from 'node:zlib';
import { expect, inOnePage, test } from '../fixtures.mjs';
import { ENGINE, FATES, PROGRAM, WORKER_SCRIPT } from '../models/failing.mjs';
import { texts } from '../models/poster.mjs';

// Delays the page's program until the test releases it.
async function holdProgram(page) {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route(PROGRAM, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

// One run for each view, and the beats of one story.
const POSTERS = [
  'scenario=two-generations&at=end',
  'scenario=at-a-glance',
  ...[0, 3, 6, 7, 12].map((beat) => `scenario=slow-client&at=beat:${beat}`),
  'scenario=cluster/the_leader_is_cut_off&at=beat:5',
  'scenario=cache/compaction_passes_the_cache&at=beat:6',
  // The focus of this beat is below the lower edge of a narrow figure.
  'scenario=cache/from_a_put_to_a_stale_pod&at=beat:8',
  'scenario=backend/a_range_reads_pages_in_the_order_of_its_keys&at=beat:3',
  'scenario=lease/a_lock_is_a_key_with_a_lease&at=beat:4',
  'scenario=qos/alice_and_bob_get_ten_requests_per_second_each&at=beat:4',
];

for (const query of POSTERS) {
  inOnePage(`the program draws the same figure as the poster: ${query}`, async ({ page, layout }) => {
    const windows = [800, 680, 560, 358, 320].map((width) => [width, 450]);
    const release = await holdProgram(page);
    const poster = page.locator('#poster[role=img]');
    const drawn = new Map();
    await layout.inEach(windows, async (width) => {
      await page.goto(`embed.html?${query}`);
      await expect(poster).toBeVisible();
      drawn.set(width, await texts(poster));
      expect(drawn.get(width).length).toBeGreaterThan(6);
    });
    release();
    await expect(poster).toBeHidden();
    await layout.inEach(windows.reverse(), async (width) => {
      await expect.poll(() => texts(page.locator('#app'))).toEqual(drawn.get(width));
    });
  });
}

test('a poster never shows another step: without a poster for the step, the figure shows its title and an empty frame', async ({ page }) => {
  const release = await holdProgram(page);
  for (const [query, title] of [
    ['scenario=slow-client&at=step:14', 'A slow client'],
    ['scenario=slow-client&at=beat:7&view=cluster', 'A slow client'],
    ['scenario=empty', 'Watchglass'],
  ]) {
    await page.goto(`embed.html?${query}`);
    await expect(page.getByRole('heading', { level: 1 }), query).toHaveText(title);
    await expect(page.locator('#poster .wg-skeleton'), query).toBeVisible();
    await expect(page.locator('#poster .loom-svg'), query).toHaveCount(0);
  }
  release();
  await expect(page.locator('#app .wg-figure')).toBeVisible();
  await expect(page.locator('#poster')).toBeHidden();
});

for (const [file, pattern] of [['program', PROGRAM], ['engine', ENGINE], ['worker script', WORKER_SCRIPT]]) {
  for (const [name, fate] of Object.entries(FATES)) {
    // The first half of a script is often a valid script, so a truncated worker script is not tested.
    if (file === 'worker script' && name === 'truncated') continue;
    inOnePage(`the ${file} is ${name}: the poster stays, a message appears, and Retry helps`, async ({ page, watchglass }) => {
      await page.route(pattern, fate);
      await page.goto('embed.html?scenario=two-generations&at=end');
      const alert = page.getByRole('alert');
      await expect(alert).toContainText('The simulator could not be loaded.');
      const poster = page.locator('#poster[role=img]');
      await expect(poster).toBeVisible();
      const [above, below] = [await poster.locator('.loom-lane-name, .loom-svg text').first().boundingBox(), await alert.boundingBox()];
      expect(above.y + above.height, 'the picture can still be seen').toBeLessThan(below.y);
      await page.unroute(pattern);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await watchglass.ready();
      await expect(poster).toBeHidden();
      await expect(page.getByRole('figure', { name: /^Index/ })).toBeVisible();
    });
  }
}

test('a poster has the colours of its theme', async ({ page }) => {
  await page.route(PROGRAM, FATES.blocked);
  const colours = [];
  for (const theme of ['light', 'dark', 'projector']) {
    await page.goto(`embed.html?scenario=two-generations&at=end&theme=${theme}`);
    const bead = page.locator('#poster .loom-svg .live').first();
    await expect(bead).toBeVisible();
    colours.push(await page.evaluate(() => getComputedStyle(document.querySelector('#poster .wg-figure')).backgroundColor
      + getComputedStyle(document.querySelector('#poster .loom-svg .live rect, #poster .loom-svg rect.live')).fill));
  }
  expect(new Set(colours).size).toBe(3);
});

// The regions of the app, for their positions.
const REGIONS = ['.wg-top', '.wg-story', '.wg-stage', '.wg-tabs', '.wg-terminal', '.wg-inspector', '.wg-time', '.wg-sheet-tabs'];
const regions = (page) => page.evaluate((names) => names.map((name) => {
  const seen = [...document.querySelectorAll(`#app ${name}`)].filter((part) => part.checkVisibility());
  return [name, ...seen.map((part) => {
    const { x, y, width, bottom } = part.getBoundingClientRect();
    // A reader's page may go on below the window, where nobody sees it move.
    return [x, y, width, Math.min(bottom, innerHeight) - y].map(Math.round).join(' ');
  })];
}), REGIONS);

// Each kind of page in a wide window and on a phone; the windows between them have the same rules as one of the two.
const [WIDE, LAPTOP, LOW, PHONE] = [[1440, 900], [1280, 720], [800, 450], [390, 844]];
const FRAMES = [
  ['?app', '', [WIDE, PHONE]],
  ['?scenario=slow-client', '1 terminal=closed:0', [WIDE, LOW, PHONE]],
  ['?app', '1 terminal=open:300', [LAPTOP]],
  ['?lesson=L04', '', [LAPTOP, LOW, PHONE]],
  ['?scenario=empty', '', [WIDE, PHONE]],
];

for (const [query, prefs, windows] of FRAMES) {
  for (const [width, height] of windows) {
    test(`at ${width}x${height} the app at ${query} ${prefs} is laid out before its program has loaded`, async ({ page, watchglass }) => {
      await page.addInitScript((prefs) => {
        localStorage.setItem('watchglass.1.prefs', prefs);
        window.shift = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) window.shift += value;
        }).observe({ type: 'layout-shift', buffered: true });
      }, prefs);
      const release = await holdProgram(page);
      await page.setViewportSize({ width, height });
      await page.goto(`./${query}`);
      const frame = page.locator('.wg-before').filter({ visible: true });
      await expect(frame).toHaveCount(1);
      const before = await regions(page);
      release();
      await watchglass.ready();
      await expect(frame).toHaveCount(0);
      await expect(page.locator('.wg-picture').getByRole('figure').first()).toBeVisible();
      expect(await regions(page)).toEqual(before);
      expect(await page.evaluate(() => window.shift)).toBeLessThan(0.02);
    });
  }
}

test('without its program, the app keeps its frame and shows a message over it', async ({ page }) => {
  await page.route(PROGRAM, FATES.missing);
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await page.goto('./?lesson=L04');
    const alert = page.getByRole('alert');
    await expect(alert).toContainText('could not be loaded');
    await expect(alert.getByRole('button', { name: 'Try again' })).toBeInViewport();
    await expect(page.locator('.wg-before.is-lesson .wg-stage')).toBeVisible();
    const box = await alert.boundingBox();
    expect(box.height, 'most of the frame can be seen').toBeLessThan(0.3 * height);
  }
});

test('every scenario that an address can name has tapes', async ({ page, baseURL }) => {
  await page.goto('scenarios.html');
  const links = await page.locator('main a').evaluateAll((all) => all.map((link) => new URL(link.href).searchParams.get('scenario')));
  const names = ['two-generations', 'slow-client', 'list-and-watch', 'at-a-glance', ...links.filter(Boolean)];
  expect(names.length).toBeGreaterThan(100);
  await page.goto('embed.html?scenario=empty');
  const folder = await page.evaluate(() => new URL('..', document.querySelector('script[type=module]').src).href);
  expect(folder).toContain(baseURL);
  // The build draws all widths of a run together.
  const tapes = [...[320, 358, 560, 680].map((width) => `${width}/${names[0]}`), ...[...new Set(names)].map((name) => `800/${name}`)];
  await Promise.all(tapes.map(async (tape) => {
    const response = await page.request.get(`${folder}tapes/${tape}.json.gz`);
    expect(response.status(), tape).toBe(200);
    const { title, frames } = JSON.parse(gunzipSync(await response.body()));
    expect(title).not.toBe('');
    expect(frames.length).toBeGreaterThan(1);
  }));
});
