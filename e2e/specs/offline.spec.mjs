// Visits without a network: a second visit, a new version after an old one, interrupted updates, the page in one file,
// and the advice in a page that was opened from a folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test as base } from '../fixtures.mjs';
import { DIST, Site } from '../models/site.mjs';

const test = base.extend({
  site: async ({}, use) => {
    const site = new Site();
    await site.start();
    await use(site);
    site.stop();
  },
});
test.use({ serviceWorkers: 'allow', storageState: undefined });

// Opens a page, and waits until the service worker has all files and is active.
async function install(page, site) {
  await page.goto(`${site.url}404.html`);
  await page.evaluate(() => navigator.serviceWorker.ready);
}

async function open(page, watchglass, address) {
  await page.goto(address);
  await watchglass.ready();
}

// Looks for another version, and waits until its installation has succeeded or failed. Returns true if it has succeeded.
const update = (page) => page.evaluate(async () => {
  const registration = await navigator.serviceWorker.getRegistration();
  await registration.update().catch(() => {});
  const worker = registration.installing ?? registration.waiting;
  return worker ? new Promise((resolve) => {
    const settle = () => { if (['activated', 'redundant'].includes(worker.state)) resolve(worker.state === 'activated'); };
    worker.addEventListener('statechange', settle);
    settle();
  }) : false;
});

// The slider of the start page.
const frontSlider = (page) => page.locator('.front-poster').filter({ visible: true }).getByRole('slider');

// Deletes the files of all versions except the one with this mark.
const forgetOthers = (page, mark) => page.evaluate(async (mark) => {
  for (const name of await caches.keys()) {
    const isThis = await caches.match(`release-${mark}/static/page.js`, { cacheName: name });
    if (!isThis) await caches.delete(name);
  }
}, mark);

// Returns the marks of the page and of its script.
const marks = (page) => page.evaluate(() => {
  const { page, script } = document.documentElement.dataset;
  return [page, script];
});

test('after one visit, all pages work without a network', async ({ page, site, watchglass, terminal, lesson }) => {
  await page.goto(site.url);
  await expect(page.getByText('This page now works offline.')).toBeVisible({ timeout: 30_000 });
  const first = site.requests.indexOf('sw.js');
  expect(site.requests.slice(0, first).filter((name) => /\/tapes\/front\//.test(name)), 'the page comes first').toHaveLength(1);
  const app = site.requests.findLastIndex((name) => name.endsWith('.html'));
  expect(app, 'and the files for later visits come last').toBeGreaterThan(first);
  site.left = 0;

  await page.goto(site.url);
  await expect(frontSlider(page)).toBeEnabled();
  await open(page, watchglass, `${site.url}?scenario=empty`);
  await terminal.run('put /key value');
  await expect(terminal.last).toContainText('OK');
  await open(page, watchglass, `${site.url}?scenario=cache/compaction_passes_the_cache&at=beat:2`);
  await expect(page).toHaveTitle(/Watchglass/);
  await open(page, watchglass, `${site.url}?lesson=L04`);
  await expect(lesson.title).toBeVisible();
  await open(page, watchglass, `${site.url}?view=lab`);
  await expect(page.getByRole('tab', { name: /Lab/ }).or(page.locator('.lab')).first()).toBeVisible();
  for (const [name, text] of [['scenarios.html', 'Lessons'], ['museum.html', 'Museum'], ['put-to-pod.html', 'stale pod']]) {
    await page.goto(site.url + name);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(text);
  }
  await expect(page.locator('watch-glass#write .wg-figure')).toBeVisible();
  await page.goto(`${site.url}embed.html?scenario=museum/etcd_15220`);
  await watchglass.ready();
  expect(watchglass.complaints).toEqual([]);
});

test('a figure in a page of others installs nothing, and comes from the network', async ({ page, site }) => {
  const addFigure = (name) => page.evaluate(async (address) => {
    const frame = document.createElement('iframe');
    frame.src = address;
    document.body.append(frame);
    await new Promise((resolve) => { addEventListener('message', resolve, { once: true }); });
    await frame.contentWindow.watchglass?.ready();
  }, `${site.url}embed.html?scenario=${name}`);
  await page.goto(site.outside);
  await addFigure('two-generations');
  // The time after which a page of its own would begin.
  await page.waitForTimeout(4_000);
  expect(site.requests).not.toContain('sw.js');

  await install(page, site);
  site.requests.length = 0;
  await page.goto(site.outside);
  await addFigure('slow-client');
  expect(site.requests).toContain('embed.html');
});

test('the zip is a folder for any server', async ({ page, site, watchglass, lesson }) => {
  const strangers = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url)) strangers.push(request.url());
  });
  const folder = join(site.unpack(join(DIST, 'watchglass.zip')), 'watchglass');
  expect(readFileSync(join(folder, 'README.txt'), 'utf8')).toContain('python3 -m http.server');
  site.serve(folder);
  await page.goto(site.url);
  await expect(frontSlider(page)).toBeEnabled();
  await open(page, watchglass, `${site.url}?lesson=L04`);
  await expect(lesson.title).toBeVisible();
  expect(strangers).toEqual([]);
  expect(watchglass.complaints).toEqual([]);
});

test('a new version replaces the old one whole, and a page of the old one keeps its files', async ({ page, context, site, watchglass }) => {
  const folders = { old: site.version('old'), new: site.version('new') };
  site.serve(folders.old);
  await install(page, site);
  await open(page, watchglass, `${site.url}?scenario=empty`);
  expect(await marks(page)).toEqual(['old', 'old']);

  site.serve(folders.new, { 'museum.html': folders.old });
  const other = await context.newPage();
  await other.goto(`${site.url}404.html`);
  expect(await update(other), 'a page of the old version among files of the new one').toBe(false);
  await other.reload();
  expect(await marks(other)).toEqual(['old', 'old']);
  site.serve(folders.new);
  expect(await update(other)).toBe(true);
  site.left = 0;
  await other.reload();
  expect(await marks(other)).toEqual(['new', 'new']);
  const text = await page.evaluate(() => window.watchglassText('cache/compaction_passes_the_cache'));
  expect(text, 'a file of the old version').toContain('#! title:');
  expect(await page.evaluate(() => caches.keys().then((names) => names.length))).toBe(2);

  await page.reload();
  await watchglass.ready();
  expect(await marks(page)).toEqual(['new', 'new']);
  await expect.poll(async () => {
    await other.reload();
    return other.evaluate(() => caches.keys().then((names) => names.length));
  }, { message: 'the old version is deleted', timeout: 30_000 }).toBe(1);
});

test('an interrupted update leaves the old version or the new one', async ({ page, site, watchglass }) => {
  test.slow();
  const folders = { old: site.version('old'), new: site.version('new') };
  let now = 'old';
  site.serve(folders.old);
  await install(page, site);
  await page.reload();
  expect(await marks(page)).toEqual(['old', 'old']);
  let replaced = 0;
  for (let interrupted = 0; interrupted < 50;) {
    const next = now === 'old' ? 'new' : 'old';
    site.serve(folders[next]);
    // An installation continues where the one before was interrupted.
    site.left = (interrupted * 7) % 23;
    const isNew = await update(page);
    site.left = 0;
    await page.reload();
    expect(await marks(page), `after ${interrupted} interruptions`).toEqual(isNew ? [next, next] : [now, now]);
    if (isNew) {
      [now, replaced] = [next, replaced + 1];
      await forgetOthers(page, now);
    } else interrupted += 1;
  }
  expect(replaced).toBeGreaterThan(1);
  await open(page, watchglass, `${site.url}?scenario=empty`);
  expect(await marks(page)).toEqual([now, now]);
});

test('one file works from a disk without a request', async ({ page, context, watchglass, terminal, lesson, views }) => {
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await context.setOffline(true);
  const file = pathToFileURL(join(DIST, 'watchglass.html')).href;
  await open(page, watchglass, `${file}?scenario=empty`);
  expect(page.workers(), 'the engine has a thread of its own').toHaveLength(1);
  await terminal.run('put /key value');
  await expect(terminal.last).toContainText('OK');
  await open(page, watchglass, `${file}?lesson=L04`);
  await expect(lesson.title).toBeVisible();
  await open(page, watchglass, `${file}?scenario=slow-client&view=watch`);
  await expect(page).toHaveTitle('A slow client · Watchglass');
  await expect(views.watch).toBeVisible();
  await open(page, watchglass, `${file}?scenario=cache/compaction_passes_the_cache`);

  await page.goto(file);
  await expect(frontSlider(page)).toBeEnabled();
  await page.getByRole('link', { name: 'All lessons, stories and runs' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Lessons');
  await page.getByRole('link', { name: 'Sandbox' }).click();
  await watchglass.ready();
  expect(new URL(page.url()).search).toBe('?scenario=empty');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a lesson' }).fill('quorum read');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Lessons');
  expect(new URL(page.url()).hash, 'the palette leads to a term').toBe('#glossary');
  await page.goto(`${file}?page=museum.html`);
  const figure = page.locator('watch-glass').first();
  await expect(figure.locator('.wg-figure')).toBeVisible();
  expect(watchglass.complaints).toEqual([]);
  // A figure has no frame for the simulator here, so it leads to the app.
  await figure.getByRole('button', { name: 'Try it' }).click();
  const opened = context.waitForEvent('page');
  await figure.getByRole('link', { name: 'Try it in Watchglass' }).click();
  await expect(await opened).toHaveTitle('etcd#15220: progress overtakes events · Watchglass');
  expect(requests.filter((url) => !url.startsWith(file) && !/^(blob|data):/.test(url))).toEqual([]);
});

test('a page that was opened from a folder gives advice', async ({ page }) => {
  for (const name of ['index.html', 'index.html?lesson=L04', 'museum.html', 'embed.html']) {
    await page.goto(pathToFileURL(DIST).href + name);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page was opened from a folder.');
    await expect(page.getByText('python3 -m http.server')).toBeVisible();
  }
  await page.getByRole('link', { name: 'watchglass.html' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('See what etcd remembers');
  await page.goto(pathToFileURL(join(DIST, '../index.html')).href);
  await expect(page.getByText('cargo xtask serve')).toBeVisible();
});
