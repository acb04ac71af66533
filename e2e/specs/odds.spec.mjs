// When did it become inevitable? The dialog repeats the run from earlier steps and names the turning point.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

const dialog = (page) => page.getByRole('dialog', { name: 'When did it become inevitable?' });

const open = async (page) => {
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Find a lesson' })).toBeFocused();
  await page.keyboard.type('inevitable');
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
};

test('the keyboard alone finds the step that made two containers inevitable, and opens a run without them', async ({
  page, watchglass,
}) => {
  await watchglass.open('?scenario=cache/a_stale_list_runs_a_pod_twice&at=end');
  await open(page);
  const ending = dialog(page).getByRole('button', { name: /^Two containers have the identity of one pod/ });
  await expect(ending).toContainText('for the first time after step');
  expect(await violations(page)).toEqual([]);
  await ending.press('Enter');
  await expect(dialog(page)).toContainText(/From step \d+, \d+ of 50 replays still avoided it; from step \d+, none of 50\. With a confidence of 99 %, at least 91 %/);
  await expect(dialog(page)).toContainText('(start kubelet-node-1)');
  expect(await violations(page)).toEqual([]);
  await dialog(page).getByText('All results').click();
  expect(await dialog(page).getByRole('row').count()).toBeGreaterThan(20);
  await dialog(page).getByRole('button', { name: 'Open a replay without this ending' }).press('Enter');
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Branches of this run' })).toContainText('2');
  const shown = await page.evaluate(() => window.watchglass.exec('show containers'));
  expect(shown.output).toContain('default/web-0');
  expect(shown.output).not.toContain('two containers');
  // The branch has no such ending, and says so.
  await open(page);
  await expect(dialog(page)).toContainText('Nothing on this list happened up to the cursor');
  expect(watchglass.complaints).toEqual([]);
});

test('a condition of one\'s own is searched, and a wrong one says how to correct it', async ({ page, watchglass, views }) => {
  await watchglass.open('?scenario=empty');
  await views.exec('watch a as w1', 'net w1 down loss 1/3', 'put a 1', 'run 100ms');
  await open(page);
  const field = dialog(page).getByRole('textbox', { name: /^Or your own condition/ });
  await field.fill('store.revision == 2');
  await field.press('Enter');
  await expect(dialog(page).getByRole('alert')).toContainText('`store` has no field `revision`; its fields are rev');
  await field.fill('store.rev == 9');
  await field.press('Enter');
  await expect(dialog(page).getByRole('alert')).toContainText('The condition is not true after any step');
  await field.fill('watch("w1").events.len == 1');
  await field.press('Enter');
  await expect(dialog(page)).toContainText(/From step \d+, \d+ of 50 replays still avoided it/);
  for (const [width, height] of [[390, 844], [800, 450]]) {
    await page.setViewportSize({ width, height });
    const wide = await dialog(page).evaluate((node) => node.scrollWidth - node.clientWidth);
    expect(wide, `${width}x${height}`).toBe(0);
  }
});

test('replays stop when asked and when the dialog closes, and the page stays quick', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=museum/etcd_20281&at=end');
  await page.evaluate(() => {
  });
  await open(page);
  await dialog(page).getByRole('button', { name: /^A guarantee/ }).click();
  await expect(dialog(page)).toContainText(/\d+ replays so far/);
  await dialog(page).getByRole('button', { name: 'Stop' }).click();
  await expect(dialog(page).getByRole('button', { name: 'Stop' })).toHaveCount(0);
  await dialog(page).getByRole('checkbox').click();
  await expect(dialog(page).getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  expect(await page.evaluate(() => window.watchglass.exec('get /a'))).toBeTruthy();
});

test('a message on its way can arrive later, on a branch of its own', async ({ page, watchglass, views }) => {
  await watchglass.open('?scenario=empty');
  await views.exec('watch a as w1', 'net w1 down delay 50ms', 'put a 1', 'run 100ms');
  await page.evaluate(() => window.watchglass.seek({ revision: 2 }));
  await page.keyboard.press('4');
  await views.messages.locator('.msg-label').filter({ hasText: 'PUT a at 2' }).click();
  const delay = page.getByRole('button', { name: /^delay \d+ 200ms$/ });
  await expect(delay).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await delay.press('Enter');
  await expect(page.getByRole('button', { name: 'Branches of this run' })).toContainText('2');
  const label = views.messages.locator('.msg-label').filter({ hasText: 'PUT a at 2' }).first();
  await label.click();
  await expect(page.locator('.wg-inspector')).toContainText('delayed by a command');
  await page.evaluate(() => window.watchglass.exec('run 260ms'));
  const { output } = await page.evaluate(() => window.watchglass.exec('recv w1'));
  expect(output).toBe('PUT\na\n1\n');
});
