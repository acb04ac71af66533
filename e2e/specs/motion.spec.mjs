// Transitions: when the cursor moves to a neighbour, the marks of the picture travel from their old places. Nothing moves
// at rest, the next key ends a transition, and readers who prefer less motion see the old places instead.
import { expect, test } from '../fixtures.mjs';

// For each view: a run, the beat before the move, and kinds of marks that must move.
const VIEWS = [
  ['index', 'at-a-glance', 4, ['bead', 'ring', 'head']],
  ['watch', 'slow-client', 6, ['watcher', 'held', 'head', 'client']],
  ['cache', 'cache/two_api_servers_and_a_client_that_goes_back_in_time', 1, ['event', 'bar', 'window']],
  ['messages', 'lease/kept_alive_until_its_client_stops', 1, ['message', 'label']],
  ['storage', 'backend/a_snapshot_that_takes_long_makes_the_file_grow', 2, ['row', 'sto-cell', 'size']],
  ['cluster', 'cluster/the_leader_is_cut_off', 2, ['link', 'cut']],
  ['qos', 'qos/events_above_a_number_are_refused', 2, ['request', 'level']],
];
const SLOW = '?scenario=slow-client&at=beat:6&view=watch';

test.use({ hasMotion: true });

const kindsOf = (marks) => [...new Set(marks.map((mark) => mark.split(':')[0]))];

for (const [view, scenario, beat, kinds] of VIEWS) {
  test(`the marks of the view "${view}" travel to the next beat, and back`, async ({ page, watchglass, motion }) => {
    await watchglass.open(`?scenario=${scenario}&at=beat:${beat}&view=${view}`);
    await expect(page.locator('.wg-picture [data-mark]').first()).toBeAttached();
    await motion.ended();
    await page.keyboard.press('PageDown');
    expect(kindsOf(await motion.begun())).toEqual(expect.arrayContaining(kinds));
    await motion.ended();
    await page.keyboard.press('PageUp');
    expect((await motion.begun()).length).toBeGreaterThan(1);
    await motion.ended();
    expect(watchglass.complaints).toEqual([]);
  });
}

test('each moment of a transition looks different, and causes move before effects', async ({ page, watchglass, motion, views }) => {
  await watchglass.open(SLOW);
  await expect(views.watcher('worker')).toBeVisible();
  await page.keyboard.press('PageDown');
  await motion.begun();
  const shots = new Set();
  const places = [];
  for (let ms = 0; ms <= 800; ms += 100) {
    await motion.hold(ms);
    const marks = [views.watch.locator('[data-mark="head:line"]'), views.watcher('worker')];
    const [head, watcher] = await Promise.all(marks.map((mark) => mark.evaluate((node) => node.getBoundingClientRect().x)));
    places.push({ head, watcher });
    shots.add((await page.locator('.wg-picture').screenshot()).toString('base64'));
  }
  expect(shots.size, 'pictures that differ').toBe(9);
  const begins = (name) => places.findIndex((place) => place[name] !== places[0][name]);
  expect(begins('head'), 'the store changes before its watchers').toBeLessThan(begins('watcher'));
});

test('the next key ends a transition, and a jump shows none', async ({ page, watchglass, motion, time, views }) => {
  await watchglass.open('?scenario=slow-client&at=beat:3&view=watch');
  await expect(views.watch.locator('.watch-watcher').first()).toBeVisible();
  await page.keyboard.press('PageDown');
  await motion.begun();
  await motion.hold(0);
  const step = await time.step();
  await page.keyboard.press('PageDown');
  await expect(time.slider).not.toHaveAttribute('aria-valuenow', String(step));
  await expect.poll(() => page.evaluate(() => document.getAnimations().filter(({ id, playState }) => (
    id === 'motion' && playState === 'paused')).length), { message: 'the held transition is over' }).toBe(0);
  await motion.ended();
  await page.keyboard.press('End');
  await expect(page.locator('.wg-past')).toHaveCount(0);
  expect(await motion.marks()).toEqual([]);
});

test('dragging the cursor leaves nothing behind', async ({ page, watchglass, motion, time, views }) => {
  await watchglass.open(SLOW);
  await expect(views.watcher('worker')).toBeVisible();
  await time.drag(0.9, 0.1);
  await time.drag(0.1, 0.6);
  await motion.ended();
  const marks = await page.evaluate(() => [...document.querySelectorAll('.wg-picture [data-mark]')].map(({ dataset }) => dataset.mark));
  expect(new Set(marks).size, 'no mark is there twice').toBe(marks.length);
});

test.describe('with less motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('old places and outlines stay until the next move, and nothing moves', async ({ page, watchglass, motion, views }) => {
    await watchglass.open(SLOW);
    await expect(views.watcher('worker')).toBeVisible();
    await page.keyboard.press('PageDown');
    await expect(motion.ghosts.first()).toBeVisible();
    await expect(motion.outlines.first()).toBeVisible();
    expect(await motion.marks()).toEqual([]);
    await page.keyboard.press('Home');
    await expect(motion.ghosts).toHaveCount(0);
    await expect(motion.outlines).toHaveCount(0);
  });
});
