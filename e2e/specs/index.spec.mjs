// The Index view and the inspector: the picture, the keyboard, the bytes.
import { expect, inOnePage as test } from '../fixtures.mjs';
import { denseRun, PODS, TXN } from '../models/runs.mjs';

const DOM_NODES_MAX = 1400;

// Calls methods of `window.watchglass` in the page, one after another: `[['seek', {step: 3}], …]`.
async function drive(page, calls) {
  await page.evaluate(async (list) => {
    for (const [name, argument] of list) await window.watchglass[name](argument);
  }, calls);
}

const exec = (...lines) => lines.map((line) => ['exec', line]);
const TWO_LIVES = 'put /key1 value1\nput /key1 value2\ndel /key1\nput /key1 value3\n';
const END = ['seek', { step: 1_000_000 }];
const grid = (page) => page.getByRole('grid', { name: /^Keys and their changes/ });
const cell = (page, name) => grid(page).getByRole('gridcell', { name });
const active = (page) => page.locator('#loom-active-cell');

test.beforeEach(async ({ watchglass }) => {
  await watchglass.begin();
});

test('the opening story shows one key with two generations', async ({ page }) => {
  await drive(page, [['load', TWO_LIVES], END]);
  const stage = page.locator('.loom-stage');
  await expect(stage.locator('.loom-bead')).toHaveCount(4);
  await expect(stage.locator('.loom-bead.tomb')).toHaveCount(1);
  await expect(stage.locator('.loom-bead.old text')).toHaveText(['value1', 'value2']);
  await expect(stage.locator('.loom-bead.live text')).toHaveText(['value3']);
  await expect(stage.locator('.loom-label')).toHaveText(['g0 · 3 changes', 'g1 · 1 change']);
  await expect(stage.locator('.loom-tick.head')).toHaveText('5');
  await expect(page.getByRole('figure', { name: 'Index: keys by revision' })).toContainText(
    '/key1: generation 0, 3 changes, deleted at revision 4; generation 1, 1 change, live since revision 5.',
  );
});

test('the legend stays open while the terminal has the focus', async ({ page }) => {
  const legend = page.locator('.loom-legend');
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(legend).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.locator('.wg-terminal')).toHaveClass(/is-active/);
  await expect.poll(async () => (await page.locator('.loom').boundingBox()).height).toBeLessThan(464);
  await expect(legend).toBeVisible();
});

test('no element moves while the story continues', async ({ page }) => {
  await drive(page, [['load', TWO_LIVES], ['seek', { step: 1 }]]);
  const first = page.locator('.loom-stage .loom-bead').first();
  await expect(first).toBeVisible();
  const places = [];
  for (let step = 1; step <= 4; step++) {
    await drive(page, [['seek', { step }]]);
    await expect(page.locator('.loom-stage .loom-bead')).toHaveCount(step);
    const { x, y } = await first.locator('rect').boundingBox();
    places.push(`${Math.round(x)} ${Math.round(y)}`);
  }
  expect(new Set(places).size).toBe(1);
});

test('the picture keeps its height when the legend has no entries', async ({ page }) => {
  const stage = page.locator('.loom-stage');
  const legend = page.locator('.loom-legend li');
  await drive(page, [['load', TWO_LIVES], ['seek', { step: 1 }]]);
  await expect(legend.first()).toBeVisible();
  const { height } = await stage.boundingBox();
  await drive(page, [['seek', { step: 0 }]]);
  await expect(legend).toHaveCount(0);
  expect((await stage.boundingBox()).height).toBe(height);
});

test('the keyboard moves through beads and lanes, and Enter inspects', async ({ page }) => {
  await drive(page, [['load', PODS], END]);
  await cell(page, /web-1 revision 15/).waitFor({ state: 'attached' });
  await grid(page).focus();
  await expect(active(page)).toHaveText(/^\/registry\/nodes\/n1 revision 14, version 4, Ready, live, g0/);
  await page.keyboard.press('ArrowDown');
  await expect(active(page)).toHaveText(/^\/registry\/pods\/web-1 revision 15, tombstone, g0/);
  await page.keyboard.press('ArrowLeft');
  await expect(active(page)).toHaveText(/^\/registry\/pods\/web-1 revision 12, version 3, Failed, superseded, g0/);
  await expect(page.locator('.loom-stage .loom-ring.focus')).toHaveCount(1);
  await page.keyboard.press('Home');
  await expect(active(page)).toHaveText(/^\/registry\/pods\/web-1, does not exist/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(cell(page, /web-1 revision 3,/)).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.insp-key')).toHaveText('/registry/pods/web-1');
  await expect(page.locator('.insp-title')).toHaveText('Row at revision 3.0');
});

test('a click shows the row down to its bytes', async ({ page }) => {
  await drive(page, [['load', TWO_LIVES], END]);
  const beads = page.locator('.loom-stage .loom-bead');
  await expect(beads).toHaveCount(4);
  await beads.nth(1).locator('rect').click({ force: true });
  await expect(page.locator('.insp-rev[aria-pressed=true]')).toHaveText('3.0');
  await page.getByRole('tab', { name: 'Bytes' }).click();
  const bytes = page.locator('.insp-bytes');
  await expect(bytes.first()).toHaveAttribute('aria-label', '00000000000000035f0000000000000000');
  // The KeyValue of the second put: key, create_revision 2, mod_revision 3, version 2, value.
  await expect(bytes.nth(1)).toHaveAttribute('aria-label', '0a052f6b6579311002180320022a0676616c756532');
  await page.getByRole('tab', { name: 'Generations' }).click();
  await page.getByRole('button', { name: 'revision 4.0, tombstone' }).click();
  await page.getByRole('tab', { name: 'Bytes' }).click();
  await expect(bytes.first()).toHaveAttribute('aria-label', '00000000000000045f000000000000000074');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const json = JSON.parse(await page.locator('.insp-json').innerText());
  expect(json.generations.map((generation) => generation.ver)).toEqual([3, 1]);
  await page.getByRole('tab', { name: 'Generations' }).click();
});

test('after a click, the inspector shows the bead, and no tooltip covers the lanes', async ({ page }) => {
  await drive(page, [['load', PODS], END]);
  const failed = page.locator('.loom-stage .loom-bead', { hasText: 'Failed' });
  await failed.locator('rect').first().hover({ force: true });
  await expect(page.locator('.loom-tip')).toContainText('Failed');
  await failed.locator('rect').first().click({ force: true });
  await expect(page.locator('.loom-tip')).toHaveCount(0);
  await expect(page.locator('.wg-inspector')).toContainText('Failed');
  await page.mouse.move(640, 20);
  await expect(active(page)).toHaveText(/web-1 revision 12/);
  // The keyboard continues from the clicked bead.
  await page.keyboard.press('ArrowLeft');
  await expect(page.locator('.loom-tip')).toContainText('Running');
});

test('after a click on a name, the tooltip of the key does not cover the next lane', async ({ page }) => {
  await drive(page, [['load', PODS], END]);
  const tip = page.locator('.loom-tip');
  const name = page.locator('.loom-stage .loom-name').first();
  await name.hover({ force: true });
  await expect(tip).toContainText('/registry/nodes/n1');
  await name.click({ force: true });
  await expect(tip).toHaveCount(0);
});

test('beside the overview, no lane is sliced, and different values look different', async ({ page, views }) => {
  await views.load('for i in {1..60}; do put /app/key-$i a-long-value-of-key-$i; done');
  const stage = page.locator('.loom-stage');
  await expect(page.locator('.loom-overview')).toHaveCount(1);
  const sliced = () => stage.evaluate((one) => {
    const lines = [...one.querySelectorAll('.loom-name')].map((name) => name.getBoundingClientRect());
    const ruler = one.getBoundingClientRect().top + 34;
    return lines.filter((line) => line.top < ruler).length;
  });
  await expect.poll(sliced).toBe(0);
  await stage.evaluate((one) => { one.scrollTop = 247; });
  await expect.poll(sliced).toBe(0);
  const texts = await stage.locator('.loom-bead text').allTextContents();
  const values = texts.filter((text) => text !== '');
  expect(new Set(values).size).toBe(values.length);
});

test('a compaction moves its line and marks the rows that it preserves with pins', async ({ page }) => {
  await drive(page, [['load', PODS], END, ...exec('compact 8'), END]);
  const stage = page.locator('.loom-stage');
  await expect(stage.locator('.loom-flag.floor text')).toHaveText('compacted 8');
  await expect(stage.locator('.loom-bead.kept .loom-pin')).toHaveCount(4);
  await expect(stage.locator('.loom-bead.gone')).toHaveCount(3);
  await expect(cell(page, /web-1 revision 7, version 2, Running, kept by the compaction, g0/)).toHaveCount(1);
  await cell(page, /web-1 revision 3,/).evaluate((element) => element.click());
  await expect(page.locator('.insp-gone')).toHaveText('Row removed by the compaction at 8.');
});

test('a read is a line through the lanes, and no line crosses a label', async ({ page }) => {
  await drive(page, [['load', PODS], END, ...exec(TXN, 'compact 8', 'get /registry/pods/ --prefix --rev=16')]);
  const stage = page.locator('.loom-stage');
  await expect(stage.locator('.loom-cut')).toHaveCount(1);
  await expect(stage.locator('.loom-flag.read text')).toContainText('--rev=16');
  await expect(stage.locator('.loom-ring.answered')).toHaveCount(1);
  await expect(stage.locator('.loom-join')).toHaveCount(1);
  const crossed = await stage.evaluate((element) => {
    const boxes = (selector) => [...element.querySelectorAll(selector)].map((found) => found.getBoundingClientRect());
    const lines = boxes('.loom-cut, .loom-join, .loom-floor-line');
    return boxes('.loom-label').filter((label) => lines.some((line) => line.left > label.left && line.left < label.right
      && line.top < label.bottom && line.bottom > label.top)).length;
  });
  expect(crossed).toBe(0);
  await drive(page, exec('get /registry/pods/web-1 --rev=5'));
  await expect(stage.locator('.loom-cut.refused')).toHaveCount(1);
  await expect(stage.locator('.loom-flag.refused text')).toContainText('refused');
});

test('two thousand keys stay within the budget of nodes, and can be filtered', async ({ page }) => {
  await drive(page, [['load', denseRun({ keys: 2000, events: 3000 })], END]);
  await expect(page.locator('.loom-count')).toHaveText('2000 keys');
  const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);
  expect(await nodes()).toBeLessThanOrEqual(DOM_NODES_MAX);
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '2000');
  await page.getByRole('button', { name: /^Fit/ }).click();
  await expect(cell(page, /revisions \d+ to \d+/).first()).toBeAttached();
  expect(await nodes()).toBeLessThanOrEqual(DOM_NODES_MAX);
  await page.getByRole('searchbox', { name: 'Show keys that contain' }).fill('obj-77');
  await expect(page.locator('.loom-count')).toHaveText('11 of 2000 keys');
  expect(await nodes()).toBeLessThanOrEqual(DOM_NODES_MAX);
});

test('the key that was written last is visible, no matter how many keys there are', async ({ page, views }) => {
  await views.load('for i in {1..60}; do put /app/key-$i v$i; done');
  const stage = page.locator('.loom-stage');
  const bottom = () => stage.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
  await expect.poll(bottom, 'the last of sixty lanes').toBeLessThan(3);
  await views.exec('put /app/key-1 again');
  await expect.poll(() => stage.evaluate((one) => one.scrollTop), 'the first lane').toBe(0);
});

test('in the order of keys, the lanes of a range are next to each other, and a bracket names the range', async ({ page, views }) => {
  await views.load('put /b/1 x', 'put /a/2 x', 'put /c x', 'put /a/1 x', 'get /a/ --prefix');
  const stage = page.locator('.loom-stage');
  const order = page.getByRole('radiogroup', { name: 'Order of the keys' });
  const keys = () => grid(page).getByRole('row').evaluateAll((rows) => rows.map((row) => row.textContent.match(/\/[abc](\/[12])?/)[0]));
  await expect.poll(keys).toEqual(['/b/1', '/a/2', '/c', '/a/1']);
  await expect(stage.locator('.loom-range')).toHaveCount(0);
  await order.getByRole('radio', { name: 'By key' }).click();
  await expect.poll(keys).toEqual(['/a/1', '/a/2', '/b/1', '/c']);
  await expect(stage.locator('.loom-range')).toHaveCount(1);
  await expect(stage.locator('.loom-range-name')).toHaveText('/a/*');
  await order.getByRole('radio', { name: 'By creation' }).click();
  await expect.poll(keys).toEqual(['/b/1', '/a/2', '/c', '/a/1']);
  await expect(stage.locator('.loom-range')).toHaveCount(0);
});

test('the overview has all lanes, and dragging its box scrolls them', async ({ page, views }) => {
  await views.load('put /key-0 v');
  await expect(page.locator('.loom-overview'), 'one lane fits').toHaveCount(0);
  await views.load('for i in {1..60}; do put /app/key-$i v$i; done', 'put /app/key-1 again');
  const stage = page.locator('.loom-stage');
  const top = () => stage.evaluate((one) => one.scrollTop);
  await expect.poll(top).toBe(0);
  const strip = page.locator('.loom-overview');
  const box = strip.locator('.loom-overview-box');
  await expect(strip.locator('.loom-overview-written')).toHaveCount(1);
  await expect(strip.locator('.loom-overview-shade').first()).toBeAttached();
  const [from, all] = [await box.boundingBox(), await strip.boundingBox()];
  expect(from.height, 'some of the lanes').toBeLessThan(all.height / 2);
  await page.mouse.move(from.x + 5, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + 5, all.y + all.height + 50, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => stage.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop)).toBeLessThan(3);
  expect((await box.boundingBox()).y, 'the box follows').toBeGreaterThan(from.y + 20);
});

test('keys without a change on the stage fold away and come back, by mouse and keyboard', async ({ page, views }) => {
  await views.load('put /app/key-1 v', 'get /app/key-1');
  await expect(page.getByRole('button', { name: 'Fold unchanged' }), 'all lanes fit').toHaveCount(0);
  await views.load('for i in {1..80}; do put /app/key-$i v$i; done', 'for i in {1..90}; do put /app/key-7 again-$i; done');
  const lanes = () => grid(page).getAttribute('aria-rowcount');
  await expect.poll(lanes).toBe('80');
  await page.getByRole('button', { name: 'Fold unchanged' }).click();
  const folded = page.getByRole('button', { name: /^\d+ more keys?, unchanged$/ });
  await expect(folded).toHaveAttribute('aria-expanded', 'false');
  const hidden = Number((await folded.textContent()).match(/\d+/)[0]);
  expect(hidden).toBeGreaterThan(0);
  await expect.poll(lanes).toBe(String(80 - hidden));
  await expect(cell(page, /key-7 revision 171,/)).toHaveCount(1);
  await expect(page.locator('.loom-count')).toHaveText(`${80 - hidden} of 80 keys`);
  await page.getByRole('radio', { name: 'By key' }).click();
  await expect.poll(lanes).toBe(String(80 - hidden));
  await views.exec('put /app/key-3 now');
  await expect(cell(page, /key-3 revision 172,/), 'a write unfolds its key').toHaveCount(1);
  await folded.focus();
  await page.keyboard.press('Enter');
  await expect.poll(lanes).toBe('80');
  await expect(page.getByRole('button', { name: 'Fold unchanged' })).toBeFocused();
});
