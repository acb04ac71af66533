// Random commands are typed on copies of the run until a failure occurs, and the needed ones can be typed on the run.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

const TITLE = 'Search for a failure';
const dialog = (page) => page.getByRole('dialog', { name: TITLE });

const open = async (page) => {
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Find a lesson' })).toBeFocused();
  await page.keyboard.type(TITLE);
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
};

test('the keyboard alone finds bugs of etcd 3.4.23, one after the other, and opens one as a branch', async ({
  page, watchglass,
}) => {
  await watchglass.open('?scenario=museum/etcd_17529&at=beat:1');
  await open(page);
  expect(await violations(page)).toEqual([]);
  const button = (name) => dialog(page).getByRole('button', { name, exact: true });
  const commands = dialog(page).getByRole('group', { name: 'The commands that are needed' });
  await button('Search').press('Enter');
  await expect(dialog(page).getByRole('status')).toContainText(/A guarantee .* is broken.*\(etcd#\d+\).*Found after/s);
  const first = await commands.textContent();
  await button('Search for another bug').press('Enter');
  await expect(dialog(page)).toContainText('The search passes over 2 known bugs that it has found.');
  expect(await commands.textContent()).not.toBe(first);
  expect(await violations(page)).toEqual([]);
  for (const [width, height] of [[390, 844], [800, 450]]) {
    await page.setViewportSize({ width, height });
    const wide = await dialog(page).evaluate((node) => node.scrollWidth - node.clientWidth);
    expect(wide, `${width}x${height}`).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await button('Type these commands').press('Enter');
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Branches of this run' })).toContainText('2');
  // The branch has the failure: it can be asked when the failure became inevitable.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('inevitable');
  await page.keyboard.press('Enter');
  const ending = page.getByRole('button', { name: /^A guarantee .* is broken/ });
  await expect(ending).toContainText('for the first time after step');
  expect(watchglass.complaints).toEqual([]);
});

test('a search that finds nothing stops when asked and when the dialog closes', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=empty');
  await open(page);
  const status = dialog(page).getByRole('status');
  await dialog(page).getByRole('combobox', { name: 'Search for' }).selectOption('A read misses an acknowledged write');
  await dialog(page).getByRole('button', { name: 'Search', exact: true }).click();
  await expect(status).toContainText(/^[1-9][\d,]* attempts? so far/);
  await dialog(page).getByRole('button', { name: 'Stop' }).click();
  await expect(status).toContainText(/^No failure in [\d,]+ attempts/);
  await dialog(page).getByRole('button', { name: 'Search on' }).click();
  await expect(dialog(page).getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  expect(await page.evaluate(() => window.watchglass.exec('get /a'))).toBeTruthy();
  expect(watchglass.complaints).toEqual([]);
});
