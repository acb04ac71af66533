// The violations that axe finds on a page, as text.
import axe from 'axe-core';

// Without descriptions of the elements that pass: on a large page, they take most of axe's time.
const OPTIONS = { resultTypes: ['violations'] };

export const violations = (page) => found(page, OPTIONS);

// Returns the violations in all themes. Themes differ in colours alone, so axe checks all rules once and the contrast in
// the other themes.
export async function violationsInThemes(page) {
  const all = await violations(page);
  const begun = await page.evaluate(() => document.documentElement.dataset.theme);
  for (const theme of ['light', 'dark', 'projector'].filter((one) => one !== begun)) {
    await setTheme(page, theme);
    const of = await found(page, { ...OPTIONS, runOnly: ['color-contrast'] });
    all.push(...of.map((one) => `${theme}: ${one}`));
  }
  await setTheme(page, begun);
  return all;
}

// Sets the theme of an open page, without transitions; `undefined` is the theme of the system.
const setTheme = (page, theme) => page.evaluate((theme) => {
  if (theme === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const moving of document.getAnimations()) if (moving instanceof CSSTransition) moving.finish();
}, theme);

async function found(page, options) {
  for (const frame of page.frames()) {
    if (!await frame.evaluate(() => 'axe' in window)) await frame.evaluate(axe.source);
  }
  const of = await page.evaluate(async (options) => (await window.axe.run(options)).violations, options);
  return of.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => (
    `${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1]?.trim()}`
  )));
}
