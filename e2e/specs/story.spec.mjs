// The page opens on a story of ten steps that stands still until one starts it.
import { expect, test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass }) => {
  await watchglass.open();
});

test('opens paused at the start, with one obvious button', async ({ page, time }) => {
  expect(await time.step()).toBe(0);
  expect(await time.steps()).toBe(10);
  await expect(page.locator('.wg-button.is-primary')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Play the story' })).toBeVisible();
  await expect(time.past, 'a story that has not begun is no past').toHaveCount(0);
  await expect(time.button(/^Play/), 'it does not play').toBeVisible();
  expect(await time.step()).toBe(0);
});

test('plays to its end, tells every step, and stops', async ({ page, time }) => {
  await page.getByLabel('Speed').selectOption({ label: '8×' });
  await page.getByRole('button', { name: 'Play the story' }).click();
  await expect(time.button(/Pause/)).toBeVisible();
  await expect(time.slider).toHaveAttribute('aria-valuenow', '10');
  await expect(time.button(/Play/)).toBeVisible();
  await expect(time.readout).toContainText('revision 5');
  const keys = await page.evaluate(async () => (await window.watchglass.state()).keys);
  expect(keys[0].generations, 'two lives').toHaveLength(2);
});

test('every step has a remark and a sentence of its own', async ({ page, time }) => {
  const remarks = new Set();
  const sentences = new Set();
  for (let step = 1; step <= 10; step += 1) {
    await time.button(/^One step \(/).click();
    await expect(time.slider).toHaveAttribute('aria-valuenow', String(step));
    remarks.add(await page.locator('.wg-remark').innerText());
    sentences.add(await time.narration.innerText());
  }
  expect(remarks.size).toBe(10);
  expect(sentences.size, 'two pairs of reads find the same').toBe(8);
});

test('Next and Back walk through it; the past says so and leads back', async ({ page, time }) => {
  await page.getByRole('button', { name: 'One step', exact: true }).click();
  for (let step = 1; step < 4; step += 1) {
    await expect(time.slider).toHaveAttribute('aria-valuenow', String(step));
    await page.getByRole('button', { name: 'Next', exact: true }).click();
  }
  await expect(time.past).toContainText('You are at step 4 of 10.');
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(time.past).toContainText('You are at step 3 of 10.');
  await page.getByRole('button', { name: 'Return to the end' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuenow', '10');
  await expect(time.past).toHaveCount(0);
});

test('stepping back gives the very state there was', async ({ page }) => {
  const states = await page.evaluate(async () => {
    const { watchglass } = window;
    const there = [];
    for (let step = 0; step <= 10; step += 1) {
      there.push(JSON.stringify(await watchglass.state()));
      await watchglass.step(1);
    }
    const back = [];
    for (let step = 10; step >= 0; step -= 1) {
      await watchglass.seek({ step });
      back.unshift(JSON.stringify(await watchglass.state()));
    }
    return { there, back };
  });
  expect(new Set(states.there).size).toBe(11);
  expect(states.back).toEqual(states.there);
});

test('nothing runs while the page stands still', async ({ page }) => {
  const frames = await page.evaluate(async () => {
    let count = 0;
    const { requestAnimationFrame: request, setTimeout: timer } = window;
    window.requestAnimationFrame = (f) => { count += 1; return request(f); };
    window.setTimeout = (...rest) => { count += 1; return timer(...rest); };
    await new Promise((done) => { timer(done, 1500); });
    return count;
  });
  expect(frames).toBe(0);
});
