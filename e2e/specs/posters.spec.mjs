// The content of figures and of the app before their program runs, and if the program never runs.
import { expect, test } from '../fixtures.mjs';
import { ENGINE, FATES, WORKER_SCRIPT } from '../models/failing.mjs';

// Delays the page's program until the test releases it.
async function holdProgram(page, program = '**/embed_bg.wasm') {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route(program, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

// Returns the readable texts of a picture, with their positions.
const texts = (root) => root.locator('h1, .loom-svg text, .loom-strip text, .wg-figure-caption p').evaluateAll((all) => all
  .filter((text) => text.checkVisibility())
  .map((text) => {
    const { x, y } = text.getBoundingClientRect();
    return `${text.textContent} ${Math.round(x)} ${Math.round(y)}`;
  }).sort());

for (const [width, height] of [[800, 450], [390, 450], [320, 450], [520, 450], [640, 450], [1440, 900]]) {
  for (const query of ['scenario=two-generations&at=end', 'scenario=slow-client&at=end', 'scenario=at-a-glance']) {
    test(`at ${width}x${height} ${query} replaces its poster without a jump`, async ({ page }) => {
      const release = await holdProgram(page);
      await page.setViewportSize({ width, height });
      await page.goto(`embed.html?${query}`);
      const poster = page.locator('#poster[role=img]');
      await expect(poster).toBeVisible();
      await expect(poster.locator('.loom-svg').first()).toBeVisible();
      const before = await texts(poster);
      expect(before.length).toBeGreaterThan(6);
      release();
      await expect(poster).toBeHidden();
      await expect.poll(() => texts(page.locator('#app'))).toEqual(before);
    });
  }
}

test('a poster never shows another step: without a poster for the step, the figure shows its title and an empty frame', async ({ page }) => {
  const release = await holdProgram(page);
  for (const [query, title] of [
    ['scenario=slow-client&at=step:14', 'A slow client'],
    ['scenario=slow-client&at=end&view=watch', 'A slow client'],
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

for (const [file, pattern] of [['program', '**/embed_bg.wasm'], ['engine', ENGINE], ['worker script', WORKER_SCRIPT]]) {
  for (const [name, fate] of Object.entries(FATES)) {
    // The first half of a script is often a valid script, so a truncated worker script is not tested.
    if (file === 'worker script' && name === 'truncated') continue;
    test(`the ${file} is ${name}: the poster stays, a message appears, and Retry helps`, async ({ page, watchglass }) => {
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
  await page.route('**/embed_bg.wasm', FATES.blocked);
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

for (const [width, height] of [[1440, 900], [1280, 720], [800, 450], [390, 844]]) {
  for (const [query, prefs] of [['?app', ''], ['?scenario=slow-client', '1 terminal=closed:0'], ['?app', '1 terminal=open:300'], ['?lesson=L04', ''], ['?scenario=empty', '']]) {
    test(`at ${width}x${height} the app at ${query} ${prefs} is laid out before its program has loaded`, async ({ page, watchglass }) => {
      await page.addInitScript((prefs) => {
        localStorage.setItem('watchglass.1.prefs', prefs);
        window.shift = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) window.shift += value;
        }).observe({ type: 'layout-shift', buffered: true });
      }, prefs);
      const release = await holdProgram(page, '**/app_bg.wasm');
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
  await page.route('**/app_bg.wasm', FATES.missing);
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

test('every scenario that an address can name has posters', async ({ page, baseURL }) => {
  await page.goto('scenarios.html');
  const links = await page.locator('main a').evaluateAll((all) => all.map((link) => new URL(link.href).searchParams.get('scenario')));
  const names = ['two-generations', 'slow-client', 'list-and-watch', 'at-a-glance', ...links.filter(Boolean)];
  expect(names.length).toBeGreaterThan(100);
  await page.goto('embed.html?scenario=empty');
  const folder = await page.evaluate(() => new URL('..', document.querySelector('script[type=module]').src).href);
  for (const width of [320, 390, 520, 640, 800, 1440]) {
    for (const name of new Set(names)) {
      const response = await page.request.get(`${folder}posters/${width}/${name}.html`);
      expect(response.status(), `${width} ${name}`).toBe(200);
      expect(await response.text()).toMatch(/^<title>.+<\/title>/);
    }
  }
  expect(folder).toContain(baseURL);
});
