// Scrubbing: by click, by dragging in both directions, on each axis, and over a run that is too long for marks.
import { expect, inOnePage as test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass }) => {
  await watchglass.begin();
});

test('a click seeks to the nearest mark', async ({ time }) => {
  await time.click(0.5);
  await expect(time.slider).toHaveAttribute('aria-valuenow', '5');
  await time.click(0.999);
  await expect(time.slider).toHaveAttribute('aria-valuenow', '10');
  await time.click(0.001);
  await expect(time.slider).toHaveAttribute('aria-valuenow', '0');
});

test('dragging scrubs through the steps, in both directions', async ({ time }) => {
  const there = await time.drag(0.05, 0.95);
  expect(there.size, [...there].join()).toBeGreaterThan(4);
  await expect(time.slider).toHaveAttribute('aria-valuenow', /^(9|10)$/);
  await time.drag(0.95, 0.2);
  await expect(time.slider).toHaveAttribute('aria-valuenow', '2');
  await expect(time.readout).toContainText('revision 2');
});

test('pictures that arrive in one frame are rendered once', async ({ page, time }) => {
  const renderings = await time.slider.evaluate(async (slider) => {
    const perFrame = [0];
    const count = () => {
      perFrame.push(0);
      window.requestAnimationFrame(count);
    };
    window.requestAnimationFrame(count);
    const observer = new MutationObserver(() => { perFrame[perFrame.length - 1] += 1; });
    observer.observe(slider, { attributes: true, attributeFilter: ['aria-valuenow'] });
    for (let press = 0; press < 100; press += 1) {
      const key = press % 2 ? 'Home' : 'End';
      slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      await new Promise((next) => { setTimeout(next, 1); });
    }
    return perFrame;
  });
  expect(renderings.filter((count) => count > 0).length, renderings.join()).toBeGreaterThan(1);
  // A frame can have a second rendering, if a choice of the reader changes after the first.
  const all = renderings.reduce((sum, count) => sum + count, 0);
  expect(all, renderings.join()).toBeLessThanOrEqual(renderings.length);
  await expect(time.slider).toHaveAttribute('aria-valuenow', '0');
  await expect(page.locator('.wg-mark')).toHaveCount(10);
});

test('a script that waits for its move finds the page there', async ({ time }) => {
  const positions = await time.slider.evaluate(async (slider) => {
    const found = [];
    for (const step of [2, 9, 3, 7]) {
      await window.watchglass.seek({ step });
      found.push(Number(slider.getAttribute('aria-valuenow')));
    }
    return found;
  });
  expect(positions).toEqual([2, 9, 3, 7]);
});

test('marks have the shape of their events', async ({ page }) => {
  await expect(page.locator('.wg-mark')).toHaveCount(10);
  await expect(page.locator('.wg-mark.is-write')).toHaveCount(3);
  await expect(page.locator('.wg-mark.is-delete')).toHaveCount(1);
  await expect(page.locator('.wg-mark.is-read')).toHaveCount(6);
});

test('on the revision axis, a read is at the write that it follows', async ({ page }) => {
  const x = (kind) => page.locator(kind).evaluateAll((marks) => marks.map((mark) => mark.getAttribute('transform')));
  expect(new Set(await x('.wg-mark')).size).toBe(10);
  await page.getByRole('radio', { name: 'Revision', exact: true }).click();
  await expect.poll(async () => new Set(await x('.wg-mark')).size).toBe(4);
});

test('10,000 steps are drawn as columns and scrubbed in time', async ({ page, time }) => {
  test.setTimeout(120_000);
  await page.evaluate(() => {
    let text = '';
    for (let at = 0; at < 10_000; at += 1) text += `$ etcdctl put /k${at % 200} v${at}\n`;
    return window.watchglass.load(text);
  });
  await page.evaluate(() => window.watchglass.seek({ step: 10_000 }));
  await expect(time.slider).toHaveAttribute('aria-valuemax', '10000');
  await expect(page.locator('.wg-mark')).toHaveCount(0);
  await expect(page.locator('.wg-bins')).toBeVisible();
  await time.drag(0.9, 0.3);
  await expect.poll(async () => Math.abs((await time.step()) - 3000)).toBeLessThan(60);
});

test('the columns on the canvas have the colours of the theme', async ({ page, time }) => {
  await page.evaluate(() => {
    let text = '';
    for (let at = 0; at < 2_000; at += 1) text += `$ etcdctl put /k${at % 200} v${at}\n`;
    return window.watchglass.load(text);
  });
  await expect(time.slider).toHaveAttribute('aria-valuemax', '2000');
  // Returns the colours of all opaque pixels, and the colour that the theme has for the columns.
  const painted = () => page.evaluate(() => {
    const canvas = document.querySelector('.wg-bins');
    const probe = document.body.appendChild(document.createElement('span'));
    probe.style.color = 'var(--wg-hatch)';
    const wanted = getComputedStyle(probe).color;
    probe.remove();
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255) colours.add(`rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`);
    }
    return { colours: [...colours], wanted: [wanted] };
  });
  const seen = new Set();
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(async () => {
      const { colours, wanted } = await painted();
      return String(colours) === String(wanted) && seen.add(String(wanted)).size;
    }).toBe(colorScheme === 'light' ? 1 : 2);
  }
});

test('the curves say how far watchers and caches lag behind', async ({ page, time, views }) => {
  await expect(page.locator('.wg-curves'), 'nothing lags in this run').toHaveCount(0);
  await views.load('watch /a as w1', 'pause w1', ...Array.from({ length: 5 }, (_, at) => `put /a ${at}`), 'resume w1', 'run 1s');
  const lag = page.locator('.wg-curves .is-lag');
  await expect(lag.first()).toBeAttached();
  await expect(page.locator('.wg-curves .is-stale')).toHaveCount(0);
  await expect(page.locator('#wg-curve-words')).toContainText(/The greatest watcher lag is 5 revisions after step \d+\./);
  const most = (await page.locator('#wg-curve-words').textContent()).match(/step (\d+)/)[1];
  await page.evaluate((step) => window.watchglass.seek({ step }), Number(most));
  await expect(time.slider).toHaveAttribute('aria-valuetext', /, watcher lag 5 revisions/);
  await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
  await expect(time.slider).not.toHaveAttribute('aria-valuetext', /lag/);
  await views.load('apiserver api-1', 'run 300ms', 'net api-1 hold', 'put /registry/pods/default/web-1 x', 'put /registry/pods/default/web-1 y');
  await expect(page.locator('.wg-curves .is-stale').first()).toBeAttached();
  await expect(page.locator('#wg-curve-words')).toContainText('The greatest cache lag is 2 revisions');
});

test('a beat without steps has a place of its own, which a click and single steps reach', async ({ page, watchglass, time }) => {
  await watchglass.open('?scenario=compaction/the_past_is_forgotten_and_the_present_kept');
  const kick = page.locator('.wg-kick');
  const place = page.locator('.wg-place');
  await expect(place).toHaveCount(3);
  const middle = async (locator) => {
    const box = await locator.boundingBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  for (const [number, beat] of [[0, 3], [1, 8], [2, 9]]) {
    const { x, y } = await middle(place.nth(number));
    await page.mouse.click(x, y);
    await expect(kick).toHaveText(`${beat} of 9`);
    await expect.poll(async () => Math.abs((await middle(page.locator('.wg-playhead circle'))).x - x)).toBeLessThan(1);
  }
  const last = await time.step();
  expect(last, 'the places after the last step').toBe(await time.steps());
  await time.button(/^One step back/).click();
  await expect(kick).toHaveText('8 of 9');
  await time.button(/^One step back/).click();
  await expect(kick).toHaveText('7 of 9');
  expect(await time.step()).toBe(last);
  await expect(time.button(/^One step \(/), 'beats follow').not.toHaveAttribute('aria-disabled', 'true');
  await time.button(/^One step \(/).click();
  await expect(kick).toHaveText('8 of 9');
  await expect(time.slider).toHaveAttribute('aria-valuetext', /show key-index a/);
});

test('a beat names itself when the pointer is on its bar, and a click goes to its end', async ({ page, watchglass, time }) => {
  await watchglass.open('?scenario=cache/an_overload_ends_out_of_memory&at=beat:1');
  const bars = page.locator('.wg-beat-bar');
  await expect(bars).toHaveCount(7);
  await expect(page.locator('.wg-beat-tick'), 'ticks over the density of the steps').not.toHaveCount(0);
  const tip = page.locator('.wg-beat-tip');
  await expect(tip).toBeHidden();
  await bars.nth(2).hover();
  await expect(tip).toHaveText('3 of 7: After 10 seconds, the clients give up and send new requests.');
  const [box, track] = [await tip.boundingBox(), await time.slider.boundingBox()];
  expect(box.y + box.height).toBeLessThanOrEqual(track.y + 1);
  expect(box.x).toBeGreaterThanOrEqual(track.x);
  await bars.nth(2).click();
  await expect(page.locator('.wg-beat')).toContainText('the clients give up');
  await page.mouse.move(box.x, box.y - 100);
  await expect(tip).toBeHidden();
});
