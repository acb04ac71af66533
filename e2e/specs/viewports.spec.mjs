// Windows of all sizes: no element overflows, nothing necessary is hidden, and touch targets are large enough.
import { expect, test } from '../fixtures.mjs';

// In these sizes everything fits without scrolling.
const SIZES = [[1440, 900], [1280, 720], [390, 844], [800, 450], [320, 640], [640, 400]];

// In these sizes the page may scroll, but only vertically. 640x400 is a window of 1280x800 at 200 %.
const SMALL = [[640, 400], [320, 640], [390, 844], [360, 560]];

const CACHES = 'cache/two_api_servers_and_a_client_that_goes_back_in_time';
const RULES = 'qos/events_above_a_number_are_refused';

// The minimum height of the stage, including its tabs.
const STAGE_HEIGHT_MIN = 200;

test('no element overflows, and the story can be played', async ({ page, watchglass, time, layout }) => {
  await watchglass.open();
  const room = () => page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - innerWidth,
    high: document.documentElement.scrollHeight - innerHeight,
  }));
  await layout.inEach(SIZES, async () => {
    await expect.poll(room).toEqual({ wide: 0, high: 0 });
    await expect(page.locator('.wg-main-action')).toBeInViewport({ ratio: 1 });
    await expect(time.slider).toBeInViewport({ ratio: 0.9 });
  });
  await page.evaluate(async () => {
    await window.watchglass.exec('put /mine 1');
    await window.watchglass.step(-1);
  });
  await layout.inEach(SIZES, async () => {
    await expect.poll(room).toEqual({ wide: 0, high: 0 });
    await expect(page.getByRole('button', { name: 'Return to the end' })).toBeInViewport({ ratio: 1 });
    await expect(page.locator('.wg-picture')).toBeInViewport({ ratio: 0.9 });
    await expect.poll(() => layout.height('.wg-picture'), 'room for the picture').toBeGreaterThan(150);
  });
});

test('the terminal is reachable and usable', async ({ page, watchglass, terminal, layout }) => {
  await watchglass.open();
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await layout.inEach(SIZES, async (width, height) => {
    await page.evaluate(() => document.activeElement.blur());
    const tab = page.getByRole('button', { name: 'Terminal', exact: true });
    if (await tab.isVisible()) await tab.click();
    else await page.keyboard.press('/');
    await terminal.run(`put /a ${width}x${height}`);
    await expect(terminal.last).toContainText(/put \/a \d+x\d+.*OK/s);
    await expect(terminal.last).toContainText(`${width}x${height}`);
    await expect(terminal.prompt).toBeInViewport({ ratio: 1 });
  });
});

test('in a small window, each view has room, and nothing covers it', async ({ page, watchglass, views, layout }) => {
  test.setTimeout(120_000);
  for (const [view, scenario] of [
    ['Index', 'at-a-glance'], ['Watch', 'slow-client'], ['Cache', CACHES], ['Messages', 'slow-client'],
    ['Storage', 'two-generations'], ['Cluster', 'cluster/the_leader_is_cut_off'], ['QoS', RULES], ['Lab', 'empty'],
  ]) {
    await watchglass.open(`?scenario=${scenario}`);
    await views.open(view);
    await page.evaluate(() => window.watchglass.step(20));
    await layout.inEach(SMALL, async () => {
      await expect.poll(() => layout.height('.wg-stage'), view).toBeGreaterThanOrEqual(STAGE_HEIGHT_MIN);
      await layout.expectRoom(view);
      // The Lab is separate from the run, so it has no timeline.
      const control = page.locator(view === 'Lab' ? '.wg-copy-link' : '.wg-transport-buttons .is-play');
      await control.scrollIntoViewIfNeeded();
      await expect(control, view).toBeInViewport({ ratio: 1 });
    });
  }
});

test('in a small window, a second branch fits into the bar', async ({ page, watchglass, layout }) => {
  await watchglass.open('?scenario=slow-client');
  await page.evaluate(() => window.watchglass.step(4));
  await page.evaluate(() => window.watchglass.exec('put /a 1'));
  await layout.inEach(SMALL, async () => {
    await expect(page.getByRole('button', { name: 'Branches of this run' })).toBeInViewport({ ratio: 1 });
    await expect.poll(() => layout.outside()).toEqual([]);
    expect(await layout.sideways()).toBe(0);
  });
});

test('in a small window, a lesson begins at its first line and can be completed', async ({ watchglass, lesson, layout }) => {
  await watchglass.open('?lesson=L04');
  await expect(lesson.title).toHaveText('The first generation');
  await layout.inEach(SMALL, async () => {
    expect(await lesson.text.evaluate((text) => text.scrollTop)).toBe(0);
    await expect.poll(() => layout.height('.wg-stage')).toBeGreaterThanOrEqual(STAGE_HEIGHT_MIN);
    await layout.expectRoom();
  });
  await lesson.main.click();
  await expect(lesson.text).toContainText('$ put /key1 value2');
  await layout.inEach(SMALL, async () => {
    await lesson.main.scrollIntoViewIfNeeded();
    await expect(lesson.main).toBeInViewport({ ratio: 1 });
  });
});

test('in a small window, the start page does not scroll sideways', async ({ page, layout }) => {
  await page.goto('./');
  await layout.inEach(SMALL, async () => {
    await page.locator('.front-poster input:not(:disabled)').filter({ visible: true }).waitFor();
    expect(await layout.sideways()).toBe(0);
    expect(await layout.outside()).toEqual([]);
    expect(await layout.height('.front-figure')).toBeGreaterThanOrEqual(STAGE_HEIGHT_MIN);
  });
});

test('in a small window, a figure shows its picture and does not scroll sideways', async ({ page, layout }) => {
  await page.goto('./embed.html?scenario=slow-client&view=watch,index');
  await expect(page.locator('#app .wg-picture')).toBeVisible({ timeout: 20_000 });
  await layout.inEach(SMALL, async () => {
    await expect.poll(() => layout.sideways()).toBe(0);
    await expect.poll(() => layout.height('#app .wg-picture')).toBeGreaterThanOrEqual(150);
  });
});

test('the end of a story fits, and so do the tabs and the controls of the Index view', async ({ page, watchglass, views, layout }) => {
  await watchglass.open('?scenario=at-a-glance');
  await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
  await layout.inEach([[1280, 720], [800, 450], [390, 844]], async () => {
    const way = page.locator('.wg-ways .wg-button').first();
    await way.scrollIntoViewIfNeeded();
    await expect(way).toBeInViewport({ ratio: 1 });
    const story = await page.locator('.wg-story').boundingBox();
    const inside = async (locator) => {
      const box = await locator.boundingBox();
      expect(box.y).toBeGreaterThanOrEqual(story.y - 1);
      expect(box.y + box.height).toBeLessThanOrEqual(story.y + story.height + 1);
    };
    await inside(way);
    await inside(page.locator('.wg-story-buttons'));
    await page.locator('.wg-beat').evaluate((beat) => beat.scrollIntoView());
    await inside(page.locator('.wg-beat'));
    await views.open('Index');
    await expect(views.tab('Lab')).toBeInViewport({ ratio: 1 });
    await expect(views.tab('Index')).toBeInViewport({ ratio: 1 });
    // Each button of the controls has one line of text, and the buttons that move the picture are in one line.
    const controls = page.getByRole('group', { name: 'Controls of the picture' });
    const lines = await controls.locator('.loom-tool:not(.wide)').evaluateAll((tools) => new Set(tools.map((tool) => tool.offsetTop)).size);
    expect(lines).toBe(1);
    const high = await controls.locator('.loom-tool.wide').evaluateAll((tools) => tools.filter((tool) => tool.scrollHeight > tool.clientHeight + 1).length);
    expect(high).toBe(0);
  });
});

for (const run of [
  'watch/more_than_512_unsynced_watchers_take_turns', 'cache/three_ways_to_begin_an_informer_and_their_bills',
  'cache/frequent_progress_notifications_have_a_price',
]) {
  test(`the last text and all links of ${run} are complete`, async ({ page, watchglass, layout }) => {
    await watchglass.open(`?scenario=${run}&at=end`);
    await expect(page.locator('.wg-ways .wg-button').first()).toBeVisible();
    await layout.inEach([[1280, 720], [1000, 720]], async () => {
      await expect.poll(() => page.locator('.wg-story').evaluate((story) => {
        const box = story.getBoundingClientRect();
        const parts = [...story.querySelectorAll('.wg-beat, .wg-ways .wg-button')];
        const isInside = ({ top, bottom }) => top >= box.top + 4 && bottom <= box.bottom - 4;
        return {
          outside: parts.filter((part) => !isInside(part.getBoundingClientRect())).map((part) => part.textContent),
          cut: parts.filter((part) => part.scrollHeight > part.clientHeight + 2).map((part) => part.textContent),
        };
      })).toEqual({ outside: [], cut: [] });
    });
  });
}

test('on a phone, the link to a step is beside its command, cut lines fade out, and the picture keeps its room', async ({ page, watchglass, layout }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await watchglass.open('?scenario=at-a-glance');
  await page.evaluate(() => window.watchglass.seek({ step: 1_000_000 }));
  const fade = (selector, part) => page.locator(selector).evaluate((area, part) => {
    const { display, position } = getComputedStyle(area, part);
    return `${display} ${position}`;
  }, part);
  expect(await fade('.wg-story-text', '::after')).toBe('block sticky');
  await page.getByRole('button', { name: 'Terminal', exact: true }).click();
  const entry = page.locator('.wg-entry.is-here');
  await expect(entry).toBeVisible();
  const { words, link } = await entry.evaluate((entry) => {
    const text = entry.querySelector('.wg-dollar').nextSibling;
    const range = document.createRange();
    range.selectNode(text);
    return { words: range.getBoundingClientRect().right, link: entry.querySelector('.wg-to-step').getBoundingClientRect().left };
  });
  expect(words).toBeLessThanOrEqual(link);
  expect(await fade('.wg-log', '::before')).toBe('block sticky');
  // The picture above a raised sheet has room for three lanes.
  await page.getByRole('button', { name: 'Inspect', exact: true }).click();
  await page.locator('.wg-sheet-size').click();
  await expect.poll(() => layout.height('.loom-stage')).toBeGreaterThanOrEqual(120);
});

test('a long sentence about a step fits; where it does not, it ends with an ellipsis, and its title is complete', async ({ page, watchglass }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open(`?scenario=${CACHES}`);
  await page.evaluate(() => window.watchglass.seek({ step: 13 }));
  const sentence = page.locator('.wg-narration');
  await expect(sentence).toHaveAttribute('title', /notifies api-1\/pods and api-2\/pods in the same write\.$/);
  const isCut = () => sentence.evaluate((node) => node.scrollHeight > node.clientHeight + 2);
  expect(await isCut(), '1280 px').toBe(false);
  await page.setViewportSize({ width: 1100, height: 720 });
  const room = await sentence.evaluate((node) => ({
    high: node.scrollHeight - node.clientHeight,
    wide: node.scrollWidth - node.clientWidth,
    padding: Number.parseFloat(getComputedStyle(node).paddingRight),
  }));
  expect(room.high, 'the sentence does not fit').toBeGreaterThan(10);
  expect(room.wide, 'the ellipsis is in the padding, where nothing is cut').toBeLessThanOrEqual(room.padding);
});

test('on a phone, targets are 44 px high, and terms can be tapped', async ({ page, watchglass, terminal }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await watchglass.open();
  const targets = page.locator('.wg-transport-buttons button:visible, .wg-main-action, .wg-sheet-tab');
  const heights = await targets.evaluateAll(
    (buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().height)),
  );
  for (const height of heights) expect(height).toBeGreaterThanOrEqual(42);
  await page.evaluate(() => window.watchglass.seek({ step: 10 }));
  await page.getByRole('button', { name: 'Terminal', exact: true }).click();
  const words = page.getByRole('group', { name: 'Words to insert into the prompt' });
  for (const word of ['get', '/key1', '--rev=']) await words.getByRole('button', { name: word }).click();
  await expect(terminal.prompt).toHaveValue('get /key1 --rev=');
  await words.getByRole('button', { name: 'Remove the last word' }).click();
  await words.getByRole('button', { name: 'Run the line' }).click();
  await expect(terminal.last).toContainText('get /key1');
});

test('on a phone, the readout of a long run is beside the buttons, and the menu of runs copies the link', async ({ page, watchglass }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await watchglass.open('?scenario=empty');
  await page.evaluate(() => window.watchglass.exec('for i in {1..1200}; do put a $i; done'));
  const readout = page.locator('.wg-readout');
  await expect(readout).toContainText(/step\s*1200\s*of\s*1200/);
  const words = await readout.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().left;
  });
  const speed = await page.locator('.wg-speed').boundingBox();
  expect(words).toBeGreaterThanOrEqual(speed.x + speed.width);
  const link = page.getByRole('button', { name: 'Copy link' });
  await expect(link).toHaveCount(0);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await link.click();
  await expect(page.locator('.wg-notice')).toBeVisible();
});

test('on a phone, the picture has 45 % of the room, and no control covers another control', async ({ page, watchglass, views }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await watchglass.open('?scenario=empty');
  const top = await page.locator('.wg-top').boundingBox();
  const picture = await page.locator('.wg-picture').boundingBox();
  expect(picture.height).toBeGreaterThanOrEqual(0.45 * (844 - top.y - top.height));
  const words = await page.locator('.wg-token-words').boundingBox();
  const buttons = page.getByRole('group', { name: 'Words to insert into the prompt' });
  for (const name of ['Remove the last word', 'Run the line']) {
    const button = await buttons.getByRole('button', { name }).boundingBox();
    expect(button.x, name).toBeGreaterThanOrEqual(words.x + words.width);
    expect(button.x + button.width, name).toBeLessThanOrEqual(390);
  }
  // The legend of the messages is complete, also above the buttons of the older messages.
  for (const scenario of ['slow-client', 'cluster/the_leader_is_cut_off']) {
    await watchglass.open(`?scenario=${scenario}`);
    await page.evaluate(() => window.watchglass.seek({ beat: 5 }));
    await views.open('Messages');
    const outside = await page.locator('.msg-legend').evaluate((legend) => {
      const { left, right } = legend.getBoundingClientRect();
      const boxes = [...legend.children].map((item) => item.getBoundingClientRect());
      return boxes.filter((box) => box.left < left || box.right > right + 1).length;
    });
    expect(outside, scenario).toBe(0);
  }
});

test('the menu of runs is complete without scrolling; in a low window, it scrolls downwards', async ({ page, watchglass, layout }) => {
  await watchglass.open('?scenario=empty');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const list = page.locator('.wg-dropdown-list');
  const last = list.getByRole('button').last();
  await layout.inEach([[1440, 900], [1280, 720], [390, 844], [800, 450]], async (width, height) => {
    const room = () => list.evaluate((node) => [node.scrollWidth - node.clientWidth, node.scrollHeight - node.clientHeight]);
    await expect.poll(room).toEqual([0, height > 450 ? 0 : expect.any(Number)]);
    await last.scrollIntoViewIfNeeded();
    await expect(last).toBeInViewport({ ratio: 1 });
  });
});

test('a theme can be set in the address', async ({ page, watchglass }) => {
  for (const theme of ['light', 'dark', 'projector']) {
    await watchglass.open(`?theme=${theme}`);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
  }
});

test('the lower edge of a view and the right edge of a table fade out while more follows', async ({ page, watchglass, views }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?scenario=cluster/the_leader_is_cut_off&view=cluster');
  const scroll = page.locator('.wg-view-scroll');
  const fade = () => scroll.evaluate((one) => Number(getComputedStyle(one, '::after').opacity));
  await expect.poll(() => scroll.evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(true);
  await expect.poll(fade).toBe(1);
  await scroll.evaluate((one) => one.scrollTo(0, one.scrollHeight));
  await expect.poll(fade).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await views.open('Lab');
  // The fade is at the edge of the view, below its padding.
  const [bottom, padding] = await page.locator('.lab-scroll').evaluate((lab) => [getComputedStyle(lab, '::after').bottom, getComputedStyle(lab).paddingBottom]);
  expect(bottom).toBe(`-${padding}`);
  await page.getByRole('tab', { name: 'QoS limits' }).click();
  const table = page.getByRole('region', { name: 'Accuracy' });
  const mask = () => table.evaluate((one) => getComputedStyle(one).maskImage);
  await expect.poll(mask).toContain('gradient');
  const left = async () => (await table.locator('tbody th').first().boundingBox()).x;
  const before = await left();
  await table.evaluate((one) => one.scrollTo(one.scrollWidth, 0));
  await expect.poll(mask).toBe('none');
  expect(await left(), 'the names of the rows stay').toBe(before);
});

test('1280x720: a long title has two lines instead of an ellipsis', async ({ page, watchglass }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await watchglass.open('?scenario=qos/alice_and_bob_get_ten_requests_per_second_each');
  const title = page.locator('.wg-run-title');
  await expect(title).toHaveText('Alice and Bob get ten requests per second each');
  expect(await title.evaluate((one) => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight])).toEqual([0, 0]);
  const bar = await page.locator('.wg-top').boundingBox();
  expect((await title.boundingBox()).height).toBeLessThanOrEqual(bar.height);
});
