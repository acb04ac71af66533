// Real input: transcripts with and without outputs, long transcripts, and text that is not a transcript.
import { expect, inOnePage as test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass }) => {
  await watchglass.begin();
});

test('outputs that differ are shown side by side', async ({ page, open, terminal }) => {
  await open.text('$ etcdctl put foo bar\nOK\n$ etcdctl get foo\nfoo\nbaz\n');
  await expect(open.notice).toContainText('1 of 2 outputs differs');
  // The folded terminal has no room for a comparison.
  await terminal.prompt.focus();
  const differs = page.locator('.wg-differs');
  await expect(differs).toHaveCount(1);
  const [said, answers] = [differs.locator('figure').first(), differs.locator('figure').last()];
  await expect(said).toContainText('in the transcript');
  await expect(said.locator('pre')).toHaveText('foo\nbaz');
  await expect(answers).toContainText('in Watchglass');
  await expect(answers.locator('pre')).toHaveText('foo\nbar');
  const [left, right] = [await said.boundingBox(), await answers.boundingBox()];
  expect(left.y).toBe(right.y);
  expect(left.x + left.width).toBeLessThanOrEqual(right.x);
});

test('the notice leads to the outputs that differ, and their words are marked', async ({ page, open }) => {
  const puts = Array.from({ length: 60 }, (_, n) => `$ etcdctl put k${n} ${n}\nOK\n`).join('');
  await open.text(`$ etcdctl put a 1\nOK\n$ etcdctl get a\na\n2\n${puts}$ etcdctl get k1\nk1\n20\n${puts}`);
  await open.notice.getByRole('button', { name: 'Show the differences' }).click();
  const found = page.locator('.wg-entry.is-found');
  await expect(found.locator('.wg-command')).toContainText('get a');
  await expect(found).toBeInViewport();
  await expect(found.locator('mark')).toHaveText(['2', '1']);
  for (const mark of await found.locator('mark').all()) await expect(mark).toBeInViewport({ ratio: 0.9 });
  await open.notice.getByRole('button', { name: 'Next' }).click();
  await expect(found.locator('.wg-command')).toContainText('get k1');
  await expect(found).toBeInViewport();
  await expect(open.notice).toContainText('2 of 2');
  await open.notice.getByRole('button', { name: 'Previous' }).click();
  await expect(found.locator('.wg-command')).toContainText('get a');
});

test('on a phone, the buttons of the notice leave enough room for its text', async ({ page, open }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open.text('$ etcdctl put a 1\nOK\n$ etcdctl get a\na\n2\n$ etcdctl get a\na\n3\n');
  const width = async () => (await open.notice.locator('p').boundingBox()).width;
  expect(await width()).toBeGreaterThan(280);
  await open.notice.getByRole('button', { name: 'Show the differences' }).click();
  await expect(open.notice.getByRole('button', { name: 'Previous' })).toBeVisible();
  expect(await width()).toBeGreaterThan(280);
  const of = (selector) => page.locator(selector).evaluate((element) => element.scrollHeight - element.clientHeight);
  expect(await of('html'), 'the page does not scroll').toBeLessThanOrEqual(0);
});

test('the text of the dialog is not lost', async ({ page, open }) => {
  await open.choose(/Paste or open/);
  await open.field.fill('$ etcdctl put foo bar\n');
  await page.keyboard.press('Escape');
  await open.choose(/Paste or open/);
  await expect(open.field).toHaveValue('$ etcdctl put foo bar\n');
  const text = '$ etcdctl put foo bar\nOK\n$ systemctl restart etcd\n';
  await open.field.fill(text);
  await page.getByRole('button', { name: 'Run it' }).click();
  await open.notice.getByRole('button', { name: 'Edit the text' }).click();
  await expect(open.field).toHaveValue(text);
});

test('a pasted transcript is offered as a new run', async ({ page, terminal, time, open }) => {
  await terminal.paste('$ etcdctl put foo bar\nOK\n');
  await expect(open.field).toHaveValue('$ etcdctl put foo bar\nOK\n');
  await page.getByRole('button', { name: 'Run it' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '1');
});

test('a dropped file opens as a run, and an undo restores the previous run', async ({ page, terminal, time, open }) => {
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await terminal.run('put /mine 1');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
  await open.drop('run.txt', '$ etcdctl put a 1\n$ etcdctl put b 2\n$ etcdctl del a\n');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '3');
  await page.getByRole('button', { name: 'Go back to your run' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '11');
});

for (const [what, name, bytes, answer] of [
  ['prose', 'letter.txt', 'Dear sir,\n\nthis is a letter.\n', /line 1/i],
  ['an image', 'cat.png', [0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff], /is not text/],
  ['nothing', 'empty.txt', '', /./],
]) {
  test(`${what} is refused with a reason, and the run stays`, async ({ page, time, open }) => {
    await page.evaluate(() => window.watchglass.seek({ step: 4 }));
    await open.drop(name, bytes);
    await expect(open.notice).toContainText(answer);
    await expect(open.notice).toHaveClass(/is-bad/);
    expect(await time.steps()).toBe(10);
    expect(await time.step()).toBe(4);
  });
}

test('a transcript of 5 MB loads with a progress bar, can be stopped, and typing still works', async ({ page, terminal, time, open }) => {
  test.setTimeout(180_000);
  await open.choose(/Paste or open/);
  await open.field.evaluate((field) => {
    const value = 'x'.repeat(60);
    const lines = [];
    for (let at = 0, size = 0; size < 5_000_000; at += 1) {
      const line = `$ etcdctl put /key/${at % 1000} ${value}${at}`;
      lines.push(line);
      size += line.length + 1;
    }
    field.value = lines.join('\n');
  });
  await page.getByRole('button', { name: 'Run it' }).click();
  const stop = open.notice.getByRole('button', { name: 'Stop' });
  await expect(stop).toBeVisible();
  await terminal.prompt.click();
  await page.keyboard.type('get /key1');
  await expect(terminal.prompt).toHaveValue('get /key1');
  await stop.click();
  await expect(open.notice).toContainText('Stopped');
  expect(await time.steps(), 'the run is as it was').toBe(10);
});
