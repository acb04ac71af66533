// The start page: its first picture, its links, and the message in a browser without a required feature.
import { expect, inOnePage, test } from '../fixtures.mjs';
import { violations, violationsInThemes } from '../models/axe.mjs';
import { FATES } from '../models/failing.mjs';
import { sample } from '../models/snapshot.mjs';

// The figure in the layout for the window.
const shown = (page) => page.locator('.front-poster').filter({ visible: true });
const TAPES = '**/tapes/front/*';

test('an address without a query opens the start page, and its slider moves a real read without the simulator', async ({ page, watchglass }) => {
  const programs = [];
  page.on('request', (request) => {
    if (/\.wasm$/.test(request.url()) && request.headers()['sec-purpose'] !== 'prefetch') programs.push(request.url());
  });
  await page.goto('./');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/See what etcd remembers/);
  const read = page.getByRole('slider', { name: 'read at revision' });
  const says = shown(page).locator('.front-scrub p');
  await expect(read).toBeEnabled();
  await expect(says).toHaveText('revision 12: web-1 Failed, web-2 Running, web-3 not created');
  await read.focus();
  for (const [key, words] of [
    ['Home', 'revision 8: web-1 Running, web-2 Pending, web-3 not created'],
    ['ArrowRight', 'revision 9: web-1 Running, web-2 Running, web-3 not created'],
    ['End', 'revision 23: web-1 Running, web-2 deleted, web-3 Running'],
  ]) {
    await page.keyboard.press(key);
    await expect(says).toHaveText(words);
  }
  await expect(shown(page).getByRole('img')).toHaveAccessibleName(/--rev=23 found 4 keys/);
  expect(programs).toEqual([]);
  expect(page.workers()).toHaveLength(0);
  expect(watchglass.complaints).toEqual([]);
  expect(await page.evaluate(() => Object.keys(localStorage)), 'nothing is stored').toEqual(['watchglass.1.prefs']);

  // The same read in the simulator.
  await watchglass.open('?scenario=at-a-glance&at=end');
  const answer = await page.evaluate(() => window.watchglass.exec('get /registry/pods/ --prefix --rev=23'));
  expect(answer.output).toBe('/registry/pods/default/web-1\nRunning\n/registry/pods/default/web-3\nRunning\n');
});

test('Ctrl+K on any page opens the palette of the app, and Escape leads back to that page', async ({ page, watchglass }) => {
  const field = page.getByRole('combobox', { name: 'Find a lesson' });
  const opened = async (address) => {
    await page.goto(address);
    await expect(page.getByRole('link', { name: 'Search Ctrl K' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await watchglass.ready();
    await expect(field).toBeFocused();
  };
  for (const address of ['./', './scenarios.html', './museum.html']) {
    await opened(address);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('link', { name: 'Search Ctrl K' })).toBeVisible();
    expect(new URL(page.url()).search, address).toBe('');
  }

  // After a choice, the reader stays in the app, also after the next Escape.
  await opened('./');
  await page.keyboard.type('keys are');
  await expect(page.locator('.wg-choice[aria-selected="true"]')).toContainText('Keys are bytes');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Keys are bytes');
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Keys are bytes');

  // A typed address has no page to return to.
  await watchglass.open('?dialog=palette');
  await expect(field).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.locator('#wg-prompt')).toBeVisible();
});

test('the start page leads to the field for a transcript of a terminal', async ({ page }) => {
  await page.goto('./');
  await page.getByRole('link', { name: 'Paste a transcript of your terminal' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('$ etcdctl put /a 1\nOK\n');
  await dialog.getByRole('button', { name: 'Run it', exact: true }).click();
  await expect(page.getByRole('log')).toContainText('put /a 1');
});

test('the theme button of the start page and of the table of contents changes the theme, also of later pages', async ({ page, watchglass }) => {
  const theme = () => page.locator('html').getAttribute('data-theme');
  await page.goto('./scenarios.html');
  await page.getByRole('button', { name: 'Dark colours' }).click();
  expect(await theme()).toBe('dark');
  await page.goto('./');
  expect(await theme()).toBe('dark');
  await page.getByRole('button', { name: 'Light colours' }).click();
  expect(await theme()).toBe('light');
  await watchglass.open('?scenario=empty');
  expect(await theme()).toBe('light');
});

test('the link to the last run stays in its column', async ({ page }) => {
  for (const title of ['Two generations of /key1', 'Sandbox']) {
    await page.goto('./');
    await page.evaluate((title) => localStorage.setItem('watchglass.2.last.run', `x\n${title}`), title);
    await page.reload();
    const link = page.getByRole('link', { name: `Continue where you were: ${title}` });
    await expect(link).toBeVisible();
    const [box, figure] = [await link.boundingBox(), await page.locator('#front-figure').boundingBox()];
    expect(box.x + box.width, title).toBeLessThan(figure.x);
    const runs = page.getByRole('link', { name: 'Your runs' });
    expect((await runs.boundingBox()).height, title).toBeLessThan(40);
  }
});

test('the start page can be read before any program runs', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL });
  const page = await context.newPage();
  await page.goto('./');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Play the story' })).toBeVisible();
  const poster = page.getByRole('img', { name: /At revision 23, the index contains 5 keys/ });
  await expect(poster).toBeVisible();
  const lessons = page.locator('.front-card[href^="?lesson="]');
  for (const card of await lessons.all()) await expect(card.locator('.lesson-goal-picture')).toBeVisible();
  expect(await lessons.count()).toBeGreaterThan(3);
  await expect(page.locator('.front-poster .front-scrub p').filter({ visible: true })).toHaveText(
    'revision 12: web-1 Failed, web-2 Running, web-3 not created',
  );
  // A browser whose scripts are disabled by the test still parses `noscript` as if scripts ran, so the test checks the
  // text.
  expect(await page.content()).toMatch(/<noscript>[^]*Switch JavaScript on for this site/);
  await context.close();
});

for (const [width, height] of [[1440, 900], [1280, 720], [960, 700], [800, 450], [390, 844]]) {
  test(`at ${width}x${height} the slider is connected without a jump`, async ({ page }) => {
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    await page.route(TAPES, async (route) => {
      await held;
      await route.continue();
    });
    await page.setViewportSize({ width, height });
    await page.goto('./');
    await expect(shown(page)).toHaveCount(1);
    const slider = shown(page).getByRole('slider');
    await expect(slider).toBeDisabled();
    const before = await shown(page).evaluate((poster) => poster.outerHTML);
    // The style sheet fills the lag with the first pattern of this ID in the document, which must not be in a hidden
    // picture.
    const hatch = page.locator('#watch-hatch-lag').first();
    expect(await hatch.evaluate((pattern) => pattern.closest('svg').checkVisibility())).toBe(true);
    release();
    await expect(slider).toBeEnabled();
    const after = await shown(page).evaluate((poster) => poster.outerHTML);
    expect(after).toBe(before.replace(/ disabled(="[^"]*")?/, ''));
  });
}

test('the text of the picture is readable in every window', async ({ page }) => {
  await page.goto('./');
  for (const height of [900, 450]) {
    for (const width of [340, 390, 700, 701, 800, 900, 901, 1000, 1180, 1181, 1279, 1280, 1920]) {
      await page.setViewportSize({ width, height });
      const scale = await shown(page).locator('.loom-svg').evaluate((svg) => svg.getScreenCTM().a);
      expect(scale, `${width}x${height}`).toBeGreaterThan(0.75);
      expect(scale, `${width}x${height}`).toBeLessThan(1.4);
    }
  }
});

test('a window that changes its layout has a slider in each', async ({ page }) => {
  for (const [width, height] of [[1440, 900], [390, 844], [1280, 720]]) {
    await page.setViewportSize({ width, height });
    if (page.url() === 'about:blank') await page.goto('./');
    const slider = shown(page).getByRole('slider');
    await expect(slider).toBeEnabled();
    await slider.press('End');
    await expect(shown(page).locator('.front-scrub p')).toContainText('revision 23: web-1 Running, web-2 deleted, web-3 Running');
  }
});

for (const name of ['blocked', 'missing', 'portal', 'truncated']) {
  inOnePage(`the tape of the start page is ${name}: the picture stays, and Try again helps`, async ({ page }) => {
    await page.route(TAPES, FATES[name]);
    await page.goto('./');
    const alert = page.locator('#front-figure').getByRole('alert');
    await expect(alert).toContainText('could not be loaded');
    await expect(page.getByRole('img', { name: /At revision 23/ })).toBeVisible();
    await page.unroute(TAPES);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect(shown(page).getByRole('slider')).toBeEnabled();
    await expect(alert).toHaveCount(0);
  });
}

test('a browser without WebAssembly gets a message in the app and in a figure', async ({ page }) => {
  await page.addInitScript(() => { delete window.WebAssembly; });
  for (const address of ['./?app', './embed.html?scenario=two-generations']) {
    await page.goto(address);
    await expect(page.getByRole('alert').filter({ visible: true })).toContainText('does not run WebAssembly');
  }
});

test('the button plays the story', async ({ page, watchglass, time }) => {
  await page.goto('./');
  await page.getByRole('link', { name: 'Play the story' }).click();
  await watchglass.ready();
  await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible();
  await page.getByLabel('Speed').selectOption({ label: '16×' });
  await expect.poll(() => time.step(), { timeout: 20_000 }).toBeGreaterThan(1);
});

test('a returning visitor can continue the last run', async ({ page, watchglass, terminal }) => {
  await page.goto('./');
  await expect(page.getByRole('link', { name: 'Continue where you were' })).toBeHidden();
  await page.getByRole('link', { name: 'Sandbox' }).first().click();
  await watchglass.ready();
  await terminal.run('put /mine 1');
  await expect(terminal.last).toContainText('OK');
  await expect(page, 'the address names the source of the run').toHaveURL(/\?scenario=empty$/);
  await page.goto('./');
  await page.getByRole('link', { name: 'Continue where you were' }).click();
  await watchglass.ready();
  await terminal.run('get /mine');
  await expect(terminal.last).toContainText('/mine');
});

test('every link of the start page works', async ({ page, baseURL, watchglass }) => {
  test.setTimeout(180_000);
  await page.goto('./');
  const links = await page.locator('#front a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links.length).toBeGreaterThan(6);
  for (const link of new Set(links.filter((link) => link.startsWith('?')))) {
    // Pending requests of the previous page do not matter.
    await page.goto('about:blank');
    await watchglass.open(link);
    await expect(page.getByRole('alert'), link).toHaveCount(0);
    expect(watchglass.complaints, link).toEqual([]);
  }
  const response = await page.goto(`${baseURL}no-such-page`);
  expect(response.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is nothing at this address.');
});

test('no violations of accessibility rules in any window, and the main button is visible', async ({ page, layout }) => {
  await page.goto('./');
  await layout.inEach([[1440, 900], [1280, 720], [800, 450], [390, 844]], async (width) => {
    await expect(shown(page).getByRole('slider')).toBeEnabled();
    // The narrowest window has a layout of its own; the other windows have that of the widest.
    const isLike = width === 1280 || width === 800;
    expect(await (isLike ? violations : violationsInThemes)(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await expect(page.getByRole('link', { name: 'Play the story' }), 'seen without scrolling').toBeInViewport();
  });
});

test('the app is fetched after the figure is complete', async ({ page }) => {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route(TAPES, async (route) => {
    await held;
    await route.continue();
  });
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  const isAsked = () => asked.some((url) => url.endsWith('/app_bg.wasm'));
  await page.goto('./');
  await page.evaluate(() => new Promise((resolve) => { requestIdleCallback(resolve); }));
  expect(isAsked()).toBe(false);
  release();
  await expect(shown(page).getByRole('slider')).toBeEnabled();
  await expect.poll(isAsked).toBe(true);
});

test('a snapshot that is dropped on the start page opens in the app', async ({ page, open, snapshot, watchglass }) => {
  await page.goto('./');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/See what etcd remembers/);
  await open.drop('dropped.db', [...sample()]);
  await expect(snapshot.dialog.getByRole('heading', { name: 'dropped.db' })).toBeVisible();
  await expect(snapshot.explore).toBeEnabled();
  expect(new URL(page.url()).search).toBe('?scenario=empty');
  expect(watchglass.complaints).toEqual([]);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/See what etcd remembers/);
});
