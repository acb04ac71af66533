// A speaker shows a run to an audience with a keyboard or a remote control, and never needs a mouse.
import { expect, test } from '../fixtures.mjs';

const kick = (page) => page.locator('.wg-kick');
const outputs = (page) => page.getByRole('region', { name: 'Commands and outputs' });

// Opens a run at a beat, in presenter mode.
const present = async ({ page, watchglass }, run, beat) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open(`?scenario=${run}&at=beat:${beat}&present`);
  await expect(page.locator('.wg-app')).toHaveClass(/is-presenting/);
  if (beat > 0) await expect(kick(page)).toHaveText(new RegExp(`^${beat} of`));
};

// Returns the greatest scroll position inside of the picture, and the part of the picture that is still below the window.
const scrolled = (page) => page.locator('.wg-picture').evaluate((picture) => {
  const parts = [picture, ...picture.querySelectorAll('*')];
  const scrolls = parts.filter((part) => ['auto', 'scroll'].includes(getComputedStyle(part).overflowY) && part.clientHeight > 40);
  return {
    top: Math.max(...scrolls.map((part) => part.scrollTop)),
    below: Math.max(...scrolls.map((part) => part.scrollHeight - part.clientHeight - part.scrollTop)),
  };
});

const VIEWS = [['1', 'Index'], ['2', 'Watch'], ['3', 'Cache'], ['4', 'Messages'], ['5', 'Storage'], ['6', 'Cluster'], ['7', 'QoS']];

test('the keys of the mode are listed below the picture until the speaker moves', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'at-a-glance', 0);
  const keys = page.getByText('B blanks the screen');
  await expect(keys).toBeVisible();
  const stage = await page.locator('.wg-stage').boundingBox();
  const list = await keys.boundingBox();
  expect(stage.y + stage.height, 'the list covers nothing').toBeLessThanOrEqual(list.y + 1);
  await page.keyboard.press('PageDown');
  await expect(keys).toHaveCount(0);
});

test('up and down scroll the picture of every view, and never move by beats', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cache/compaction_passes_the_cache', 4);
  // In a low window, the picture of every view is too high.
  await page.setViewportSize({ width: 1000, height: 480 });
  let high = 0;
  for (const [key, view] of VIEWS) {
    await page.keyboard.press(key);
    await expect(page.locator('.wg-stage h2.wg-unseen')).toHaveText(view);
    const { below } = await scrolled(page);
    high += below > 8 ? 1 : 0;
    for (let at = 0; at < 24; at += 1) await page.keyboard.press('ArrowDown');
    await expect.poll(async () => (await scrolled(page)).below, view).toBeLessThanOrEqual(2);
    if (below > 8) expect((await scrolled(page)).top, view).toBeGreaterThan(0);
    for (let at = 0; at < 24; at += 1) await page.keyboard.press('ArrowUp');
    await expect.poll(async () => (await scrolled(page)).top, view).toBe(0);
    await expect(kick(page), view).toHaveText('4 of 9');
  }
  // The other views leave out their lower parts.
  expect(high, 'the views whose pictures are too high').toBeGreaterThanOrEqual(3);
});

test('the names and notes of all lanes of the Messages view are inside the picture', async ({ page, watchglass }) => {
  for (const [run, beat] of [['slow-client', 6], ['cache/compaction_passes_the_cache', 4]]) {
    await present({ page, watchglass }, run, beat);
    await page.keyboard.press('4');
    await expect(page.locator('.wg-stage h2.wg-unseen')).toHaveText('Messages');
    const outside = () => page.locator('.msg-name, .msg-role, .msg-state').evaluateAll((texts) => {
      const bottom = document.querySelector('.wg-view-scroll').getBoundingClientRect().bottom;
      return texts.filter((text) => text.getBoundingClientRect().bottom > bottom - 8).map((text) => text.textContent);
    });
    await expect.poll(outside, run).toEqual([]);
    await page.keyboard.press('p');
  }
});

test('a part of a picture is shown whole or not at all', async ({ page, watchglass }) => {
  const parts = () => page.locator('.wg-view-scroll').evaluate((scroller) => {
    const room = scroller.getBoundingClientRect().bottom + 1;
    // A table with rows that are parts has its own part, which is as high as the rows that are shown.
    const all = [...scroller.querySelectorAll('.wg-part:not(:has(.wg-part))')];
    const shown = all.filter((part) => part.getClientRects().length > 0);
    return { all: all.length, shown: shown.length, cut: shown.filter((part) => part.getBoundingClientRect().bottom > room).length };
  });
  for (const [run, beat, key] of [['qos/events_above_a_number_are_refused', 3, '7'], ['slow-client', 6, '2'],
    ['cache/compaction_passes_the_cache', 4, '3'], ['cluster/the_leader_is_cut_off', 3, '6']]) {
    await present({ page, watchglass }, run, beat - 1);
    await page.keyboard.press('PageDown');
    await expect(kick(page)).toHaveText(new RegExp(`^${beat} of`));
    await page.keyboard.press(key);
    // Some parts are left out, and none is cut.
    await expect.poll(async () => {
      const { all, shown, cut } = await parts();
      return all > shown && cut === 0;
    }, run).toBe(true);
    const { all, shown } = await parts();
    await page.setViewportSize({ width: 1280, height: 6000 });
    await expect.poll(async () => (await parts()).shown, `${run}, in a high window`).toBe(all);
    await page.setViewportSize({ width: 1280, height: 720 });
    await expect.poll(async () => (await parts()).shown, run).toBe(shown);
    // Outside presenter mode, the picture scrolls.
    await page.keyboard.press('p');
    await expect.poll(async () => (await parts()).shown, run).toBe(all);
  }
});

test('the title of the run and the name of the view are above the picture', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'two-generations', 1);
  const line = page.locator('.wg-presented');
  for (const [key, view] of VIEWS) {
    await page.keyboard.press(key);
    await expect(line).toHaveText(`One key, two lives${view}`);
  }
  const { height, size } = await line.evaluate((line) => ({
    height: line.getBoundingClientRect().height,
    size: Number.parseFloat(getComputedStyle(line).fontSize) * Number(getComputedStyle(document.querySelector('.wg-app')).zoom),
  }));
  expect(height).toBeLessThanOrEqual(36);
  expect(size).toBeGreaterThanOrEqual(20);
});

test('the keys of a remote control work wherever the focus is', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cache/compaction_passes_the_cache', 2);
  // A high window has room for the controls of the picture.
  await page.setViewportSize({ width: 1280, height: 1300 });
  await expect(page.getByLabel('Time span')).toBeVisible();
  const focused = new Set();
  for (let at = 0; at < 12; at += 1) {
    await page.keyboard.press('Tab');
    focused.add(await page.evaluate(() => document.activeElement.getAttribute('role') ?? document.activeElement.tagName));
    await page.keyboard.press('PageDown');
    await expect(kick(page), [...focused].join()).toHaveText('3 of 9');
    await page.keyboard.press('ArrowLeft');
    await expect(kick(page), [...focused].join()).toHaveText('2 of 9');
  }
  expect([...focused]).toEqual(expect.arrayContaining(['BUTTON', 'SELECT', 'grid']));
});

test('Enter and Space operate a focused control', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cache/compaction_passes_the_cache', 2);
  const term = page.locator('.wg-term').first();
  for (const key of ['Enter', 'Space']) {
    await term.focus();
    await page.keyboard.press(key);
    await expect(page.locator('.wg-term-note'), key).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('.wg-term-note'), key).toHaveCount(0);
    await expect(page.locator('.wg-top'), 'Escape closed only the note').toBeHidden();
  }
  await expect(kick(page)).toHaveText('2 of 9');
  await page.setViewportSize({ width: 1280, height: 1300 });
  await expect(page.getByLabel('Time span')).toBeVisible();
  await page.getByLabel('Time span').focus();
  await page.keyboard.press('ArrowDown');
  // The first option, "Automatic", is followed by the shortest span.
  await expect(page.getByLabel('Time span')).toHaveValue('0.5 s');
  // Without the focus on a control, Enter moves to the next beat.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('Enter');
  await expect(kick(page)).toHaveText('3 of 9');
});

test('the commands of a beat are shown with their outputs, in large type', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cache/a_stale_list_runs_a_pod_twice', 3);
  const region = outputs(page);
  const proof = region.getByText('two containers with one identity');
  await expect(proof).toBeInViewport();
  await expect(region.locator('.wg-outputs-command')).toHaveCount(6);
  const box = await region.boundingBox();
  expect(box.height).toBeLessThanOrEqual(0.27 * 720 + 2);
  const picture = await page.locator('.wg-picture').boundingBox();
  expect(picture.height, 'the picture is the main thing').toBeGreaterThan(box.height);
  const size = await proof.evaluate((text) => {
    const zoom = Number(getComputedStyle(document.querySelector('.wg-app')).zoom);
    return Number.parseFloat(getComputedStyle(text).fontSize) * zoom;
  });
  expect(size).toBeGreaterThanOrEqual(20);
  // The outputs scroll by keys when they have the focus.
  const top = () => region.evaluate((element) => element.scrollTop);
  const before = await top();
  await region.focus();
  await page.keyboard.press('ArrowUp');
  await expect.poll(top).toBeLessThan(before);
  await expect(kick(page)).toHaveText('3 of 4');
});

test('the map and the logs of a cluster fit above a legend of one line', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cluster/the_leader_is_cut_off', 5);
  await page.keyboard.press('6');
  const members = await page.locator('.cl-members').boundingBox();
  const foot = await page.locator('.wg-view-foot').boundingBox();
  expect(members.y + members.height).toBeLessThanOrEqual(foot.y + 1);
  const lines = await page.locator('.wg-view-foot .wg-legend li').evaluateAll((items) => new Set(items.map((item) => item.offsetTop)).size);
  expect(lines).toBe(1);
});

test('the outputs end with a whole line', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'qos/events_above_a_number_are_refused', 3);
  const room = await outputs(page).evaluate((region) => ({
    lines: region.clientHeight / Number.parseFloat(getComputedStyle(region).lineHeight),
    below: region.scrollHeight - region.clientHeight,
  }));
  expect(room.below, 'the outputs do not fit').toBeGreaterThan(0);
  expect(Math.abs(room.lines - Math.round(room.lines))).toBeLessThan(0.1);
});

test('a cut output shows its command and its end, and says how many lines are hidden', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cache/three_ways_to_begin_an_informer_and_their_bills', 6);
  const region = outputs(page);
  const more = region.locator('.wg-outputs-more');
  await expect(region.getByText('$ show clients')).toBeInViewport({ ratio: 1 });
  await expect(region.getByText('14 requests, 1200 keys read')).toBeInViewport();
  expect(await region.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop)).toBeLessThanOrEqual(1);
  await expect(more).toHaveText(/^… \d+ more lines$/);
  // Without hidden lines, the note goes away.
  await region.evaluate((element) => { element.scrollTop = 0; });
  await expect(more).toHaveCount(0);
  // In a window of another height, the region shows the end again, and the note counts the lines again.
  await page.setViewportSize({ width: 1280, height: 600 });
  await expect(more).toHaveText(/^… \d+ more lines$/);
});

test('a long command does not cover the output', async ({ page, watchglass }) => {
  for (const [run, beat, answer] of [['txn/every_field_of_a_key_can_be_compared', 2, 'SUCCESS'],
    ['qos/each_condition_measures_one_cost', 2, 'Error: etcdserver: request is rate limited'],
    ['cluster/three_members_admit_three_times_the_limit', 3, 'Error: etcdserver: request is rate limited'],
    ['cache/an_api_server_without_etcd_refuses_consistent_reads', 3, 'NAME']]) {
    await present({ page, watchglass }, run, beat);
    const isOnTop = () => outputs(page).locator('pre', { hasText: answer }).last().evaluate((output) => {
      const range = document.createRange();
      range.selectNodeContents(output);
      const { x, top, height } = [...range.getClientRects()].at(-1);
      return output.contains(document.elementFromPoint(x + 4, top + height / 2));
    });
    await expect.poll(isOnTop, run).toBe(true);
    await page.keyboard.press('p');
  }
});

test('a wide table is below the text, and its rows do not wrap', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cluster/the_leadership_moves', 1);
  const region = outputs(page);
  const text = await page.locator('.wg-beat').boundingBox();
  expect((await region.boundingBox()).y).toBeGreaterThanOrEqual(text.y + text.height);
  const table = region.locator('pre', { hasText: 'committed' });
  const { lines, height } = await table.evaluate((element) => ({
    lines: element.textContent.trimEnd().split('\n').length,
    height: element.clientHeight / parseFloat(getComputedStyle(element).lineHeight),
  }));
  expect(Math.round(height)).toBe(lines);
});

test('the number of hidden lines does not cover the command', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cluster/the_leadership_moves', 4);
  const more = await outputs(page).locator('.wg-outputs-more').boundingBox();
  const lines = await outputs(page).locator('.wg-outputs-command:has(.wg-outputs-more)').evaluate((command) => {
    const range = document.createRange();
    range.selectNodeContents(command.lastChild);
    return [...range.getClientRects()].map(({ top, right, bottom }) => ({ top, right, bottom }));
  });
  const beside = lines.filter(({ top, bottom }) => top < more.y + more.height && bottom > more.y);
  expect(beside.length).toBeGreaterThan(0);
  for (const { right } of beside) expect(right).toBeLessThanOrEqual(more.x + 1);
});

test('the links at the end of a run are in a row below the text, and the picture has more room than the text', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cache/three_ways_to_begin_an_informer_and_their_bills', 6);
  const tops = await page.locator('.wg-ways .wg-button').evaluateAll((links) => links.map((link) => Math.round(link.getBoundingClientRect().top)));
  expect(tops).toHaveLength(3);
  expect(new Set(tops).size).toBe(1);
  const story = await page.locator('.wg-story').boundingBox();
  const stage = await page.locator('.wg-stage').boundingBox();
  expect(stage.height).toBeGreaterThan(story.height);
});

test('a link at the end of a run is whole or on the next row, which the focus shows', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'watch/an_unsynced_watcher_waits_for_the_sweep', 4);
  const links = page.locator('.wg-ways .wg-button');
  await expect(links).toHaveCount(4);
  const cut = await links.evaluateAll((all) => all.filter((link) => link.scrollWidth > link.clientWidth).length);
  expect(cut).toBe(0);
  const list = await page.locator('.wg-ways').boundingBox();
  await links.last().focus();
  const last = await links.last().boundingBox();
  expect(last.y).toBeGreaterThanOrEqual(list.y);
  expect(last.y + last.height).toBeLessThanOrEqual(list.y + list.height);
});

const WINDOWS = [[1280, 720], [1440, 900]];

test('a lesson keeps its title and its progress, and its choices are in a row', async ({ page, watchglass, lesson, layout }) => {
  await watchglass.open('?lesson=L10');
  await lesson.goTo('One sync pass');
  await page.keyboard.press('p');
  await layout.inEach(WINDOWS, async (width, height) => {
    await expect(lesson.title).toBeInViewport({ ratio: 1 });
    const head = await page.locator('.lesson-again').boundingBox();
    const parts = await page.locator('.lesson-parts').boundingBox();
    expect(parts.y, 'the progress is beside the buttons').toBeGreaterThanOrEqual(head.y);
    expect(parts.y + parts.height).toBeLessThanOrEqual(head.y + head.height + 1);
    const tops = await page.locator('.lesson-choice').evaluateAll((choices) => choices.map((choice) => choice.offsetTop));
    expect(new Set(tops).size).toBe(1);
    const story = await page.locator('.wg-story').boundingBox();
    expect(story.height).toBeLessThanOrEqual(0.45 * height);
  });
});

test('the text of a lesson grows and scrolls, and the picture keeps its room', async ({ page, watchglass, lesson, layout }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?lesson=L08&present');
  const text = page.locator('.wg-story-text');
  for (let at = 0; at < 3; at += 1) {
    const before = await text.evaluate((element) => element.scrollHeight);
    await lesson.rail.locator('.lesson-command.is-next').click();
    await expect.poll(() => text.evaluate((element) => element.scrollHeight)).toBeGreaterThan(before);
  }
  await layout.inEach(WINDOWS, async (width, height) => {
    const stage = await page.locator('.wg-stage').boundingBox();
    expect(stage.height).toBeGreaterThan(0.45 * height);
    expect(stage.y + stage.height).toBeLessThanOrEqual(height);
    // The keys scroll the text from its top to its end.
    for (let at = 0; at < 24; at += 1) await page.keyboard.press('ArrowUp');
    await expect.poll(() => text.evaluate((element) => element.scrollTop)).toBe(0);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => text.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
  });
});

test('a part that just fits is shown', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'slow-client', 11);
  await expect(page.getByRole('region', { name: 'Streams' })).toBeVisible();
  await expect(page.locator('.wg-view-foot')).not.toHaveAttribute('data-left-out', /Streams/);
});

test('with forced colours, the number of the beat is visible', async ({ page, watchglass }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.setViewportSize({ width: 1440, height: 900 });
  await watchglass.open('?scenario=at-a-glance');
  await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
  await page.keyboard.press('p');
  const number = kick(page);
  await expect(number).toHaveText('8 of 8');
  const { x, y, width, height } = await number.boundingBox();
  const clip = { x, y, width, height };
  const shown = await page.screenshot({ clip });
  await number.evaluate((element) => { element.style.visibility = 'hidden'; });
  expect(shown.equals(await page.screenshot({ clip }))).toBe(false);
});

test('at the end of a run, the keyboard continues with the next run, and finds help', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cache/a_stale_list_runs_a_pod_twice', 4);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('presenter mode');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.locator('.wg-app')).toHaveClass(/is-presenting/);
  const next = page.locator('.wg-ways :is(a, button)').first();
  await next.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/&present$/);
  await watchglass.ready();
  await expect(page.locator('.wg-run-title')).toHaveText('A consistent list runs one pod once');
  await expect(page.locator('.wg-app'), 'the next run is presented, too').toHaveClass(/is-presenting/);
});

test('a new beat shows the upper end of the picture', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cache/a_stale_list_runs_a_pod_twice', 2);
  await page.setViewportSize({ width: 1000, height: 480 });
  await expect.poll(async () => (await scrolled(page)).below).toBeGreaterThan(8);
  await page.keyboard.press('ArrowDown');
  await expect.poll(async () => (await scrolled(page)).top).toBeGreaterThan(0);
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await scrolled(page)).top).toBe(0);
});

test('a speaker who typed a command returns to the story', async ({ page, watchglass, terminal }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?scenario=two-generations');
  await page.evaluate(() => window.watchglass.seek({ beat: 4 }));
  await terminal.run('put /mine 1');
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('p');
  await expect(kick(page)).toContainText('branch of the story');
  await expect(outputs(page)).toContainText('put /mine 1');
  const back = page.getByRole('button', { name: 'Back to the story' });
  await back.focus();
  await page.keyboard.press('Enter');
  await expect(kick(page)).toHaveText(/^4 of/);
  await expect(back).toHaveCount(0);
});

test('the confirmation of a copied link goes away by itself', async ({ page, watchglass }) => {
  await page.clock.install();
  await present({ page, watchglass }, 'two-generations', 1);
  await page.keyboard.press('c');
  await expect(page.locator('.wg-notice')).toBeVisible();
  await expect(page.locator('.wg-notice')).toHaveCount(0, { timeout: 12_000 });
});

test('the note of a term does not cover the text that it explains', async ({ page, watchglass, layout }) => {
  await watchglass.open('?scenario=cache/compaction_passes_the_cache&at=beat:1');
  for (const isPresented of [false, true]) {
    if (isPresented) await page.keyboard.press('p');
    await layout.inEach([...WINDOWS, [390, 844]], async () => {
      await page.locator('.wg-term').first().click();
      const note = await page.locator('.wg-term-note').boundingBox();
      const text = await page.locator('.wg-beat').boundingBox();
      const overlap = Math.min(note.y + note.height, text.y + text.height) - Math.max(note.y, text.y);
      expect(overlap, `presented: ${isPresented}`).toBeLessThanOrEqual(0);
      await page.keyboard.press('Escape');
      await expect(page.locator('.wg-term-note')).toHaveCount(0);
    });
  }
});

test('the page does not mark plain words that have other meanings as terms', async ({ page, watchglass }) => {
  await watchglass.open('?scenario=cache/compaction_passes_the_cache');
  await expect(page.locator('.wg-term').first()).toBeVisible();
  const texts = await page.evaluate(async () => {
    const found = [];
    for (let beat = 0; beat <= 7; beat += 1) {
      await window.watchglass.seek({ beat });
      found.push(...[...document.querySelectorAll('.wg-term')].map((term) => term.textContent.toLowerCase()));
    }
    return found;
  });
  expect(texts.length).toBeGreaterThan(3);
  for (const word of ['version', 'versions', 'page', 'pages']) expect(texts).not.toContain(word);
});

test('dialogs are inside of the window', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'two-generations', 0);
  await expect(page.locator('.wg-app')).toHaveClass(/is-presenting/);
  const dialog = page.getByRole('dialog');
  for (const key of ['l', '?', 'Control+k']) {
    await page.keyboard.press(key);
    await expect(dialog).toBeVisible();
    const { x, y, width, height } = await dialog.boundingBox();
    expect([x >= 0, y >= 0, x + width <= 1280, y + height <= 720], key).toEqual([true, true, true, true]);
    await page.keyboard.press('Escape');
    // A closed dialog is invisible at once, but the page ignores shortcuts until it has removed the element.
    await expect(page.locator('.wg-dialog')).toHaveCount(0);
  }
});

test('the key just written stays in sight when presenter mode begins', async ({ page, watchglass, terminal }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?scenario=empty');
  await terminal.run('for i in {1..40}; do put /key$i v$i; done');
  const last = page.locator('.loom-stage text', { hasText: 'v40' }).first();
  await expect(last).toBeInViewport();
  await page.locator('.wg-picture').click({ position: { x: 600, y: 10 } });
  await page.keyboard.press('p');
  await expect(page.locator('.wg-app')).toHaveClass(/is-presenting/);
  await expect(last).toBeInViewport();
});

test('the explanation of a term closes with the next beat', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'cache/a_consistent_list_waits_for_progress', 4);
  await page.locator('.wg-beat .wg-term').first().focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.wg-beat .wg-note')).toBeVisible();
  await page.keyboard.press('PageDown');
  await expect(kick(page)).toHaveText('5 of 6');
  await expect(page.locator('.wg-beat .wg-note')).toHaveCount(0);
});

test('if the guarantees have no room, the parts that are left out keep their names', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'watch/more_than_512_unsynced_watchers_take_turns', 1);
  const foot = page.locator('.wg-view-foot');
  await expect(foot).toHaveAttribute('data-left-out', /^Not shown: /);
  await expect(foot).toBeVisible();
  await expect(page.locator('.watch-lamps')).toBeHidden();
});

test('a notice is below the picture and covers nothing', async ({ page, watchglass }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?lesson=L99&present');
  const notice = page.locator('.wg-notice');
  await expect(notice).toBeVisible();
  const [stage, below] = [await page.locator('.wg-stage').boundingBox(), await notice.boundingBox()];
  expect(stage.y + stage.height).toBeLessThanOrEqual(below.y + 1);
  expect(below.y + below.height).toBeLessThanOrEqual(720);
});

test('a remote control leads through a lesson to its end', async ({ page, watchglass }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  // Lessons with choices, with numbers to guess, and with tasks.
  for (const name of ['L02', 'L04', 'L10']) {
    await watchglass.open(`?lesson=${name}&present`);
    // The keys are pressed in the page itself, at the speed of the page.
    await page.evaluate(async () => {
      const text = () => document.querySelector('.wg-lesson').innerText;
      for (let at = 0; at < 80 && !document.querySelector('.lesson-end'); at += 1) {
        const before = text();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true, cancelable: true }));
        for (let frame = 0; frame < 300 && text() === before; frame += 1) await new Promise(requestAnimationFrame);
      }
    });
    await expect(page.locator('.lesson-end'), name).toHaveCount(1);
    await page.keyboard.press('PageUp');
    await page.keyboard.press('b');
    await page.keyboard.press('b');
    await page.keyboard.press('p');
  }
  expect(watchglass.complaints).toEqual([]);
});

test('a command is typed below the picture, and its letters are no shortcuts', async ({ page, watchglass }) => {
  await present({ page, watchglass }, 'two-generations', 2);
  const prompt = page.locator('#wg-prompt');
  await expect(prompt).toBeHidden();
  await page.keyboard.press('/');
  await expect(prompt).toBeFocused();
  await page.keyboard.type('put b 1');
  const stage = await page.locator('.wg-stage').boundingBox();
  const line = await prompt.boundingBox();
  expect(stage.y + stage.height, 'the prompt covers nothing').toBeLessThanOrEqual(line.y + 1);
  expect(line.y + line.height, 'the prompt is in the window').toBeLessThanOrEqual(720);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Terminal' })).toContainText('OK');
  await page.keyboard.press('Escape');
  await expect(prompt).toBeHidden();
  await expect(page.locator('.wg-top'), 'the mode has not ended').toBeHidden();
  await page.keyboard.press('Escape');
  await expect(page.locator('.wg-top')).toBeVisible();
});
