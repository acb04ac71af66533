// The violations that axe finds on a page, as text.
import { AxeBuilder } from '@axe-core/playwright';

// Without descriptions of the elements that pass: on a large page, they take most of axe's time.
const OPTIONS = { resultTypes: ['violations'] };

export const violations = (page) => found(page, OPTIONS);

// Returns the violations in all themes. Themes differ in colours alone, so axe checks all rules once and the contrast in
// the other themes.
export async function violationsInThemes(page) {
  const all = await violations(page);
  const begun = await page.evaluate(() => document.documentElement.dataset.theme);
  for (const theme of ['light', 'dark', 'projector'].filter((one) => one !== begun)) {
    await page.evaluate((one) => { document.documentElement.dataset.theme = one; }, theme);
    const of = await found(page, { ...OPTIONS, runOnly: ['color-contrast'] });
    all.push(...of.map((one) => `${theme}: ${one}`));
  }
  await page.evaluate((one) => {
    if (one === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = one;
  }, begun);
  return all;
}

async function found(page, options) {
  const { violations: of } = await new AxeBuilder({ page }).options(options).analyze();
  return of.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => (
    `${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1]?.trim()}`
  )));
}
