// Two branches side by side: their last common step, and the differences at their ends.
import { expect, test } from '../fixtures.mjs';
import { violations } from '../models/axe.mjs';

test('two branches are compared in tables', async ({ page, watchglass, views }) => {
  await watchglass.open('?scenario=empty');
  await views.exec('put /a 1', 'watch /a --prefix as w1', 'put /a 2', 'put /c 1');
  await page.evaluate(async () => {
    const { watchglass } = window;
    await watchglass.seek({ revision: 2 });
  });
  await views.exec('put /b x', 'put /c 1');
  await page.getByRole('button', { name: 'Branches of this run' }).click();
  await page.getByRole('button', { name: /^Compare two/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Two branches side by side' });
  await expect(dialog).toContainText(/Branches 1 and 2 share steps? 1.* and differ after/);
  const first = dialog.getByRole('table', { name: /^Step \d+ is the first that differs/ });
  await expect(first.getByRole('cell')).toHaveText([/^w1 asks etcd for new events/, /\/b is created/]);
  const cells = (table, name) => dialog.getByRole('table').nth(table + 1).getByRole('row', { name }).getByRole('cell');
  await expect(cells(0, /^revision/)).toHaveText(['4', '4']);
  await expect(cells(0, /^commands/).nth(0)).toContainText('put /a 2');
  await expect(cells(0, /^commands/).nth(1)).toHaveText('put /b xput /c 1');
  await expect(cells(1, /^\/a/)).toHaveText(['2mod_revision 3, version 2', '1mod_revision 2, version 1']);
  await expect(cells(1, /^\/b/)).toHaveText(['absent', 'xmod_revision 3, version 1']);
  await expect(dialog).toContainText('The same in both: 1 key.');
  await expect(cells(2, /^w1/)).toHaveText(['syncedwatches /a*', 'absent']);
  expect(await violations(page)).toEqual([]);
  // A branch that is compared with itself has no differences.
  await dialog.getByRole('combobox', { name: 'First branch' }).selectOption('2 · put /b x');
  await expect(dialog).toContainText('Both are branch 2.');
  await expect(dialog).toContainText('No key differs. The same in both: 3 keys.');
  for (const [width, height] of [[390, 844], [800, 450]]) {
    await page.setViewportSize({ width, height });
    const wide = await dialog.evaluate((node) => node.scrollWidth - node.clientWidth);
    expect(wide, `${width}x${height}`).toBe(0);
  }
});
