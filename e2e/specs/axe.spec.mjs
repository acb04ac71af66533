// No violation that axe can find, in each theme, at the start, in the middle, and with everything open.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { WatchglassPage } from '../models/page.mjs';
import { Open } from '../models/open.mjs';

async function violations(page) {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => (
    `${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1]?.trim()}`
  )));
}

for (const theme of ['light', 'dark', 'projector']) {
  test(`${theme}: no violations`, async ({ page }) => {
    await new WatchglassPage(page).open(`?theme=${theme}`);
    expect(await violations(page), 'at the start').toEqual([]);
    await page.evaluate(() => window.watchglass.step(5));
    await expect(page.locator('.wg-past')).toBeVisible();
    expect(await violations(page), 'in the past').toEqual([]);
    await page.keyboard.press('?');
    expect(await violations(page), 'with the help').toEqual([]);
    await page.keyboard.press('Escape');
    await new Open(page).text('$ etcdctl put foo bar\nNO\n$ etcdctl get --rev=99 foo\n');
    await expect(page.locator('.wg-err')).toBeVisible();
    await page.locator('.wg-open').click();
    expect(await violations(page), 'with an error and a menu').toEqual([]);
  });
}

for (const [width, height] of [[390, 844], [800, 450]]) {
  test(`${width}x${height}: no violations`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await new WatchglassPage(page).open();
    await page.evaluate(() => window.watchglass.step(5));
    expect(await violations(page)).toEqual([]);
  });
}
