// A reader follows a story beat by beat, at the reader's own pace.
import { expect, test } from '../fixtures.mjs';

test('a story opens at its start, with an introduction and one main button', async ({ page, watchglass, time }) => {
  await watchglass.open();
  expect(await time.step()).toBe(0);
  expect(await time.steps()).toBe(10);
  await expect(page.locator('.wg-beat')).toContainText('key-value store behind Kubernetes');
  await expect(page.locator('.wg-button.is-primary')).toHaveText(['Next']);
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible();
  await expect(time.past, 'no note about an earlier step').toHaveCount(0);
  await expect(page.locator('.wg-inspector'), 'nothing is chosen').toBeHidden();
});

test('a story plays every beat, stops at its end, and offers links to continue with', async ({ page, watchglass, time }) => {
  await watchglass.open();
  await page.getByLabel('Speed').selectOption({ label: '16×' });
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(time.button(/Pause/)).toBeVisible();
  await expect(time.slider).toHaveAttribute('aria-valuenow', '10', { timeout: 20_000 });
  await expect(time.button(/Play/)).toBeVisible();
  await expect(time.readout).toContainText('revision 5');
  const keys = await page.evaluate(async () => (await window.watchglass.state()).keys);
  expect(keys[0].generations, 'two generations').toHaveLength(2);
  await page.getByRole('button', { name: 'Story: a slow client' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A slow client');
  await expect(page, 'the window names the run').toHaveTitle('A slow client · Watchglass');
});

test('playing waits for a reader who points at the picture', async ({ page, watchglass, time }) => {
  await page.clock.install();
  await watchglass.open();
  await page.getByLabel('Speed').selectOption({ label: '4×' });
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(time.slider).toHaveAttribute('aria-valuenow', '1');
  const picture = await page.locator('.wg-picture').boundingBox();
  for (let at = 0; at < 40; at += 1) {
    await page.mouse.move(picture.x + 50 + at, picture.y + 100);
    await page.waitForTimeout(100);
  }
  expect(await time.step(), 'without waiting, the step would be much later').toBeLessThanOrEqual(2);
  await expect(time.slider).not.toHaveAttribute('aria-valuenow', '2', { timeout: 15_000 });
});

test('every beat has a text of its own', async ({ page, watchglass, time }) => {
  await watchglass.open();
  const texts = new Set();
  const sentences = new Set();
  for (let step = 1; step <= 10; step += 1) {
    await time.button(/^One step \(/).click();
    await expect(time.slider).toHaveAttribute('aria-valuenow', String(step));
    texts.add(await page.locator('.wg-beat').innerText());
    sentences.add(await time.narration.innerText());
  }
  expect(texts.size).toBe(10);
  expect(sentences.size, 'two pairs of reads find the same').toBe(8);
});

test('Next, Back and the keys of a remote control move by beats', async ({ page, watchglass, time, views }) => {
  await watchglass.open('?scenario=slow-client');
  await expect(views.tab('Watch'), 'the view that the story names').toHaveAttribute('aria-selected', 'true');
  const kick = page.locator('.wg-kick');
  for (let beat = 1; beat <= 6; beat += 1) {
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await expect(kick).toHaveText(`${beat} of 12`);
  }
  // A beat has many steps.
  await expect(time.slider).toHaveAttribute('aria-valuenow', '23');
  await expect(views.watcher('worker').locator('title')).toContainText('client at revision 2, 5 events missing');
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(kick).toHaveText('5 of 12');
  await page.keyboard.press('PageDown');
  await expect(kick).toHaveText('6 of 12');
  await page.keyboard.press('PageUp');
  await expect(kick).toHaveText('5 of 12');
  await page.keyboard.press('ArrowRight');
  await expect(kick, 'an arrow key makes one step').toHaveText('6 of 12');
  await expect(time.slider).toHaveAttribute('aria-valuenow', '13');
  // The view that the reader has chosen stays.
  await views.open('Messages');
  await page.keyboard.press('PageDown');
  await expect(views.messages).toBeVisible();
});

test('the text of a beat lists all of its commands', async ({ page, watchglass }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await watchglass.open('?scenario=cache/a_stale_list_runs_a_pod_twice');
  await page.evaluate(() => window.watchglass.seek({ beat: 3 }));
  const commands = page.locator('.wg-happened code');
  await expect(commands).toHaveText([
    'stop kubelet-node-1',
    'move kubelet-node-1 api-2',
    'start kubelet-node-1',
    'run 1s',
    'show requests pods 2',
    'show containers',
  ]);
  await expect(page.locator('.wg-happened code.is-now')).toHaveCount(1);
  // A beat with very many commands lists the newest commands, and counts the earlier ones.
  await watchglass.open('?scenario=backend/a_put_waits_for_the_disk');
  await page.evaluate(() => window.watchglass.seek({ beat: 3 }));
  await expect(page.locator('.wg-happened p').first()).toHaveText(/^… \d+ earlier commands$/);
  await expect(commands).toHaveCount(12);
});

test('short code in a text stays on one line', async ({ page, watchglass, layout }) => {
  await watchglass.open('?scenario=slow-client');
  for (let beat = 1; beat <= 12; beat += 1) {
    await page.evaluate((beat) => window.watchglass.seek({ beat }), beat);
    await layout.inEach([[1280, 720], [1440, 900], [390, 844]], async () => {
      const lines = await page.locator('.wg-beat code').evaluateAll((all) => (
        all.filter((code) => code.textContent.length <= 24).map((code) => code.getClientRects().length)
      ));
      expect(Math.max(1, ...lines), `beat ${beat}`).toBe(1);
    });
  }
});

test('a reader who leaves a story by typing can return to it', async ({ page, watchglass, terminal, time }) => {
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ beat: 4 }));
  await terminal.run('put /mine 1');
  await expect(page.locator('.wg-branch-word')).toBeVisible();
  await page.getByRole('button', { name: 'Back to the story' }).click();
  await expect(time.slider).toHaveAttribute('aria-valuenow', '4');
  await expect(time.slider).toHaveAttribute('aria-valuemax', '10');
});

test('presenter mode shows only the picture and the text, in large type', async ({ page, watchglass }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?scenario=slow-client');
  await page.keyboard.press('p');
  for (const chrome of ['.wg-top', '.wg-tabs', '.wg-time', '.wg-terminal', '.wg-story-buttons']) {
    await expect(page.locator(chrome)).toBeHidden();
  }
  for (let beat = 0; beat < 6; beat += 1) await page.keyboard.press('ArrowRight');
  await expect(page.locator('.wg-beat')).toContainText('four wait in its channel');
  const sizes = await page.locator('.wg-beat, .wg-picture text, .wg-picture p, .wg-picture h3').evaluateAll((all) => {
    const zoom = Number(getComputedStyle(document.querySelector('.wg-app')).zoom);
    return all.filter((one) => one.textContent.trim()).map((one) => Number.parseFloat(getComputedStyle(one).fontSize) * zoom);
  });
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(20);
  await page.keyboard.press('b');
  await expect(page.locator('.wg-beat')).toBeHidden();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('.wg-beat'), 'any key shows the picture again').toContainText('four wait');
  await page.keyboard.press('Escape');
  await expect(page.locator('.wg-top')).toBeVisible();
});

test('the picture fills most of the window', async ({ page, watchglass, layout }) => {
  // A lesson has a column that is wide enough for its sentences.
  for (const [query, large, small] of [['?scenario=empty', 0.6, 0.55], ['?scenario=slow-client', 0.6, 0.55], ['?lesson=L04', 0.54, 0.51]]) {
    await watchglass.open(query);
    await layout.inEach([[1440, 900], [1280, 720]], async (width) => {
      await expect.poll(() => page.evaluate(() => {
        const picture = document.querySelector('.wg-picture').getBoundingClientRect();
        const top = document.querySelector('.wg-top').getBoundingClientRect().bottom;
        return (picture.width * picture.height) / (innerWidth * (innerHeight - top));
      }), query).toBeGreaterThanOrEqual(width === 1440 ? large : small);
    });
  }
});

test('a step back restores the exact earlier state', async ({ page, watchglass }) => {
  await watchglass.open();
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

test('an idle page sets no timer and requests no frame', async ({ page, watchglass, time }) => {
  await watchglass.open();
  // All work of the start is finished when the page announces the first beat.
  await page.evaluate(() => window.watchglass.step(1));
  await expect(page.locator('[aria-live=polite]').filter({ hasText: '1 of 10. ' })).toHaveCount(1);
  expect(await time.step()).toBe(1);
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

test('a screen reader hears the beat and what changed, and within a beat the step', async ({ page, watchglass, time }) => {
  await watchglass.open('?scenario=slow-client');
  const said = page.locator('.wg-unseen[aria-live=polite][role=status]');
  const beat = page.locator('.wg-beat');
  for (let number = 1; number <= 6; number += 1) {
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await expect(said).toHaveText(new RegExp(`^${number} of 12\\. `));
    const text = await beat.evaluate((element) => element.textContent.trim());
    await expect(said, 'the text of the beat').toContainText(text.slice(0, 40));
    expect((await said.textContent()).length, 'and what changed').toBeGreaterThan(text.length + 20);
  }
  await time.button(/^One step back/).click();
  await expect(said, 'another step of the same beat').toHaveText(/^Step 22 of \d+\. /);
});

test('text, terminal and picture of a beat without steps are at one position', async ({ page, watchglass, time }) => {
  await watchglass.open('?scenario=compaction/the_past_is_forgotten_and_the_present_kept&at=beat:7');
  const bold = page.locator('.wg-happened code.is-now');
  const here = page.locator('.wg-entry.is-here .wg-command-text');
  const cut = page.locator('.loom-plot .loom-cut');
  await expect(bold).toHaveText('get a --rev=9');
  await expect(cut).toHaveCount(1);
  await expect(page.locator('.wg-entry').last(), 'no output of a later beat').toContainText('get a --rev=9');
  const step = await time.step();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(bold).toHaveText('show key-index a');
  await expect(page.locator('.wg-happened code')).toHaveText(['show key-index a']);
  await expect(page.locator('.wg-happened p')).toHaveText(/^The command only prints/);
  await expect(here).toHaveText(/show key-index a/);
  await expect(cut, 'the read of the beat before').toHaveCount(0);
  expect(await time.step(), 'the command makes no step').toBe(step);
  // A link to the step shows the beat that made it.
  await watchglass.open(`?scenario=compaction/the_past_is_forgotten_and_the_present_kept&at=step:${step}`);
  await expect(bold).toHaveText('get a --rev=9');
});

test('a read typed in the past is drawn until the next command', async ({ page, watchglass, terminal }) => {
  await watchglass.open('?scenario=compaction/the_past_is_forgotten_and_the_present_kept&at=beat:3');
  const own = page.locator('.loom-cut.aside');
  await terminal.run('get a --rev=2');
  await expect(own).toHaveCount(1);
  await expect(page.locator('.loom-ring.answered.aside')).toHaveCount(1);
  await expect(page.locator('.loom-frame')).toContainText('your read: get a --rev=2');
  await expect(page.locator('.wg-happened code.is-now')).toHaveText('get a --rev=2');
  await terminal.run('show revision');
  await expect(own, 'the next command').toHaveCount(0);
  await terminal.run('get a --rev=2');
  await expect(own).toHaveCount(1);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(own, 'the next beat').toHaveCount(0);
});

test('the key that a beat highlights is scrolled into the picture', async ({ page, watchglass }) => {
  await watchglass.open();
  const key = (at) => `/k${String(at).padStart(2, '0')}`;
  const puts = Array.from({ length: 80 }, (_, at) => `put ${key(at)} x`);
  const text = ['#! title: A test', '#! picture: index', '# Eighty keys.', ...puts, '----', ...puts.map(() => 'OK'), '',
    `#! picture: index ${key(40)}`, '# The key in the middle.', `put ${key(79)} y`, '----', 'OK', '',
    '# The last key.', `put ${key(79)} z`, '----', 'OK', ''].join('\n');
  await page.evaluate((run) => window.watchglass.load(run), text);
  const stage = await page.locator('.loom-stage').boundingBox();
  const next = page.getByRole('button', { name: 'Next', exact: true });
  await next.click();
  for (const [beat, target] of [[2, key(40)], [3, key(79)]]) {
    await next.click();
    await expect(page.locator('.wg-kick')).toHaveText(`${beat} of 3`);
    const name = page.locator('.loom-svg').getByText(target, { exact: true });
    await expect.poll(async () => {
      const box = await name.boundingBox().catch(() => null);
      return Boolean(box) && box.y > stage.y && box.y + box.height < stage.y + stage.height;
    }, `${target} is in the window`).toBe(true);
  }
});
