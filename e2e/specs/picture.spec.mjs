// Pictures as files: the SVG looks like the picture on the page, without the page's style sheets and controls.
import { readFile } from 'node:fs/promises';
import { expect, test } from '../fixtures.mjs';

const RUNS = {
  index: 'at-a-glance&at=end', watch: 'slow-client&at=beat:8', cache: 'cache/a_consistent_list_waits_for_progress&at=end',
  messages: 'list-and-watch&at=end', storage: 'at-a-glance&at=end', cluster: 'cluster/a_learner_becomes_a_voter&at=end',
  qos: 'qos/a_limit_by_cost_adapts_after_a_cleanup&at=end',
};

for (const [view, run] of Object.entries(RUNS)) {
  test(`the SVG of the ${view} view looks like the view, in both themes`, async ({ page, watchglass }) => {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await watchglass.open(`?scenario=${run}&view=${view}`);
      const picture = page.locator('.wg-picture');
      await expect(picture.locator('.wg-skeleton')).toHaveCount(0);
      const shot = async () => (await picture.screenshot()).toString('base64');
      await picture.evaluate((element) => {
        for (const control of element.querySelectorAll('.wg-button, select, input')) control.style.visibility = 'hidden';
      });
      const before = await shot();
      await picture.evaluate(async (element) => {
        const svg = await (await window.watchglassPicture(element, 'svg', '')).text();
        const copy = document.createElement('div');
        copy.innerHTML = svg;
        const { left, top } = element.getBoundingClientRect();
        Object.assign(copy.style, { position: 'fixed', left: `${left}px`, top: `${top}px`, zIndex: 9 });
        document.body.append(copy);
      });
      expect(await differing(page, before, await shot()), colorScheme).toBeLessThan(0.015);
    }
    expect(watchglass.complaints).toEqual([]);
  });
}

// Returns the share of the pixels that differ clearly.
function differing(page, ...pictures) {
  return page.evaluate(async (shots) => {
    const pixels = await Promise.all(shots.map(async (shot) => {
      const image = new Image();
      image.src = `data:image/png;base64,${shot}`;
      await image.decode();
      const pen = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
      pen.drawImage(image, 0, 0);
      return pen.getImageData(0, 0, image.width, image.height).data;
    }));
    const [a, b] = pixels;
    let count = 0;
    for (let at = 0; at < a.length; at += 4) count += [0, 1, 2].some((part) => Math.abs(a[at + part] - b[at + part]) > 80);
    return (count * 4) / a.length;
  }, pictures);
}

test('the picture of a view is saved as SVG and PNG, with its name, its text and no style', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=slow-client&at=beat:6');
  const save = async (choose) => {
    const download = page.waitForEvent('download');
    await choose();
    const file = await download;
    return [file.suggestedFilename(), await readFile(await file.path())];
  };
  const [svgName, svg] = await save(async () => {
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('button', { name: 'Export…' }).click();
    await page.getByRole('button', { name: 'Picture as SVG' }).click();
  });
  expect(svgName).toMatch(/^slow-client-watch-step-\d+\.svg$/);
  expect(svg.toString()).toMatch(/^<svg [^>]*role="img" aria-label="A slow client: Five more writes:/);
  expect(svg.toString()).not.toMatch(/ (class|style|id="wg-|data-\w+)=/);
  const [pngName, png] = await save(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('picture as PNG');
    await page.getByRole('option', { name: 'Picture as PNG' }).first().waitFor();
    await page.keyboard.press('Enter');
  });
  expect(pngName).toBe(svgName.replace('.svg', '.png'));
  const { width } = await page.locator('.wg-picture').boundingBox();
  expect(Math.abs(png.readUInt32BE(16) - 2 * width)).toBeLessThan(3);
});

test('if the script that draws pictures does not arrive, a notice says so, and the embed code has no picture', async ({ page, context, watchglass }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.route('**/static/picture.js', (route) => route.abort());
  await watchglass.open('?scenario=slow-client&at=beat:6');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('button', { name: 'Export…' }).click();
  await page.getByRole('button', { name: 'Picture as SVG' }).click();
  await expect(page.locator('.wg-notice')).toHaveText(/^The picture could not be drawn/);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('button', { name: 'Copy embed code' }).click();
  await expect(page.locator('.wg-notice')).toHaveText(/^HTML copied/);
  const code = await page.evaluate(() => navigator.clipboard.readText());
  expect(code).toContain('<figcaption><a href=');
  expect(code).not.toContain('<svg');
});
