// Each source has its own saved run. No typed line is lost, and no line makes the page unusable.
import { readFile } from 'node:fs/promises';
import { expect, modelsOf, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';
import { poison } from '../models/kept.mjs';

// Two tests count the entries of the history. A browser keeps 50 of them, and a page that other tests have used may be full.
test.use({ reuseContext: false });

test('after three links to stories, the run is unchanged', async ({ page, watchglass, terminal, kept }) => {
  await watchglass.open('?scenario=empty');
  await terminal.run('put a b');
  await terminal.run('put c d');
  await kept.settle();
  for (const story of ['slow-client', 'list-and-watch', 'at-a-glance']) {
    await watchglass.open(`?scenario=${story}`);
    await expect(kept.notices).toHaveCount(0);
  }
  await watchglass.open('?app');
  await expect(kept.notices).toContainText('Your last run is restored.');
  await expect.poll(() => kept.keys()).toEqual(['a', 'c']);
  await terminal.run('put e f');
  await kept.reload();
  await expect.poll(() => kept.keys()).toEqual(['a', 'c', 'e']);
  await expect(page.getByText('could not be opened')).toHaveCount(0);
});

for (const query of ['?scenario=slow-client', '?lesson=L04', '?scenario=empty-3.4', '?app']) {
  test(`an immediate reload keeps the first command after ${query}`, async ({ watchglass, terminal, kept }) => {
    await watchglass.open(query);
    await terminal.run('put /first 1');
    await kept.reload();
    await expect.poll(() => kept.keys()).toContain('/first');
    await kept.settle();
    await kept.reload();
    await expect.poll(() => kept.keys()).toContain('/first');
  });
}

test('a link has a saved run of its own, and Back leads to the previous run', async ({ page, watchglass, terminal, kept }) => {
  await watchglass.open('?app');
  await terminal.run('put /mine 1');
  await expect.poll(() => kept.keys()).toContain('/mine');
  const link = await page.evaluate(() => window.watchglass.permalink());
  await terminal.run('put /later 1');
  await kept.settle();
  await page.evaluate((hash) => { window.location.hash = hash; }, link);
  await expect.poll(() => kept.keys()).not.toContain('/later');
  await terminal.run('put /of-the-link 1');
  await kept.reload();
  await expect.poll(() => kept.keys()).toContain('/of-the-link');
  await page.goBack();
  await expect.poll(() => kept.keys()).toContain('/later');
  expect(await kept.keys()).not.toContain('/of-the-link');
});

test('a line that stops the engine is set aside, and the rest is restored', async ({ page, watchglass, terminal, kept }) => {
  await poison(page, 'poison', 'stops');
  await watchglass.open('?scenario=empty');
  await terminal.run('put /a 1');
  await terminal.run('put /b 1');
  await kept.settle();
  await terminal.run('put /poison 1');
  await expect(page.getByText('The simulator stopped').first()).toBeVisible();
  const note = kept.notices.filter({ hasText: 'This line stopped the simulator: put /poison 1' });
  await expect(note).toBeVisible();
  await page.getByRole('button', { name: 'Restart the simulator with your run' }).click();
  await expect.poll(() => kept.keys()).toEqual(['/a', '/b']);
  await expect(note).toBeVisible();
  await terminal.run('put /c 1');
  await kept.reload();
  await expect.poll(() => kept.keys()).toEqual(['/a', '/b', '/c']);
  // The line runs again only on request. The story that opens from its start contains no commands of the run.
  await note.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('The simulator stopped').first()).toBeVisible();
  await page.getByRole('button', { name: 'Start with the story' }).click();
  await expect.poll(() => kept.keys()).not.toContain('/a');
  await expect(page.locator('.wg-run-title')).toHaveText('One key, two lives');
  await page.getByRole('button', { name: 'Go back to your run' }).click();
  await expect.poll(() => kept.keys()).toEqual(['/a', '/b', '/c']);
  await note.getByRole('button', { name: 'Discard this line' }).click();
  await expect(note).toHaveCount(0);
});

test('a line without a response is replayed once and then set aside', async ({ page, watchglass, terminal, kept }) => {
  await poison(page, 'poison', 'is swallowed');
  await watchglass.open('?scenario=empty');
  await terminal.run('put /a 1');
  await kept.settle();
  await terminal.run('put /poison 1');
  await page.reload();
  await expect(page.locator('.wg-run-title').last()).toHaveText('Sandbox');
  // This time is longer than a working engine is ever silent.
  await page.evaluate(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + 6_000;
  });
  await kept.reload();
  await expect.poll(() => kept.keys()).toEqual(['/a']);
  await expect(kept.notices.filter({ hasText: 'put /poison 1' })).toContainText('did not finish this line');
});

test('a second tab shows a message and works on a copy', async ({ context, watchglass, terminal, kept }) => {
  await watchglass.open('?scenario=empty');
  await terminal.run('put /both 1');
  await kept.settle();
  const other = await context.newPage();
  const second = modelsOf(other);
  await second.watchglass.open('?scenario=empty');
  await expect(second.kept.notices).toContainText('This run is open in another tab.');
  await terminal.run('put /first 1');
  await second.terminal.run('put /second 1');
  await second.kept.settle();
  await kept.reload();
  await second.kept.reload();
  await expect.poll(() => kept.keys()).toEqual(['/both', '/first']);
  await expect.poll(() => second.kept.keys()).toEqual(['/both', '/second']);
});

test('without locks, the tab that opens a run last owns it, and the other tab works on a copy', async ({ context, watchglass, terminal, kept }) => {
  await context.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined }));
  await watchglass.open('?scenario=empty');
  await terminal.run('put /both 1');
  await kept.settle();
  const other = await context.newPage();
  const second = modelsOf(other);
  await second.watchglass.open('?scenario=empty');
  await second.terminal.run('put /second 1');
  await terminal.run('put /first 1');
  await expect(kept.notices).toContainText('This tab continues with a copy.');
  await kept.settle();
  await kept.reload();
  await second.kept.reload();
  await expect.poll(() => kept.keys()).toEqual(['/both', '/first']);
  await expect.poll(() => second.kept.keys()).toEqual(['/both', '/second']);
});

test('a lesson resumes where the learner was', async ({ lesson, watchglass, terminal, kept }) => {
  await watchglass.open('?lesson=L04');
  await lesson.goTo('The second generation');
  await terminal.run('put /mine 1');
  await kept.settle();
  await watchglass.open('?lesson=L02');
  await expect(lesson.title).not.toHaveText('The second generation');
  await lesson.open('L04');
  await expect.poll(() => kept.keys()).toContain('/mine');
  await expect(lesson.title).toHaveText('The second generation');
});

test('the runs are listed, named, opened and deleted by keyboard', async ({ page, watchglass, terminal, kept }) => {
  await watchglass.open('?scenario=empty');
  await terminal.run('put /a 1');
  await kept.settle();
  await watchglass.open('?scenario=slow-client');
  await terminal.run('put /b 1');
  await terminal.run('put /c 1');
  await kept.settle();
  await kept.open();
  expect(await violations(page)).toEqual([]);
  await expect(kept.runs).toHaveCount(2);
  await expect(kept.runs.first()).toContainText('A slow client');
  await expect(kept.runs.first()).toContainText('2 commands');
  await expect(kept.runs.first()).toContainText('open now');
  const sandbox = kept.run('sandbox, etcd 3.7');
  await sandbox.getByRole('button', { name: /^Rename/ }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('My first');
  await page.keyboard.press('Enter');
  await expect(kept.run('My first')).toContainText('1 command');
  await kept.run('My first').getByRole('button').first().focus();
  await page.keyboard.press('Enter');
  await expect(kept.dialog).toHaveCount(0);
  await expect.poll(() => kept.keys()).toEqual(['/a']);
  await kept.open();
  await kept.run('A slow client').getByRole('button', { name: /^Delete/ }).focus();
  await page.keyboard.press('Enter');
  await kept.run('A slow client').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(kept.runs).toHaveCount(1);
  await watchglass.open('?scenario=slow-client');
  expect(await kept.keys()).not.toContain('/b');
});

test('the start page names the last run', async ({ page, watchglass, terminal, kept }) => {
  await watchglass.open('?scenario=slow-client');
  await terminal.run('put /a 1');
  await kept.settle();
  await page.goto('./');
  await page.getByRole('link', { name: 'Continue where you were: A slow client' }).click();
  await watchglass.ready();
  await expect.poll(() => kept.keys()).toContain('/a');
  await page.goto('./');
  await page.getByRole('link', { name: 'Your runs' }).click();
  await expect(kept.runs).toHaveCount(1);
});

test('data of an earlier version is imported', async ({ page, watchglass, kept }) => {
  await watchglass.open('?app');
  await page.evaluate(() => localStorage.setItem('watchglass.1.tail', 'put /old 1\u001eput /old 2\u001e'));
  await watchglass.open('?app');
  await expect.poll(() => kept.keys()).toContain('/old');
  expect(await page.evaluate(() => localStorage.getItem('watchglass.1.tail'))).toBeNull();
  await kept.settle();
  await kept.reload();
  await expect.poll(() => kept.keys()).toContain('/old');
});

test('without the database, the journal alone restores everything', async ({ page, watchglass, terminal, kept }) => {
  await page.addInitScript(() => {
    window.indexedDB.constructor.prototype.open = () => { throw new DOMException('no', 'SecurityError'); };
  });
  await watchglass.open('?scenario=empty');
  await terminal.run('put /a 1');
  await terminal.run('put /b 1');
  await kept.pause();
  await kept.reload();
  await expect.poll(() => kept.keys()).toEqual(['/a', '/b']);
});

test('Back leads from lesson to lesson, and to the sandbox', async ({ page, watchglass, terminal, kept, lesson }) => {
  await watchglass.open('?app');
  await terminal.run('put /mine 1');
  await kept.settle();
  await lesson.open('L01');
  await expect(page).toHaveURL(/lesson=L01/);
  const first = await lesson.title.textContent();
  await lesson.open('L02');
  await expect(page).toHaveURL(/lesson=L02/);
  await page.goBack();
  await expect(page).toHaveURL(/lesson=L01/);
  await expect(lesson.title).toHaveText(first);
  await page.goBack();
  await expect(lesson.rail).toHaveCount(0);
  await expect.poll(() => kept.keys()).toContain('/mine');
  await page.goForward();
  await expect(lesson.title).toHaveText(first);
});

test('Back leads from a saved run to the run before', async ({ page, watchglass, terminal, kept, lesson }) => {
  await watchglass.open('?lesson=L01');
  await terminal.run('put /first 1');
  await kept.settle();
  await watchglass.open('?lesson=L02');
  await terminal.run('put /second 1');
  await kept.settle();
  const entries = await page.evaluate(() => history.length);
  await lesson.open('L01');
  await expect.poll(() => kept.keys()).toContain('/first');
  expect(await page.evaluate(() => history.length)).toBe(entries + 1);
  await page.goBack();
  await expect(page).toHaveURL(/lesson=L02/);
  await expect.poll(() => kept.keys()).toContain('/second');
});

test('the first address of a sandbox adds no entry to the history', async ({ page, watchglass, terminal, kept }) => {
  await watchglass.open('?app');
  const entries = await page.evaluate(() => history.length);
  await terminal.run('put /mine 1');
  await kept.pause();
  expect(await page.evaluate(() => history.length)).toBe(entries);
});

test('the run is exported as a script and as a trace, by pointer and by keyboard', async ({ page, watchglass, terminal }) => {
  await watchglass.open('?scenario=empty-3.4');
  await terminal.run('put /key1 "it\'s"');
  await terminal.run('lease grant 60');
  const save = async (choose) => {
    const download = page.waitForEvent('download');
    await choose();
    const file = await download;
    return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')];
  };
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('button', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export' });
  await expect(dialog).toContainText('The run from its start to step');
  expect(await violations(page)).toEqual([]);
  const [name, script] = await save(() => dialog.getByRole('button', { name: 'Script for a real etcd' }).click());
  expect(name).toBe('run.sh');
  expect(script).toContain("\nrun 1 etcdctl put /key1 'it'\\''s'\n#1: OK\n");
  expect(script).toMatch(/\ngrant 2 (\w{16}) etcdctl lease grant 60\n#2: lease \1 granted with TTL\(60s\)\nlease1=\$granted\n/);
  const [lines, trace] = await save(() => dialog.getByRole('button', { name: 'Trace as JSON lines' }).click());
  expect(lines).toBe('trace.jsonl');
  const events = trace.trim().split('\n').map((line) => JSON.parse(line));
  expect(events.find((event) => event.kind === 'changed').fields.key).toBe('/key1');
  const [perfetto, text] = await save(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('perfetto');
    await page.keyboard.press('Enter');
  });
  expect(perfetto).toBe('trace.perfetto.json');
  const records = JSON.parse(text).traceEvents;
  const count = (phase) => records.filter((record) => record.ph === phase).length;
  expect(count('s')).toBe(count('f'));
  expect(count('b')).toBe(2);
});
