// Figures of one group show one run: as tapes they are at the same beat, and what is typed in one happens in all.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../fixtures.mjs';

const GROUP = { scenario: 'slow-client', at: 'beat:4', group: 'one' };

test('the tapes of a group are at the same beat, and a figure outside of it stays', async ({ docs }) => {
  await docs.open();
  await docs.add('first', GROUP);
  await docs.add('second', GROUP);
  await docs.add('other', { ...GROUP, group: 'two' });
  for (const id of ['first', 'second', 'other']) await expect(docs.figure(id).locator('.wg-figure-beat')).toHaveText(/^4 of 12 /);
  await docs.figure('first').getByRole('button', { name: 'Next' }).click();
  await expect(docs.figure('second').locator('.wg-figure-beat')).toHaveText(/^5 of 12 /);
  await expect(docs.figure('other').locator('.wg-figure-beat')).toHaveText(/^4 of 12 /);
});

test('what is typed in one figure of a group happens in the other, which keeps its view, and both move together', async ({ page, docs }) => {
  await docs.open();
  await docs.add('other', { ...GROUP, view: 'index' });
  await docs.add('typed', GROUP);
  await expect(docs.figure('typed').locator('.wg-figure-beat')).toHaveText(/^4 of 12 /);
  await docs.figure('typed').getByRole('button', { name: 'Try it' }).click();
  const prompt = docs.frame('typed').getByRole('combobox', { name: /^Command/ });
  await prompt.fill('put /jobs/group here');
  await prompt.press('Enter');
  const read = (id) => docs.call(id, 'state').then((state) => JSON.stringify(state));
  await expect(async () => {
    const written = await read('typed');
    expect(written).toContain('/jobs/group');
    expect(await read('other')).toBe(written);
  }).toPass();
  await expect(docs.frame('other').getByRole('figure', { name: /^Index/ })).toBeVisible();
  await docs.call('other', 'seek', { step: 3 });
  const earlier = await read('other');
  expect(earlier).not.toContain('/jobs/group');
  await expect.poll(() => read('typed')).toBe(earlier);
  expect(page.workers().length).toBe(2);
  expect(docs.violations).toEqual([]);
});

test('a tape that a reader moves takes the simulators of its group along', async ({ docs }) => {
  await docs.open();
  await docs.add('running', { ...GROUP, view: 'index' });
  await docs.add('tape', GROUP);
  await docs.call('running', 'ready');
  const read = () => docs.call('running', 'state').then((state) => JSON.stringify(state));
  const before = await read();
  await docs.figure('tape').getByRole('button', { name: 'Next' }).click();
  await expect.poll(read).not.toBe(before);
  await docs.figure('tape').getByRole('button', { name: 'To the start' }).click();
  await expect.poll(read).toContain('"keys":[]');
});

test('a command stays, also if another figure of the group plays', async ({ docs }) => {
  await docs.open();
  for (const id of ['playing', 'used']) await docs.add(id, { ...GROUP, at: 'beat:1', view: 'index' });
  for (const id of ['playing', 'used']) await docs.call(id, 'ready');
  await docs.call('playing', 'play');
  await docs.call('used', 'exec', 'put /kept 1');
  for (const id of ['used', 'playing']) {
    await expect.poll(() => docs.call(id, 'state').then((state) => JSON.stringify(state))).toContain('/kept');
  }
});

test('the types of the package name the methods, properties and messages that there are', async ({ page, docs }) => {
  await docs.open();
  const types = await readFile(new URL('../../xtask/src/site/package/watch-glass.d.ts', import.meta.url), 'utf8');
  const [element] = types.match(/interface WatchGlassElement [^]*?\n}/);
  const typed = [...element.matchAll(/^ {2}(\w+)[(:]/gm)].map(([, name]) => name).filter((name) => name !== 'addEventListener');
  const own = await page.evaluate(() => Object.getOwnPropertyNames(customElements.get('watch-glass').prototype));
  const internal = ['constructor', 'connectedCallback', 'disconnectedCallback', 'attributeChangedCallback'];
  expect(typed.sort()).toEqual(own.filter((name) => !internal.includes(name)).sort());
  const [message] = types.match(/export type Message [^]*?;\n/);
  const script = await readFile(new URL('../../static/embed_boot.js', import.meta.url), 'utf8');
  const [asked] = script.match(/const ASKED = {[^]*?};/);
  const names = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name).sort();
  expect(names(message.replace(/theme: .*/, ''), /'(\w+)'/g)).toEqual(names(asked, /^ {2}(\w+):/gm));
});
