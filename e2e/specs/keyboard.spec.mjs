// The whole story can be used without a mouse; no key traps the focus or has an unexpected effect.
import { expect, inOnePage as test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass }) => {
  await watchglass.begin();
});

test('arrows, Shift, Ctrl, Home and End move the cursor', async ({ page, time }) => {
  const { slider } = time;
  const press = async (key, step) => {
    await page.keyboard.press(key);
    await expect(slider, key).toHaveAttribute('aria-valuenow', String(step));
  };
  await press('ArrowRight', 1);
  await press('ArrowRight', 2);
  await press('ArrowLeft', 1);
  await press('Control+ArrowRight', 3);
  await press('Control+ArrowRight', 5);
  await press('Control+ArrowLeft', 3);
  await press('End', 10);
  await press('Shift+ArrowLeft', 0);
  await press('Shift+ArrowRight', 10);
  await press('Home', 0);
});

test('arrow keys choose a value in a focused row of values, and do not move the cursor', async ({ page, time }) => {
  const axis = page.getByRole('radiogroup', { name: 'Axis' });
  const value = (name) => axis.getByRole('radio', { name, exact: true });
  await page.keyboard.press('End');
  await value('Step').focus();
  for (const [key, name] of [['ArrowRight', 'Time'], ['ArrowRight', 'Revision'], ['ArrowRight', 'Step'], ['End', 'Revision']]) {
    await page.keyboard.press(key);
    await expect(value(name)).toBeFocused();
    await expect(value(name)).toBeChecked();
    await expect(axis.getByRole('radio', { checked: true })).toHaveCount(1);
  }
  // Tab stops once at the row, no matter which value is selected.
  await expect(axis.locator('[tabindex="0"]')).toHaveCount(1);
  await expect(time.slider).toHaveAttribute('aria-valuenow', '10');
});

test('every key press counts, even in quick succession', async ({ page, time }) => {
  const { slider } = time;
  for (let at = 0; at < 8; at += 1) await page.keyboard.press('ArrowRight');
  await expect(slider).toHaveAttribute('aria-valuenow', '8');
});

test('Space plays and pauses, brackets change the speed', async ({ page, time }) => {
  await page.keyboard.press(']');
  await page.keyboard.press(']');
  await expect(page.getByLabel('Speed')).toHaveValue('2');
  await page.keyboard.press('[');
  await expect(page.getByLabel('Speed')).toHaveValue('1');
  await page.keyboard.press('Space');
  await expect(time.button(/Pause/)).toBeVisible();
  await page.keyboard.press('Space');
  await expect(time.button(/Play/)).toBeVisible();
});

test('after a choice with the pointer, the keys of the page work again; the keyboard keeps its focus', async ({ page }) => {
  const speed = page.getByLabel('Speed');
  await speed.selectOption('0');
  await speed.focus();
  await page.keyboard.press('ArrowDown');
  await expect(speed).toHaveValue('1');
  await expect(speed).toBeFocused();
  // Browsers draw the list of options themselves, so the test sends the events of a choice with the pointer.
  await speed.dispatchEvent('pointerdown');
  await speed.selectOption('2');
  await expect(speed).not.toBeFocused();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys and commands' })).toBeVisible();
});

test('Ctrl+K works while a choice has the focus', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=cache/compaction_passes_the_cache&at=beat:2&view=cache');
  await page.getByLabel('Time span').focus();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Find' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('dialog')).toHaveCount(0);
});

test('the slider has a readable position and its own keys', async ({ page, time }) => {
  const { slider } = time;
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  await expect(slider).toHaveAttribute('aria-valuetext', 'step 1 of 10, revision 2, put /key1 value1');
  await page.keyboard.press('End');
  await expect(slider).toHaveAttribute('aria-valuenow', '10');
});

test('Tab reaches every control and returns to the start', async ({ page, watchglass }) => {
  // The first Tab after a load goes to the first control.
  await page.reload();
  await watchglass.ready();
  const reached = new Set();
  for (let at = 0; at < 90; at += 1) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const { activeElement: on } = document;
      if (!on || on === document.body) return 'the end';
      return on.id || on.getAttribute('aria-label') || on.getAttribute('role') || on.textContent.trim();
    });
    reached.add(name);
    if (name === 'the end') break;
  }
  for (const name of ['Next', 'wg-prompt', 'Step of the run', 'Height of the terminal', 'Theme', 'the end']) {
    expect([...reached].join(' | ')).toContain(name);
  }
});

test('keys make the terminal higher and lower', async ({ page }) => {
  const edge = page.getByRole('separator');
  const height = () => page.locator('.wg-terminal').evaluate((terminal) => terminal.offsetHeight);
  // The terminal has three lines until it gets the focus.
  await page.locator('#wg-prompt').focus();
  const before = await height();
  await edge.focus();
  await page.keyboard.press('ArrowUp');
  await expect.poll(height).toBeGreaterThan(before);
});

test('/ goes to the terminal even when it is closed', async ({ page, terminal }) => {
  await page.getByRole('button', { name: 'Close the terminal' }).click();
  await page.keyboard.press('/');
  await expect(terminal.prompt).toBeFocused();
});

test('? opens the help, Escape closes it, and the single keys can be switched off', async ({ page, watchglass, time }) => {
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys and commands' })).toBeVisible();
  await page.getByRole('checkbox').uncheck();
  await page.keyboard.press('Escape');
  // The browser hides the dialog before the page knows that it is closed, and until then the page ignores keys.
  await expect(page.locator('dialog')).toHaveCount(0);
  await page.keyboard.press('?');
  // The page handles keys in order.
  await page.keyboard.press('End');
  await expect(time.slider).toHaveAttribute('aria-valuenow', '10');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.reload();
  await watchglass.ready();
  await page.keyboard.press('?');
  await page.keyboard.press('Home');
  await expect(time.slider).toHaveAttribute('aria-valuenow', '0');
  await expect(page.getByRole('dialog'), 'after a reload too').toHaveCount(0);
});
