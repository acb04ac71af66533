// A challenge from the view of a reader: the picture of the goal, commands in any way, a store that is past the goal, and
// the best number of commands, which the browser keeps.
import { expect, test } from '../fixtures.mjs';
import { violationsInThemes } from '../models/axe.mjs';

const panel = (page) => page.getByRole('complementary', { name: 'Challenge' });

test('the keyboard leads from the list to a solved challenge, and the best number is kept', async ({ page, watchglass, terminal, lesson }) => {
  await watchglass.open('?dialog=lessons');
  await lesson.card('two-lives').focus();
  await page.keyboard.press('Enter');
  const goal = panel(page).getByRole('img', { name: /revision 4.*\/a: version 1 at revision 2, deleted at revision 3, version 1 at revision 4/ });
  await expect(goal).toBeVisible();
  await expect(panel(page)).toContainText('0 commands · the solution has 3');
  await terminal.run('put /a one');
  await expect(panel(page)).toContainText('The goal has a delete of /a at revision 3, and your store does not.');
  await terminal.run('put /b one');
  await expect(panel(page)).toContainText('No command leads from your store to the goal');
  await panel(page).getByRole('button', { name: 'Undo' }).click();
  await expect(panel(page)).not.toContainText('No command leads');
  await terminal.run('del /nothing');
  await terminal.run('del /a');
  await terminal.run('put /a two');
  await expect(panel(page).locator('.lesson-solved')).toBeVisible();
  await expect(panel(page).getByRole('status')).toContainText('Solved. 4 commands · the solution has 3 · your best: 4');
  await panel(page).getByRole('button', { name: 'Restart' }).click();
  await expect(panel(page)).toContainText('0 commands · the solution has 3 · your best: 4');
  await panel(page).getByRole('button', { name: 'Solution' }).click();
  await panel(page).getByRole('button', { name: /Copy to the terminal/ }).first().click();
  await expect(terminal.prompt).toHaveValue('put /a v');
  await terminal.prompt.fill('');
  for (const line of ['put /a 1', 'del /a', 'put /a 2']) await terminal.run(line);
  await expect(panel(page)).toContainText('your best: 3');
  await panel(page).getByRole('button', { name: 'Next' }).click();
  await expect(panel(page).getByRole('heading', { name: 'One revision' })).toBeVisible();
  await watchglass.open('?dialog=lessons');
  await expect(lesson.card('two-lives')).toContainText('solved with 3 commands');
  expect(watchglass.complaints).toEqual([]);
});

test('in all windows, the goal is visible and nothing is cut off; no violations', async ({ page, watchglass, layout }) => {
  await watchglass.open('?lesson=woven&theme=light');
  await layout.inEach([[1440, 900], [1280, 720], [800, 450], [390, 844]], async () => {
    await expect(panel(page).locator('.challenge-goal .loom-svg')).toBeInViewport();
    expect(await layout.sideways()).toBe(0);
  });
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await violationsInThemes(page)).toEqual([]);
});
