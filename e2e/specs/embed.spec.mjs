// Figures in other people's pages: the element, its API and events, and the frame without the element, all under a
// strict Content-Security-Policy.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';
import { FATES, PROGRAM } from '../models/failing.mjs';
import { linkTo } from '../models/links.mjs';

// The maximum duration of a task of the page's thread while a figure runs, in ms.
const TASK_MS_MAX = 100;

test('only the loader is fetched until a figure scrolls into view', async ({ page, docs }) => {
  await page.setViewportSize({ width: 900, height: 200 });
  await docs.open();
  await page.waitForLoadState('networkidle');
  expect(docs.fetched()).toEqual(['watch-glass.js']);
  await expect(docs.figure('generations'), 'the content of the page until the figure is drawn').toContainText('One key with two generations');
  await docs.figure('generations').scrollIntoViewIfNeeded();
  await docs.call('generations', 'ready');
  expect(docs.fetched()).toContain('two-generations.json.gz');
  expect(docs.fetched(), 'the next figure is not visible yet').not.toContain('slow-client.json.gz');
  expect(docs.violations).toEqual([]);
});

test('three figures on one page, each at its own beat', async ({ page, docs }) => {
  await docs.open();
  for (const [id, text] of [['generations', /^3 of 10 /], ['slow', /^6 of 12 /]]) {
    await docs.figure(id).scrollIntoViewIfNeeded();
    await expect(docs.figure(id).locator('.wg-figure-beat')).toHaveText(text);
  }
  await docs.figure('glance').scrollIntoViewIfNeeded();
  await expect(docs.figure('glance').getByText('Five keys of a small cluster.')).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(page.workers(), 'the figure with a terminal waits for a click').toHaveLength(0);
  await docs.figure('glance').getByRole('button', { name: /Run this figure/ }).click();
  await docs.call('glance', 'ready');
  await expect(docs.frame('glance').getByRole('figure', { name: /^Index/ })).toBeVisible();
  await expect(docs.frame('glance').getByRole('combobox', { name: /^Command/ })).toBeVisible();
  await docs.figure('slow').getByRole('button', { name: 'Try it' }).click();
  await docs.call('slow', 'state');
  await expect(docs.frame('slow').getByRole('figure', { name: /^Watch/ })).toBeVisible();
  await expect(docs.frame('slow').getByRole('combobox', { name: /^Command/ }), 'readonly').toHaveCount(0);
  expect(await page.evaluate(() => document.activeElement.tagName), 'the figure does not take the focus').not.toBe('IFRAME');
  expect(docs.violations).toEqual([]);
});

test('a figure with a terminal shows its poster until it is drawn, and a failed start can be retried', async ({ page, docs }) => {
  await page.route(PROGRAM, FATES.blocked);
  await docs.open();
  await docs.add('later', { scenario: 'two-generations', at: 'end', controls: 'full' });
  const poster = docs.frame('later').locator('#poster[role=img]');
  await expect(poster).toBeVisible();
  const alert = docs.frame('later').getByRole('alert');
  await expect(alert).toContainText('could not be loaded');
  await expect(poster, 'the poster stays').toBeVisible();
  await page.unroute(PROGRAM);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(docs.frame('later').getByRole('slider')).toHaveAttribute('aria-valuenow', '10');
  expect((await docs.call('later', 'state')).value).toMatchObject({ revision: 5 });
});

test('until a figure without a tape and without a poster is drawn, the content that the page provides is visible', async ({ page, docs }) => {
  await page.route(PROGRAM, () => {});
  await docs.open();
  await docs.add('between', { scenario: 'two-generations', at: 'revision:3' });
  await docs.figure('between').evaluate((element) => { element.textContent = 'A drawing.'; });
  await expect(docs.figure('between').locator('iframe')).toHaveCSS('opacity', '0');
});

test('the API waits until the figure is ready, responds, and explains refusals', async ({ docs }) => {
  await docs.open();
  // Before any program is loaded.
  const early = await docs.call('glance', 'exec', 'get / 0 --rev=7');
  expect(early.value).toMatchObject({ error: expect.stringContaining('required revision has been compacted') });
  const state = await docs.call('glance', 'state');
  expect(state.value).toMatchObject({ revision: 23, compact_revision: 8 });
  expect((await docs.call('glance', 'seek', { revision: 12 })).error).toBeUndefined();
  expect((await docs.call('glance', 'state')).value.revision).toBe(12);
  expect((await docs.call('glance', 'step', 1)).value).toBeGreaterThan(1);
  expect((await docs.call('glance', 'fork')).value).toMatchObject({ output: 'branch 2\n' });
  expect((await docs.call('glance', 'exec', 'put /mine 1')).value).toMatchObject({ output: 'OK\n' });
  const link = (await docs.call('glance', 'permalink')).value;
  expect(link).toMatch(/^#v\d+\./);
  expect((await docs.call('glance', 'load', 'two-generations')).error).toBeUndefined();
  expect((await docs.call('glance', 'load', link)).error).toBeUndefined();
  expect((await docs.call('glance', 'exec', 'get /mine')).value).toMatchObject({ output: '/mine\n1\n' });

  for (const [method, argument, words] of [
    ['seek', { step: -1 }, 'whole number from 0'],
    ['seek', { step: 1, revision: 2 }, '{beat}, {step}, {time_us} or {revision}'],
    ['step', 1.5, 'whole number'],
    ['exec', 7, '"line" must be a string'],
    ['load', 'no-such-story', 'no story'],
  ]) {
    expect((await docs.call('glance', method, argument)).error, method).toContain(words);
  }
  await docs.figure('slow').scrollIntoViewIfNeeded();
  expect((await docs.call('slow', 'exec', 'put /a 1')).error).toContain('read-only');
  expect(docs.violations).toEqual([]);
});

test('a figure sends events and follows its attributes and the theme of the surrounding page', async ({ page, docs }) => {
  // The listeners are added before the page loads: a visible figure may be ready before the test could add them.
  await page.addInitScript(() => {
    window.heard = [];
    for (const type of ['ready', 'step', 'statechange']) {
      window.addEventListener(type, ({ target, detail }) => {
        if (target.id === 'generations') window.heard.push([type, detail.step ?? detail.playing ?? null]);
      });
    }
  });
  await docs.open();
  await docs.call('generations', 'ready');
  await docs.call('generations', 'seek', { step: 5 });
  await expect(page.locator('#told'), 'the tape sends the same events').toContainText('step 5 of 10');
  expect((await docs.call('generations', 'state')).value).toMatchObject({ step: 5 });
  const heard = await page.evaluate(() => window.heard);
  expect(heard).toContainEqual(['ready', null]);
  expect(heard).toContainEqual(['step', 5]);
  await docs.frame('generations').getByRole('button', { name: /^Play/ }).click();
  await expect.poll(() => page.evaluate(() => window.heard)).toContainEqual(['statechange', true]);
  await docs.call('generations', 'pause');

  await docs.figure('generations').evaluate((element) => { element.at = 'step:7'; });
  await expect(docs.frame('generations').getByRole('slider')).toHaveAttribute('aria-valuenow', '7');

  const theme = () => docs.frame('generations').locator('html').getAttribute('data-theme');
  await page.getByRole('button', { name: 'Dark' }).click();
  await expect.poll(theme).toBe('dark');
  await page.getByRole('button', { name: 'Light' }).click();
  await expect.poll(theme).toBe('light');

  await docs.figure('generations').evaluate((element) => { element.scenario = 'no-such-story'; });
  await expect(docs.frame('generations').getByRole('alert')).toContainText('There is no story no-such-story');
  expect((await docs.call('generations', 'state')).error).toContain('no story');
  expect(docs.violations).toEqual([]);
});

test('a sandboxed frame with host=inline shows the same figure without storage or a worker', async ({ page, docs }) => {
  await docs.open('sandbox.html');
  const ask = (type, fields) => page.evaluate(([type, fields]) => window.ask(type, fields).catch((error) => error.message), [type, fields]);
  await ask('ready');
  expect(page.workers()).toHaveLength(0);
  await expect(page.locator('#told')).toHaveText(/^step 14 of/);
  expect(await ask('exec', { line: 'get /jobs/1' })).toMatchObject({ output: '/jobs/1\nqueued\n' });
  expect(await ask('step', { n: -1 })).toBe(13);
  const frame = page.locator('#figure').contentFrame();
  await frame.getByRole('button', { name: 'One step (→)' }).click();
  await expect(frame.getByRole('slider')).toHaveAttribute('aria-valuenow', '14');
  expect(docs.violations).toEqual([]);
});

test('without a worker, a figure offers a tab and does not use the thread of its page', async ({ page, baseURL, docs }) => {
  await page.goto(`${baseURL}404.html`);
  await page.evaluate((src) => {
    const frame = document.createElement('iframe');
    Object.assign(frame, { id: 'bare', sandbox: 'allow-scripts', src });
    document.body.prepend(frame);
  }, `${baseURL}embed.html?scenario=slow-client&at=step:14`);
  const alert = page.locator('#bare').contentFrame().getByRole('alert');
  await expect(alert).toContainText('does not let the figure run in a worker');
  const out = alert.getByRole('link', { name: 'Open the figure in a tab' });
  await expect(out).toHaveAttribute('href', `${baseURL}?scenario=slow-client&at=step:14`);
  expect(docs.fetched()).not.toContain('worker_bg.wasm');
});

test('a link in a figure is never part of a request', async ({ page, docs }) => {
  const seen = [];
  page.on('request', (request) => seen.push(request.url().split('#')[0], JSON.stringify(request.headers())));
  await docs.open();
  const link = linkTo(['put /secret 1', 'put /secret 2', '# and so much more that a server would answer 414'.padEnd(30_000, 'x')]);
  const secret = link.slice(3, 40);
  await docs.add('mine', { scenario: link, at: 'end' });
  expect((await docs.call('mine', 'state')).value).toMatchObject({ revision: 3 });
  // The link may begin with `#`, as in the address bar, and may be set as an attribute later.
  const other = linkTo(['put /secret 3']);
  await docs.figure('mine').evaluate((element, scenario) => { element.scenario = scenario; }, `#${other}`);
  await expect(docs.frame('mine').getByRole('slider')).toHaveAttribute('aria-valuemax', '1');
  expect((await docs.call('mine', 'state')).value).toMatchObject({ revision: 2 });
  expect(seen.filter((text) => text.includes(secret) || text.includes(other.slice(3)))).toEqual([]);
  await expect(docs.figure('mine').locator('iframe')).toHaveAttribute('title', 'Watchglass: a figure');
  expect(docs.violations).toEqual([]);
});

test('a frame accepts a link after its # and as its scenario', async ({ page, baseURL, watchglass }) => {
  const link = linkTo(['put /a 1', 'put /a 2']);
  for (const address of [`embed.html?at=end#${link}`, `embed.html?at=end&scenario=${link}`]) {
    await page.goto('about:blank');
    await page.goto(baseURL + address);
    await watchglass.ready();
    expect(await page.evaluate(() => window.watchglass.state()), address.slice(0, 20)).toMatchObject({ revision: 3 });
  }
});

const HEAVY = {
  'very-many-watches': ['for i in {1..65000}; do watch a; done'],
  'very-many-steps': ['apiserver api-1', 'informer pods as i', 'step 1000000000000'],
  'very-many-creates': ['apiserver api-1', 'load w --creates=10000 --clients=1000', 'run 1h'],
};

test('heavy runs in figures do not block the surrounding page', async ({ page, docs }) => {
  test.setTimeout(120_000);
  await docs.open();
  await docs.call('generations', 'ready');
  for (const [id, lines] of Object.entries(HEAVY)) {
    await docs.add(id, { scenario: linkTo(lines), at: 'end', view: 'watch' });
    // The start of the figure is not measured, only the run.
    await expect(docs.frame(id).locator('#app .wg-figure, .wg-figure-failure')).toBeAttached();
  }
  expect(await docs.longestTask(12_000)).toBeLessThan(TASK_MS_MAX);
  expect(page.workers().length).toBe(3);
  // The page can remove a figure at any time, also while the figure is busy.
  for (const id of Object.keys(HEAVY)) await docs.figure(id).evaluate((element) => element.remove());
  await expect.poll(() => page.workers().length).toBe(0);
});

test('a figure reports its limit, and continues when the reader asks for it', async ({ page, docs }) => {
  test.setTimeout(180_000);
  await docs.open();
  await docs.add('long', { scenario: linkTo(['for i in {1..60500}; do put /a $i; done', 'run 1s']), at: 'end', controls: 'none' });
  const more = docs.frame('long').getByRole('button', { name: 'Continue' });
  await expect(more).toBeVisible({ timeout: 60_000 });
  await expect(docs.frame('long').getByRole('status').filter({ has: more })).toContainText('Paused after 60,000 steps');
  await more.focus();
  await page.keyboard.press('Enter');
  let loaded = null;
  docs.call('long', 'state').then(({ value }) => { loaded = value; });
  // The test continues the load as often as necessary.
  await expect.poll(async () => {
    if (await more.isVisible()) await more.click();
    return loaded?.revision;
  }, { timeout: 100_000 }).toBe(60_501);
});

test('invalid messages get an error message as a response', async ({ page, docs }) => {
  await docs.open('sandbox.html');
  await page.evaluate(() => window.ask('ready'));
  const answers = await page.evaluate(async () => {
    const frame = document.querySelector('#figure').contentWindow;
    const { port1, port2 } = new MessageChannel();
    const next = (port) => new Promise((resolve) => { port.onmessage = ({ data }) => resolve(data.error ?? data); });
    frame.postMessage({ watchglass: 1, type: 'connect' }, '*', [port2]);
    const answers = [];
    for (const message of [null, 'hello', [], { v: 2, id: 1, type: 'state' }, { v: 1, type: 'state' },
      { v: 1, id: 1, type: 'eval', line: 'alert(1)' }, { v: 1, id: 1, type: '__proto__' },
      { v: 1, id: 1, type: 'load', what: { html: '<b>' } }, { v: 1, id: 1, type: 'theme', theme: 'pink' }]) {
      const answer = next(port1);
      port1.postMessage(message);
      answers.push(await answer);
    }
    // Messages to the window itself: only `connect` is accepted there.
    for (const message of [{ watchglass: 2, type: 'connect' }, { watchglass: 1, type: 'exec', line: 'put /a 1' }]) {
      const answer = new Promise((resolve) => {
        window.addEventListener('message', ({ data }) => data?.type === 'error' && resolve(data.error), { once: true });
      });
      frame.postMessage(message, '*');
      answers.push(await answer);
    }
    // Messages of other scripts are ignored.
    frame.postMessage('webpackHotUpdate', '*');
    return answers;
  });
  const words = ['must be an object', 'must be an object', 'must be an object', 'speaks version 1', '"id" must be',
    'unknown type "eval"', 'unknown type "__proto__"', '"what" must be a string', 'theme takes', 'speaks version 1', 'connect'];
  answers.forEach((answer, at) => expect(answer, `message ${at}`).toContain(words[at]));
});

test('a window that does not contain the frame cannot connect', async ({ page, baseURL, watchglass }) => {
  await page.goto(`${baseURL}embed.html?scenario=two-generations`);
  await watchglass.ready();
  const answer = await page.evaluate(() => new Promise((resolve) => {
    window.addEventListener('message', ({ data }) => data.type === 'error' && resolve(data.error));
    window.postMessage({ watchglass: 1, type: 'connect' }, '*');
  }));
  expect(answer).toContain('only the window around the frame');
});

test('the link to the app opens the current step', async ({ page, baseURL, watchglass }) => {
  await page.goto(`${baseURL}embed.html?scenario=slow-client&at=step:14&view=watch`);
  await watchglass.ready();
  const out = page.getByRole('link', { name: 'Open in Watchglass' });
  await expect(out).toHaveAttribute('href', /#v\d+\.\w+/);
  const state = await page.evaluate(() => window.watchglass.state());
  await page.goto(await out.getAttribute('href'));
  await watchglass.ready();
  expect(await page.evaluate(() => window.watchglass.state())).toEqual(state);
  await expect(page.getByRole('tab', { name: 'Watch', exact: true })).toHaveAttribute('aria-selected', 'true');
});

test('the terminal is below the picture, and both are as wide as the figure', async ({ page, baseURL }) => {
  for (const [width, height] of [[800, 520], [390, 560]]) {
    await page.setViewportSize({ width, height });
    await page.goto(`${baseURL}embed.html?scenario=two-generations&at=end&controls=full`);
    const picture = page.getByRole('figure', { name: /^Index/ });
    const prompt = page.getByRole('combobox', { name: /^Command/ });
    await expect(picture).toBeVisible();
    const [above, below] = [await picture.boundingBox(), await prompt.boundingBox()];
    expect(above.width, `${width}`).toBeGreaterThan(0.9 * width);
    expect(above.height, `${width}`).toBeGreaterThan(0.35 * height);
    expect(below.y, `${width}`).toBeGreaterThan(above.y + above.height);
  }
});

test('the map and the logs of a cluster fit, and a fold has the buttons for faults', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 800, height: 450 });
  await page.goto(`${baseURL}embed.html?scenario=cluster/the_leader_is_cut_off&at=beat:5&view=cluster`);
  const figure = page.locator('#app .wg-figure.is-drawn');
  const members = await figure.locator('.cl-members').boundingBox();
  const foot = await figure.locator('.wg-view-foot').boundingBox();
  expect(members.y + members.height).toBeLessThanOrEqual(foot.y + 1);
  const heal = figure.getByRole('button', { name: 'Heal all' });
  await expect(heal).toBeHidden();
  await figure.getByText('Faults', { exact: true }).click();
  await heal.click();
  await expect(figure.locator('.cl-cut')).toHaveCount(0);
});

test('without a view in the address, a run begins with the view of its beat', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 800, height: 450 });
  await page.goto(new URL('embed.html?scenario=cluster/the_leader_is_cut_off&at=beat:1', baseURL).href);
  await expect(page.getByRole('region', { name: 'Cluster' }).or(page.locator('.cl-svg')).first()).toBeVisible();
  await page.goto(new URL('embed.html?scenario=slow-client&at=beat:6', baseURL).href);
  await expect(page.locator('#app').getByRole('figure', { name: /^Watch/ })).toBeVisible();
});

test('the figure reports errors in its address', async ({ page, baseURL }) => {
  for (const [query, words] of [
    ['scenario=nope', 'There is no story nope'],
    ['scenario=slow-client&at=14', 'write beat:3, step:14'],
    ['scenario=slow-client&view=loom', 'no view "loom"'],
  ]) {
    await page.goto(`${baseURL}embed.html?${query}`);
    await expect(page.getByRole('alert')).toContainText(words);
  }
});

test('a figure works by keyboard and has no violations of accessibility rules at every width', async ({ page, baseURL }) => {
  test.setTimeout(120_000);
  for (const [width, height, theme] of [[800, 450, 'light'], [800, 450, 'dark'], [520, 400, 'light'], [360, 320, 'dark']]) {
    await page.setViewportSize({ width, height });
    await page.goto(`${baseURL}embed.html?scenario=slow-client&at=step:14&view=index,watch&theme=${theme}`);
    await expect(page.getByRole('figure', { name: /^Index/ })).toBeVisible();
    expect(await violations(page), `${width} ${theme}`).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, `nothing is cut off at ${width}`).toBeLessThanOrEqual(width);
  }
  await page.setViewportSize({ width: 800, height: 450 });
  const reached = [];
  for (let at = 0; at < 14; at += 1) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()));
  }
  expect(reached).toContain('Step of the run');
  expect(reached.some((name) => /Play/.test(name))).toBe(true);
  await page.getByRole('slider').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('slider')).toHaveAttribute('aria-valuenow', '15');
});

test('the caption of a figure tells the story, and Next leads through it at every width', async ({ page, baseURL, watchglass }) => {
  for (const [width, height] of [[800, 450], [358, 450]]) {
    await page.setViewportSize({ width, height });
    await page.goto(`${baseURL}embed.html?scenario=slow-client&at=beat:3`);
    await watchglass.ready();
    const beat = page.locator('#app .wg-figure-beat');
    const event = page.locator('#app .wg-figure-event');
    const picture = page.locator('#app .wg-picture');
    await expect(beat).toHaveText(/^3 of 12 /);
    await expect(beat.locator('p')).toHaveCSS('font-size', '14px');
    const before = await page.locator('#app .wg-picture').boundingBox();
    const next = page.getByRole('button', { name: 'Next', exact: true });
    await next.click();
    await expect(beat).toHaveText(/^4 of 12 /);
    await expect(event).not.toBeEmpty();
    const text = (await beat.textContent()).replace('4 of 12 ', '').slice(0, 30);
    await expect(picture, 'the text alternative').toHaveAttribute('aria-label', new RegExp(`^4 of 12\\. ${text.slice(0, 20)}`));
    expect(await page.locator('#app .wg-picture').boundingBox(), 'the picture does not move').toEqual(before);
    await expect(page.locator('#app [aria-live=polite][role=status].wg-unseen')).toHaveText(/^4 of 12\. /);
    // The track is usable: a click in its middle moves the cursor.
    const slider = page.getByRole('slider');
    const track = await slider.boundingBox();
    expect(track.width, `the track at ${width}`).toBeGreaterThan(120);
    await page.mouse.click(track.x + track.width - 14, track.y + 18);
    await expect(beat).toHaveText(/^12 of 12 /);
    await expect(next).toHaveAttribute('aria-disabled', 'true');
  }
});
