// The Messages view: lanes, arrows, faults of a message, and the cause of a message.
import { expect, inOnePage as test } from '../fixtures.mjs';

test.beforeEach(async ({ watchglass }) => {
  await watchglass.begin();
});

test('a put and the event that a watcher receives are arrows between lanes', async ({ views }) => {
  await views.load('watch /a --prefix as w1', 'put /a 1');
  await views.exec('recv w1');
  await views.open('Messages');
  await expect(views.messages.locator('.msg-lane')).not.toHaveCount(0);
  const rows = views.grid.getByRole('row');
  await expect(rows.filter({ hasText: 'PUT /a' }).first()).toBeAttached();
  await expect(views.messages.locator('.msg.events')).not.toHaveCount(0);
  await expect(views.messages.locator('.msg.request')).not.toHaveCount(0);
});

test('a selected message shows its cause, and leads to its step', async ({ page, views, time }) => {
  await views.load('watch /a --prefix as w1', 'put /a 1', 'put /b 1', 'put /a 2');
  await views.exec('recv w1');
  await views.open('Messages');
  await expect(views.messages.locator('.msg.events')).not.toHaveCount(0);
  await views.grid.focus();
  await page.keyboard.press('Home');
  for (let at = 0; at < 3; at += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.locator('.wg-inspector .insp-why li').first()).toBeVisible();
  expect(await time.step(), 'a selection does not move the cursor').toBe(await time.steps());
  await page.locator('.insp-head').getByRole('button', { name: /^Go to step/ }).click();
  await expect.poll(() => time.step()).toBeLessThan(await time.steps());
  await expect(views.messages.locator('.msg-halo')).toHaveCount(1);
  const numbers = await views.messages.locator('.msg-number-text').allTextContents();
  const causes = await page.locator('.wg-inspector .insp-why li > i').allTextContents();
  for (const number of numbers) expect(causes).toContain(number);
});

test('a click on the label of a message selects the message', async ({ page, views }) => {
  await views.load('put /a 1', 'put /b 1');
  await views.open('Messages');
  await views.messages.locator('.msg-label').filter({ hasText: '/b' }).first().click();
  await expect(page.locator('.insp-head')).toContainText('/b');
});

test('repeated rounds of messages are folded into one round, and older messages can be shown', async ({ page, views }) => {
  await views.load('watch /a --prefix as w1', 'for i in {1..40}; do put /a $i; run 100ms; done');
  await views.open('Messages');
  await expect(views.messages.locator('.msg-time.is-fold').filter({ hasText: /\d+ rounds, every 10\d/ }).first()).toBeVisible();
  const shown = views.messages.getByRole('status').filter({ hasText: /of \d/ });
  await expect(shown).toHaveCount(0);
  await views.load(...Array.from({ length: 40 }, (_, at) => `put /b${at} ${at}; run ${at}ms; get /b --prefix`));
  const newest = await shown.textContent();
  await page.getByRole('button', { name: 'Older' }).click();
  await expect(page.getByRole('button', { name: 'Newest' })).toBeEnabled();
  await expect(shown).not.toHaveText(newest);
  await page.getByRole('button', { name: 'Newest' }).click();
  await expect(page.getByRole('button', { name: 'Newest' })).toBeDisabled();
  await expect(shown).toHaveText(newest);
});

test('a held message does not move, and a message on a slow link is slanted', async ({ views }) => {
  await views.load('watch /a --prefix as w1', 'net w1 delay 5ms', 'put /a 1');
  await views.open('Messages');
  await expect(views.messages.locator('.msg.events, .msg.told')).not.toHaveCount(0);
  const slants = await views.messages.locator('.msg.events .msg-hit').evaluateAll(
    (lines) => lines.map((line) => line.x2.baseVal.value - line.x1.baseVal.value),
  );
  for (const slant of slants) expect(slant).toBeGreaterThan(0);
});

test('no line crosses a label', async ({ views }) => {
  await views.load(
    'watch /a --prefix as w1', 'watch /b --prefix as w2', 'put /a 1', 'put /b 1', 'get /a', 'put /a 2', 'del /b',
  );
  await views.open('Messages');
  await expect(views.messages.locator('.msg-label')).not.toHaveCount(0);
  const crossed = await views.messages.locator('svg.msg-svg:not(.msg-top)').evaluate((svg) => {
    const boxes = [...svg.querySelectorAll('.msg-label')].map((label) => label.getBBox());
    const lines = [...svg.querySelectorAll('.msg-hit, .msg-lane')].map((line) => (
      ['x1', 'y1', 'x2', 'y2'].map((name) => line[name].baseVal.value)
    ));
    const inside = (box, x, y) => x > box.x && x < box.x + box.width && y > box.y + 2 && y < box.y + box.height - 2;
    return boxes.filter((box) => lines.some(([x1, y1, x2, y2]) => {
      for (let at = 0; at <= 200; at += 1) {
        if (inside(box, x1 + ((x2 - x1) * at) / 200, y1 + ((y2 - y1) * at) / 200)) return true;
      }
      return false;
    })).length;
  });
  expect(crossed).toBe(0);
});

test('the legend names the lines in the picture and no other lines', async ({ views }) => {
  await views.load('watch /a --prefix as w1');
  await views.open('Messages');
  await expect(views.messages.locator('.msg.told'), 'the response to the request').not.toHaveCount(0);
  await expect(views.messages.locator('.msg.events')).toHaveCount(0);
  const names = views.messages.locator('.msg-legend li').filter({ hasText: /watch|lost/ });
  await expect(names).toHaveText(['watch request', 'watch response']);
  // The line of the legend has the class of the line in the picture.
  await expect(names.nth(1).locator('g')).toHaveClass('msg told');
});

test('on a phone, time runs downwards', async ({ page, views }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await views.load('watch /a --prefix as w1', 'put /a 1');
  await views.open('Messages');
  const lane = views.messages.locator('.msg-lane').first();
  await expect(lane).toBeAttached();
  const box = await lane.boundingBox();
  expect(box.height).toBeGreaterThan(box.width);
});

test('the list contains the same messages as the picture', async ({ views }) => {
  await views.load('watch /a --prefix as w1', 'put /a 1');
  await views.open('Messages');
  await expect(views.messages.locator('.msg')).not.toHaveCount(0);
  const arrows = await views.messages.locator('svg.msg-svg .msg').count();
  await views.messages.getByRole('button', { name: 'As a table' }).click();
  // One more row: the headings.
  await expect(views.grid.getByRole('row')).toHaveCount(arrows + 1);
});

test('the keys of the list count, even if they are pressed before the next picture', async ({ page, views }) => {
  await page.evaluate(() => window.watchglass.load('slow-client'));
  await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
  await views.open('Messages');
  await expect(views.grid).toHaveAttribute('aria-rowcount', '40');
  const press = (...keys) => views.grid.evaluate((grid, all) => {
    for (const key of all) grid.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  }, keys);
  await views.grid.focus();
  // The last row is not loaded yet.
  await press('End', 'Enter');
  await expect(views.grid.getByRole('row', { selected: true })).toHaveAttribute('aria-rowindex', '40');
  await press('ArrowUp', 'ArrowUp', 'Enter');
  await expect(views.grid.getByRole('row', { selected: true })).toHaveAttribute('aria-rowindex', '38');
});

test('before an audience, the notification for which a list waits has its name', async ({ page, watchglass }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?scenario=cache/a_consistent_list_waits_for_progress&at=beat:4&present');
  await expect(page.locator('.msg-label', { hasText: 'progress 3' })).toBeVisible();
});
