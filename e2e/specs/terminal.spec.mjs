// Typing commands: outputs, errors, completion, history, transactions, pasting, and typing during playback.
import { expect, inOnePage as test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass }) => {
  await watchglass.begin();
});

async function emptyStore({ page }) {
  await page.evaluate(() => window.watchglass.load('empty'));
  await expect(page.getByRole('slider')).toHaveAttribute('aria-valuemax', '0');
}

test('a put creates a revision, a get prints a value, a wrong word is explained', async ({ terminal, time, open }) => {
  await open.choose(/^etcd 3\.7/);
  await expect(time.slider).toHaveAttribute('aria-valuemax', '0');
  await terminal.run('put /key1 value1');
  await expect(terminal.last).toContainText('OK');
  await expect(time.readout).toContainText('revision 2');
  await terminal.run('get /key1');
  await expect(terminal.last.locator('.wg-out')).toHaveText('/key1\nvalue1');
  await terminal.run('put /key1');
  await expect(terminal.last.locator('.wg-err')).toContainText('Error:');
  await expect(time.readout).toContainText('revision 2');
});

test('an empty store offers a first command to click', async ({ page, time }) => {
  await emptyStore({ page });
  await page.getByRole('button', { name: 'put /key1 value1' }).first().click();
  await expect(time.readout).toContainText('revision 2');
});

test('without the focus, the terminal ends with whole lines above its field', async ({ page, terminal }) => {
  await emptyStore({ page });
  await page.setViewportSize({ width: 1280, height: 720 });
  await terminal.run('help');
  await expect(terminal.last).toContainText('help put');
  await page.locator('.wg-picture').click();
  await expect(page.locator('.wg-terminal')).not.toHaveClass(/is-active/);
  await expect(page.getByRole('button', { name: 'Download output' })).toBeHidden();
  const bottom = async (locator) => {
    const { y, height } = await locator.boundingBox();
    return y + height;
  };
  await expect.poll(async () => Math.round(await bottom(terminal.last.locator('pre').last()) - await bottom(terminal.log))).toBe(0);
  expect((await terminal.prompt.boundingBox()).y - await bottom(terminal.log)).toBeGreaterThanOrEqual(2);
});

test('without the focus, a long line of JSON shows its beginning', async ({ page, terminal }) => {
  await emptyStore({ page });
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const key of ['a', 'b', 'c']) await terminal.run(`put ${key} ${'x'.repeat(40)}`);
  await terminal.run('get --prefix "" -w json');
  await page.locator('.wg-picture').click({ position: { x: 700, y: 10 } });
  await expect(page.locator('.wg-terminal')).not.toHaveClass(/is-active/);
  const output = terminal.last.locator('pre');
  await expect(output).toHaveText(/^\{"header"/);
  await expect.poll(async () => (await output.boundingBox()).height).toBeLessThan(20);
});

test('the story pauses while a person types', async ({ page, terminal, time }) => {
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await terminal.prompt.click();
  await page.keyboard.type('get /key1 --rev=2 and more [ ] ? / text', { delay: 60 });
  await expect(terminal.prompt).toHaveValue('get /key1 --rev=2 and more [ ] ? / text');
  expect(await time.step(), 'typing took longer than a beat').toBeLessThanOrEqual(2);
  await expect(time.button(/Pause/), 'it still plays').toBeVisible();
  await expect(page.getByLabel('Speed')).toHaveValue('0');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('Tab completes, arrows choose, Escape closes; Escape then Tab leaves', async ({ page, terminal }) => {
  await terminal.prompt.focus();
  await page.keyboard.type('pu');
  await page.keyboard.press('Tab');
  await expect(terminal.prompt).toHaveValue('put ');
  await terminal.prompt.fill('get --pre');
  await page.keyboard.press('Tab');
  await expect(terminal.prompt).toHaveValue('get --prefix ');
  await terminal.prompt.fill('');
  await page.keyboard.type('get /key1 --');
  await page.keyboard.press('Tab');
  await expect(terminal.completions.first()).toBeVisible();
  const second = await terminal.completions.nth(1).locator('code').innerText();
  await page.keyboard.press('ArrowDown');
  await expect(terminal.completions.nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(terminal.prompt).toHaveValue(new RegExp(`^get /key1 ${second}`));
  await expect(terminal.completions).toHaveCount(0);
  await expect(terminal.prompt).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(terminal.prompt).not.toBeFocused();
});

test('leaving the prompt closes the completions', async ({ page, terminal }) => {
  await terminal.prompt.fill('p');
  await page.keyboard.press('Tab');
  await expect(terminal.completions.first()).toBeVisible();
  await page.getByRole('tab', { name: 'Watch', exact: true }).click();
  await expect(terminal.completions).toHaveCount(0);
});

test('arrows recall earlier lines', async ({ page, terminal }) => {
  await terminal.run('get a');
  await terminal.run('get b');
  // Until a line has its response, it is in another list.
  await expect(terminal.last).toContainText('get b');
  await page.keyboard.press('ArrowUp');
  await expect(terminal.prompt).toHaveValue('get b');
  await page.keyboard.press('ArrowUp');
  await expect(terminal.prompt).toHaveValue('get a');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(terminal.prompt).toHaveValue('');
});

test('a transaction prompts for its blocks; Ctrl-C cancels it', async ({ page, terminal, time }) => {
  await emptyStore({ page });
  const asks = page.locator('.wg-prompt label');
  await terminal.run('txn');
  await expect(asks).toContainText('compares:');
  await terminal.run('version("/a") = "0"');
  await terminal.run('');
  await expect(asks).toContainText('success requests');
  await terminal.run('put /a 1');
  await terminal.run('put /b 2');
  await expect(terminal.last, 'the lines so far').toContainText('put /a 1\nput /b 2');
  await terminal.run('');
  await expect(asks).toContainText('failure requests');
  await terminal.run('');
  await expect(terminal.last).toContainText('SUCCESS');
  await expect(time.readout).toContainText('revision 2');
  await terminal.run('txn');
  await expect(asks).toContainText('compares:');
  await page.keyboard.press('Control+c');
  await expect(asks).toContainText('$');
});

test('a loop has several lines, and a variable takes the output of a command', async ({ page, terminal, time }) => {
  await emptyStore({ page });
  const asks = page.locator('.wg-prompt label');
  await terminal.run('for i in 1 2; do');
  await expect(asks).toContainText('>');
  await terminal.run('put /k$i v');
  await expect(terminal.last, 'the lines so far').toContainText('put /k$i v');
  await terminal.run('done');
  await expect(time.readout).toContainText('revision 3');
  await terminal.run('rev=$(etcdctl endpoint status -w json | jq ".[0].Status.header.revision")');
  await terminal.run('compact $rev');
  await expect(terminal.last).toContainText('compacted revision 3');
});

test('on a phone, the field is below a long prompt, and the lines so far stay in sight', async ({ page, terminal }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await emptyStore({ page });
  await page.getByRole('button', { name: 'Terminal' }).click();
  const asks = page.locator('.wg-prompt label');
  await terminal.run('txn');
  await expect(asks).toContainText('compares:');
  await terminal.run('');
  await expect(asks).toContainText('success requests');
  await terminal.run('put /a 1');
  await expect(terminal.last).toContainText('put /a 1');
  await expect(terminal.last).toBeInViewport({ ratio: 1 });
  // The placeholder is shorter than the field.
  const room = await terminal.prompt.evaluate((field) => {
    const text = document.createElement('canvas').getContext('2d');
    const { fontSize, fontFamily } = getComputedStyle(field, '::placeholder');
    text.font = `${fontSize} ${fontFamily}`;
    return field.clientWidth - 16 - text.measureText(field.placeholder).width;
  });
  expect(room).toBeGreaterThan(0);
});

test('Ctrl-C at an empty prompt ends the newest watch', async ({ page, terminal }) => {
  await emptyStore({ page });
  await terminal.run('watch a');
  await terminal.run('watch b as jobs');
  await expect(terminal.last).toContainText('jobs watches b');
  await page.keyboard.press('Control+c');
  await expect(terminal.last).toContainText('$ unwatch jobs');
  await page.keyboard.press('Control+c');
  await expect(terminal.last).toContainText('$ unwatch w1');
  await page.keyboard.press('Control+c');
  await terminal.run('put a 1');
  await expect(terminal.last).toContainText('put a 1');
});

test('pasted lines run one after another; an unfinished line stays in the prompt', async ({ page, terminal, time }) => {
  await emptyStore({ page });
  await terminal.paste('put /a 1\nput /b 2\nget /');
  await expect(time.readout).toContainText('revision 3');
  await expect(terminal.prompt).toHaveValue('get /');
});

test('a write at an earlier step starts a branch, and both branches stay', async ({ page, terminal, time }) => {
  await page.evaluate(() => window.watchglass.seek({ step: 3 }));
  await terminal.run('put /other 1');
  await expect(page.locator('.wg-button.is-chip')).toHaveText(/branch\s2\sof\s2/);
  await expect(time.slider).toHaveAttribute('aria-valuemax', '4');
  await page.locator('.wg-button.is-chip').click();
  await page.locator('.wg-dropdown-list').getByRole('button', { name: /^1 · / }).click();
  await expect(time.slider).toHaveAttribute('aria-valuemax', '10');
});

test('a step does not redraw the remaining entries', async ({ page, time }) => {
  await emptyStore({ page });
  await page.evaluate(() => window.watchglass.exec('for i in {1..200}; do put /a $i; done'));
  await page.evaluate(() => window.watchglass.seek({ step: 180 }));
  await expect(time.readout).toContainText('step 180');
  const middle = page.locator('.wg-entry').filter({ hasText: 'put /a 178' });
  await middle.evaluate((entry) => { entry.dataset.mark = 'here'; });
  for (const step of [181, 182, 181]) {
    await page.evaluate((to) => window.watchglass.seek({ step: to }), step);
    await expect(time.readout).toContainText(`step ${step}`);
    await expect(middle).toHaveAttribute('data-mark', 'here');
  }
});

test('an entry leads to its moment', async ({ page, time }) => {
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await page.getByRole('button', { name: 'Go to step 5' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuenow', '5');
});

test('an empty sandbox suggests a first command, and then a second', async ({ page, terminal }) => {
  await emptyStore({ page });
  const suggestion = page.locator('.wg-suggestion');
  const input = page.getByRole('combobox', { name: 'Command' });
  await suggestion.getByRole('button', { name: 'put /key1 value1' }).click();
  await expect(input, 'one click types the command').toHaveValue('put /key1 value1');
  await input.press('Enter');
  await expect(suggestion.getByRole('button')).toHaveText(['$ get /key1 --rev=2', '$ watch /key1 as w1']);
  await suggestion.getByRole('button', { name: 'get /key1 --rev=2' }).click();
  await expect(input).toHaveValue('get /key1 --rev=2');
  await input.press('Enter');
  await expect(terminal.last).toContainText('value1');
  await expect(suggestion).toHaveCount(0);
});
