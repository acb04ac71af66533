// Figures that play the tape of their run without the simulator, on a page with a strict Content-Security-Policy.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

// The maximum duration of a task of the page's thread, in ms.
const TASK_MS_MAX = 50;

const beat = (figure) => figure.locator('.wg-tape > .wg-figure .wg-figure-beat');
const SIMULATOR = /\.wasm$|^worker|^app\.js$|^embed\.html$/;

test('a figure shows its beat and plays its tape without a frame and without the simulator', async ({ page, docs }) => {
  await docs.open();
  await docs.add('slow', { scenario: 'slow-client', at: 'beat:3' });
  const figure = docs.figure('slow').first();
  await expect(beat(figure)).toHaveText(/^3 of 12 /);
  await expect(figure.getByRole('group', { name: /^3 of 12\. / })).toBeVisible();
  const next = figure.getByRole('button', { name: 'Next', exact: true });
  await next.click();
  await expect(beat(figure)).toHaveText(/^4 of 12 /);
  await expect(next, 'the focus stays').toBeFocused();
  await expect(figure.locator('[aria-live]'), 'the announcement').toHaveText(/^4 of 12\. /);
  await page.keyboard.press('ArrowLeft');
  await expect(beat(figure)).toHaveText(/^3 of 12 /);
  await page.keyboard.press('End');
  await expect(beat(figure)).toHaveText(/^12 of 12 /);
  await expect(next).toHaveAttribute('aria-disabled', 'true');
  await figure.getByRole('slider', { name: 'Beat of the run' }).fill('6');
  await expect(beat(figure)).toHaveText(/^6 of 12 /);
  await expect(figure.getByRole('link', { name: 'Open in Watchglass' })).toHaveAttribute('href', `${docs.home}?scenario=slow-client&at=beat%3A6`);
  await expect(figure.locator('iframe')).toHaveCount(0);
  expect(docs.fetched().filter((name) => SIMULATOR.test(name))).toEqual([]);
  expect(page.workers()).toHaveLength(0);
  expect(docs.violations).toEqual([]);
});

test('a tape plays with time to read each beat, and stops at its end or when the reader moves', async ({ page, docs }) => {
  await page.clock.install();
  await docs.open();
  await docs.add('slow', { scenario: 'slow-client', at: 'beat:10' });
  const figure = docs.figure('slow').first();
  await figure.getByRole('button', { name: /^Play/ }).click();
  await page.clock.runFor(1_000);
  await expect(beat(figure)).toHaveText(/^10 of 12 /);
  await expect.poll(async () => {
    await page.clock.runFor(500);
    return beat(figure).textContent();
  }).toMatch(/^11 of 12 /);
  await figure.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(figure.getByRole('button', { name: /^Play/ })).toBeVisible();
  // At the end, the tape plays from its start.
  await figure.getByRole('button', { name: /^Play/ }).click();
  await expect(figure.getByRole('slider')).toHaveValue('0');
});

test('the simulator takes over at the beat of the tape, with a terminal below the same picture', async ({ page, docs }) => {
  await docs.open();
  await docs.add('slow', { scenario: 'slow-client' });
  const figure = docs.figure('slow').first();
  await figure.getByRole('slider').fill('7');
  const picture = await figure.locator('.wg-picture').first().boundingBox();
  await figure.getByRole('button', { name: 'Try it' }).click();
  const frame = figure.locator('iframe').contentFrame();
  await expect(frame.locator('#app .wg-figure-beat')).toHaveText(/^7 of 12 /);
  await expect(figure.locator('.wg-tape')).toBeHidden();
  await expect(frame.getByRole('figure', { name: /^Watch/ })).toBeVisible();
  expect(await frame.locator('#app .wg-picture').boundingBox(), 'the picture stays in place').toEqual(picture);
  await frame.getByRole('combobox', { name: /^Command/ }).fill('get /jobs/1');
  await page.keyboard.press('Enter');
  await expect(frame.getByText('queued').first()).toBeVisible();
  expect(docs.violations).toEqual([]);
});

test('a method of the element starts the simulator at the beat of the tape', async ({ docs }) => {
  await docs.open();
  await docs.add('mine', { scenario: 'two-generations', at: 'beat:2' });
  expect(await docs.call('mine', 'ready')).toEqual({});
  await docs.figure('mine').evaluate((element) => { element.at = 'beat:4'; });
  await expect(beat(docs.figure('mine'))).toHaveText(/^4 of 10 /);
  await docs.figure('mine').evaluate((element) => { element.at = 'end'; });
  expect((await docs.call('mine', 'state')).value).toMatchObject({ revision: 5 });
  expect((await docs.call('mine', 'exec', 'get /key1 --rev=2')).value).toMatchObject({ output: '/key1\nvalue1\n' });
});

test('on a page that refuses frames, a tape plays, and Try it leads to the app', async ({ page, docs }) => {
  await page.route('**/site/', async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    headers['content-security-policy'] = `${headers['content-security-policy'].replace(/frame-src[^;]*;?/, '')}; frame-src 'none'`;
    await route.fulfill({ response, headers });
  });
  await docs.open();
  await docs.add('mine', { scenario: 'two-generations', at: 'beat:2' });
  const figure = docs.figure('mine');
  await figure.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(beat(figure)).toHaveText(/^3 of 10 /);
  await figure.getByRole('button', { name: 'Try it' }).click();
  await expect(figure.getByRole('link', { name: 'Try it in Watchglass' })).toHaveAttribute('href', /scenario=two-generations&at=beat%3A3$/);
  await expect(beat(figure)).toBeVisible();
});

test('a tape follows the theme of the page and its reading direction does not, and it obeys its attributes', async ({ page, docs }) => {
  await docs.open();
  await page.evaluate(() => { document.documentElement.dir = 'rtl'; });
  await docs.add('mine', { scenario: 'two-generations', at: 'beat:2' });
  const figure = docs.figure('mine');
  const background = () => figure.locator('.wg-figure').evaluate((element) => getComputedStyle(element).backgroundColor);
  const light = await background();
  await page.getByRole('button', { name: 'Dark' }).click();
  await expect.poll(background).not.toBe(light);
  await expect(figure.locator('.wg-tape')).toHaveCSS('direction', 'ltr');
  await figure.evaluate((element) => { element.setAttribute('controls', 'none'); });
  await expect(beat(figure)).toHaveText(/^2 of 10 /);
  await expect(figure.getByRole('button')).toHaveCount(0);
  await figure.evaluate((element) => { element.scenario = 'at-a-glance'; });
  await expect(beat(figure)).not.toHaveText(/^2 of 10 /);
});

test('on paper, a figure is the sequence of its beats', async ({ page, docs }) => {
  await docs.open();
  await docs.call('generations', 'ready');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const beats = docs.figure('generations').locator('.wg-tape-all > .wg-figure');
  await expect(beats).toHaveCount(11);
  await expect(beats.nth(10)).toContainText('10 of 10');
  await expect(beats.nth(10)).toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await expect(beats).toHaveCount(0);
});

test('figures on a page have no violations of accessibility rules at any width, in both themes', async ({ page, docs }) => {
  await docs.open();
  for (const [width, dark] of [[1280, false], [800, true], [320, false]]) {
    await page.setViewportSize({ width, height: 900 });
    await docs.open();
    if (dark) await page.getByRole('button', { name: 'Dark' }).click();
    for (const id of ['generations', 'slow']) {
      await docs.figure(id).scrollIntoViewIfNeeded();
      await docs.call(id, 'ready');
    }
    expect(await violations(page), `${width}`).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, `nothing is cut off at ${width}`).toBeLessThanOrEqual(width);
  }
});

test('twenty figures share their scripts and never block the page', async ({ page, docs }) => {
  await docs.open();
  const names = ['slow-client', 'two-generations', 'at-a-glance', 'list-and-watch', 'cache/compaction_passes_the_cache'];
  for (let at = 0; at < 20; at += 1) await docs.add(`figure-${at}`, { scenario: names[at % names.length], at: 'beat:1' });
  const longest = docs.longestTask(3_000);
  for (let at = 0; at < 20; at += 1) await docs.call(`figure-${at}`, 'ready');
  expect(await longest).toBeLessThan(TASK_MS_MAX);
  expect(docs.fetched().filter((name) => name === 'tape.js')).toHaveLength(1);
  expect(docs.fetched().filter((name) => name === 'embed.html.css')).toHaveLength(1);
});
