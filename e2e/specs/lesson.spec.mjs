// A lesson from the view of a learner: text, guesses, tasks with unmet conditions, hints, undo, progress.
import { expect, test } from '../fixtures.mjs';
import { violationsInThemes } from '../models/axe.mjs';

const TASK = 'The second generation';

async function opened({ watchglass, lesson }, name = 'L04') {
  await watchglass.open(`?lesson=${name}`);
  await expect(lesson.rail).toBeVisible();
}

test('a task reports unmet conditions and reasons, and typed commands solve it', async ({ watchglass, lesson, terminal }) => {
  await opened({ watchglass, lesson });
  await lesson.goTo(TASK);
  expect(await lesson.holds()).toEqual([false, false, false]);
  await expect(lesson.spoken, 'no reason before the first command').toHaveText(
    '2 of 3 conditions already met. Still missing: The second generation has 1 change.');
  await expect(lesson.skip).toHaveText('Skip');
  await expect(lesson.main).toBeDisabled();

  // A condition that holds from the start does not count as progress.
  const given = lesson.rail.locator('.lesson-condition.is-given');
  await expect(given).toHaveCount(2);
  const state = given.first().getByText('Already met:');
  expect((await state.boundingBox()).width, 'visible, not only for screen readers').toBeGreaterThan(40);

  // A write to another key increases the revision, but does not create the second generation.
  await terminal.run('put /other 1');
  await expect(lesson.spoken).toContainText('2 of 3 conditions met. Still missing: The second generation has 1 change. '
    + 'Another key was written, not /key1.');
  await lesson.undo.click();
  await expect(lesson.spoken).toContainText('2 of 3 conditions already met.');
  await expect(terminal.log).not.toContainText('/other');

  // Any commands that reach the goal solve the task, not only the commands of the solution.
  await terminal.run('put /key1 "anything at all"');
  await expect(lesson.spoken).toHaveText('Solved.');
  expect(await lesson.holds()).toEqual([true, true, true]);
  await expect(lesson.main).toHaveText('Next');
  await expect(lesson.main).toBeEnabled();
  await expect(lesson.skip).toHaveCount(0);

  // A solved task stays solved, also if its conditions do not hold any more.
  await terminal.run('del /key1');
  await expect(terminal.log).toContainText('del /key1');
  await expect(lesson.conditions.first()).not.toContainText('Your store is at revision');
  expect(await lesson.holds()).toEqual([true, true, true]);
  await expect(lesson.spoken).toHaveText('Solved.');
  expect(watchglass.complaints).toEqual([]);
});

test('on a phone, the tab of the lesson tells that a command typed in the terminal solved the task', async ({ page, watchglass, lesson, terminal }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await watchglass.open('?lesson=L04');
  await lesson.goTo(TASK);
  await page.getByRole('button', { name: 'Terminal', exact: true }).click();
  const tab = page.getByRole('button', { name: 'Lesson', exact: false }).and(page.locator('.wg-sheet-tab'));
  await expect(tab).toHaveText('Lesson');
  await terminal.run('put /key1 back');
  await expect(tab).toHaveText('Lessonsolved');
  await expect(tab.locator('svg')).toBeVisible();
});

test('a command that is too long for its line continues indented', async ({ page, watchglass, lesson }) => {
  await page.setViewportSize({ width: 1000, height: 720 });
  await opened({ watchglass, lesson }, 'L13');
  await lesson.goTo('Clients arrive');
  await lesson.rail.getByRole('radio').first().check();
  await lesson.main.click();
  const [first, next] = await lesson.text.locator('.lesson-line').filter({ hasText: 'as c2' }).evaluate((line) => {
    const range = document.createRange();
    range.selectNodeContents(line);
    const boxes = [...range.getClientRects()];
    const bottom = Math.min(...boxes.map((box) => box.bottom));
    const left = (row) => Math.min(...row.map((box) => box.left));
    return [left(boxes.filter((box) => box.top < bottom)), left(boxes.filter((box) => box.top >= bottom))];
  });
  expect(next).toBeGreaterThan(first + 8);
});

test('the first lines of the next part are not faded after the last part was scrolled to its end', async ({ page, watchglass, lesson }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await opened({ watchglass, lesson }, 'L05');
  const fade = () => page.locator('.wg-story-text').evaluate((text) => getComputedStyle(text).maskImage);
  await lesson.main.click();
  await lesson.main.click();
  await expect.poll(fade, 'the end of a long text').not.toBe('none');
  await lesson.goTo('At the tombstone');
  await expect.poll(fade).toBe('none');
});

test('another click at the place of Next does not skip the task', async ({ page, watchglass, lesson }) => {
  await opened({ watchglass, lesson });
  await lesson.goTo(TASK);
  await lesson.button('Back').click();
  await expect(lesson.title).not.toHaveText(TASK);
  const { x, y, width, height } = await lesson.main.boundingBox();
  const click = () => page.mouse.click(x + width / 2, y + height / 2);
  await click();
  await expect(lesson.title).toHaveText(TASK);
  await click();
  // The page handles clicks in order.
  await lesson.button('Hint').click();
  await expect(lesson.hints).toHaveCount(1);
  await expect(lesson.title).toHaveText(TASK);
});

test('hints appear one by one, and the solution is written into the prompt but not run', async ({ page, watchglass, lesson, terminal }) => {
  await opened({ watchglass, lesson });
  await lesson.goTo(TASK);
  await expect(lesson.hints).toHaveCount(0);
  for (const count of [1, 2, 3]) {
    await lesson.button('Hint').click();
    await expect(lesson.hints).toHaveCount(count);
  }
  await expect(lesson.hints.last()).toContainText('put /key1 value3');
  await lesson.button('Solution').click();
  await expect(lesson.solution).toHaveCount(1);
  expect(await lesson.holds()).toEqual([false, false, false]);
  await lesson.solution.click();
  await expect(terminal.prompt).toHaveValue('put /key1 value3');
  await expect(terminal.prompt).toBeFocused();
  expect(await lesson.holds()).toEqual([false, false, false]);
  await page.keyboard.press('Enter');
  await expect(lesson.spoken).toHaveText('Solved.');
});

test('the learner guesses before the command runs, and then sees the guess beside the result', async ({ watchglass, lesson }) => {
  await opened({ watchglass, lesson });
  await lesson.goTo('What does a delete do?');
  await expect(lesson.text.getByRole('button', { name: 'Run $ del /key1' })).toHaveCount(0);
  await lesson.main.click();
  await expect(lesson.text).not.toContainText('Your guess');
  await expect(lesson.rail.getByRole('alert')).toHaveText('Choose an answer first.');
  await expect(lesson.rail.getByRole('radio').first()).toBeFocused();
  await lesson.rail.getByRole('radio', { name: '0' }).check();
  await lesson.main.click();
  await expect(lesson.text).toContainText('Your guess: 0');
  await lesson.main.click();
  await expect(lesson.text).toContainText('The answer is 3. You guessed 0.');
  await expect(lesson.text).toContainText('del removes no row from disk.');
  await expect(lesson.spoken).toContainText('You guessed 0. The answer is 3');
});

test('the text about a result appears after the command has run', async ({ watchglass, lesson }) => {
  await opened({ watchglass, lesson });
  await expect(lesson.text).not.toContainText('The store is at revision 3');
  await lesson.main.click();
  await lesson.main.click();
  await expect(lesson.text).toContainText('The store is at revision 3, and /key1 is at version 2.');
});

test('a note names the differences between the store and the text, and its button restarts from the first difference', async ({ watchglass, lesson, terminal }) => {
  await opened({ watchglass, lesson }, 'L01');
  await terminal.run('put /mine 1');
  await expect(lesson.differs).toContainText('the number of keys of the store is 1, not 0');
  await expect(lesson.text).toContainText('the number of keys in this store is 1.');
  await lesson.goTo('Keys that look like paths');
  for (const key of ['group-0', 'group-1', '/my/servers/q']) {
    await expect(lesson.text.locator('.lesson-command.is-next')).toContainText(key);
    await lesson.main.click();
  }
  await expect(lesson.text).toContainText('The store has 6 keys now.');
  await expect(lesson.differs).toContainText('is 6, not five');
  await lesson.button('Restart the lesson').click();
  await expect(lesson.title).toHaveText('Put and get');
  await expect(lesson.differs).toHaveCount(0);
  await expect(terminal.log).not.toContainText('/mine');
});

test('a task that cannot be solved any more says so, and its button restarts from the first different command', async ({ watchglass, lesson, terminal }) => {
  await opened({ watchglass, lesson });
  await terminal.run('put /key1 value0');
  await lesson.goTo(TASK);
  const misfit = lesson.rail.getByRole('region', { name: 'This part does not fit your store' });
  await expect(misfit).toContainText('the task cannot be solved as written');
  await expect(lesson.spoken).toContainText('This part does not fit your store');
  await expect(lesson.text).not.toContainText('Restart this part');
  await misfit.getByRole('button', { name: 'Restart the lesson' }).click();
  await expect(lesson.title).toHaveText('The first generation');
  await expect(misfit).toHaveCount(0);
});

test('a task whose solution no longer works says so, and its button restarts the part', async ({ watchglass, lesson, terminal }) => {
  await opened({ watchglass, lesson });
  await lesson.goTo(TASK);
  const stuck = lesson.rail.getByRole('region', { name: 'The solution no longer works from here' });
  await expect(stuck).toHaveCount(0);
  await terminal.run('compact 4');
  await expect(stuck).toContainText('Undo these commands, or restart this part.');
  await expect(lesson.spoken).toContainText('the solution of this task no longer works');
  await lesson.undo.click();
  await expect(stuck).toHaveCount(0);
  await terminal.run('compact 4');
  await stuck.getByRole('button', { name: 'Restart this part' }).click();
  await expect(stuck).toHaveCount(0);
  await terminal.run('put /key1 value3');
  await expect(lesson.rail.locator('.lesson-solved')).toHaveText('solved');
});

test('after a similar command, the lesson still waits; the same command in another form counts', async ({ watchglass, lesson, terminal }) => {
  await opened({ watchglass, lesson }, 'L01');
  await terminal.run('put /mykey1 other');
  await expect(lesson.text).toContainText('The lesson still waits for its next command');
  await terminal.run('put /mykey1 "somevalue"');
  await expect(lesson.text).not.toContainText('still waits');
  await lesson.main.click();
  await terminal.run('etcdctl get --prefix /');
  await expect(lesson.main).toHaveText('Next');
});

test('the solved task stays in sight, and the buttons stay inside the panel', async ({ watchglass, lesson, terminal, layout }) => {
  const windows = [[1440, 900], [1280, 900]];
  await opened({ watchglass, lesson }, 'L01');
  await lesson.goTo('A server in the wrong group');
  for (let hint = 0; hint < 3; hint += 1) await lesson.button('Hint').click();
  await layout.inEach(windows, async () => {
    const rail = await lesson.rail.boundingBox();
    const { y } = await lesson.button('Back').boundingBox();
    for (const button of [lesson.button('Solution'), lesson.button('Back'), lesson.button('Finish'), lesson.skip]) {
      const box = await button.boundingBox();
      expect(box.x).toBeGreaterThanOrEqual(rail.x + 8);
      expect(box.x + box.width).toBeLessThanOrEqual(rail.x + rail.width - 8);
    }
    for (const name of ['Solution', 'Finish']) expect((await lesson.button(name).boundingBox()).y, name).toBe(y);
  });
  await terminal.run('put /servers/group-10/server-01 lost');
  await terminal.run('get /servers/group-1 --prefix');
  await expect(lesson.text.locator('.lesson-end')).toBeAttached();
  await layout.inEach(windows, async () => {
    await expect(lesson.text.locator('.lesson-solved')).toBeInViewport();
    await expect(lesson.conditions.first()).toBeInViewport();
  });
  await lesson.again(/^The whole lesson/);
  await expect(lesson.title).toHaveText('Put and get');
});

test('a question that expects a number asks again if the guess has none, in view also on a phone', async ({ page, watchglass, lesson }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await watchglass.open('?lesson=L02');
  await lesson.goTo('Four keys');
  await lesson.main.click();
  await expect(lesson.rail.getByRole('alert')).toHaveText('Type a number.');
  await expect(lesson.rail.getByRole('alert')).toBeInViewport({ ratio: 1 });
  const field = lesson.rail.getByLabel('Your answer');
  await field.fill('many');
  await lesson.main.click();
  await expect(lesson.rail.getByRole('alert')).toHaveText('Type a number.');
  await expect(field).toBeFocused();
  await field.fill('five');
  await lesson.main.click();
  await expect(lesson.text).toContainText('Your guess: five');
});

test('the empty picture offers the next command of the lesson', async ({ page, watchglass, lesson }) => {
  await opened({ watchglass, lesson }, 'L01');
  await expect(page.locator('.loom-first')).toHaveText('put /mykey1 somevalue');
  await page.locator('.loom-first').click();
  await expect(lesson.text).toContainText('$ put /mykey2 someothervalue');
  await expect(lesson.differs).toHaveCount(0);
});

test('a reload keeps the progress and the typed line', async ({ page, watchglass, lesson, terminal }) => {
  await opened({ watchglass, lesson });
  await lesson.goTo(TASK);
  await terminal.run('put /key1 again');
  await expect(lesson.main).toHaveText('Next');
  await lesson.main.click();
  await expect(lesson.title).toHaveText('What is on disk');
  await page.reload();
  await watchglass.ready();
  await expect(lesson.title).toHaveText('What is on disk');
  await expect(terminal.log).toContainText('put /key1 again');
  await page.locator('.wg-lessons').click();
  await expect(lesson.card('L04')).toContainText('4 of 5 parts');
  await expect(lesson.card('L04')).toHaveAttribute('aria-current', 'true');
});

test('a reload keeps an undo', async ({ page, watchglass, lesson, terminal }) => {
  await opened({ watchglass, lesson });
  await terminal.run('put /key1 value1');
  await expect(terminal.last).toContainText('OK');
  await terminal.run('put /wrong 1');
  await expect(terminal.log).toContainText('/wrong');
  await lesson.undo.click();
  await expect(terminal.log).not.toContainText('/wrong');
  await page.reload();
  await watchglass.ready();
  await expect(terminal.log).toContainText('put /key1 value1');
  await expect(terminal.log).not.toContainText('/wrong');
});

test('without storage, a lesson works, and the list says that progress is not stored', async ({ page, watchglass, lesson }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('no', 'SecurityError'); } });
  });
  await watchglass.open('?lesson=L04');
  await lesson.goTo(TASK);
  await page.locator('.wg-lessons').click();
  await expect(lesson.index).toContainText('This browser does not let the page save your progress');
  await expect(lesson.card('L04')).toContainText('3 of 5 parts');
  expect(watchglass.complaints).toEqual([]);
});

test('the list shows the goal of every lesson in words and as a picture', async ({ page, watchglass, lesson }) => {
  await watchglass.open();
  await page.locator('.wg-lessons').click();
  const cards = lesson.index.locator('.lesson-card');
  await expect(cards.first()).toContainText('Keys are bytes');
  const names = await cards.evaluateAll((all) => all.map((card) => card.dataset.lesson));
  // In teaching order, each lesson once.
  expect(names.slice(0, 5)).toEqual(['L01', 'L02', 'L04', 'L05', 'L03']);
  expect(new Set(names).size).toBe(names.length);
  await expect(lesson.index.getByRole('img')).toHaveCount(names.length);
  await expect(lesson.card('L04').getByRole('img')).toHaveAccessibleName(
    'At the end, the store is at revision 5: /key1 exists in generation 2.',
  );
  await expect(lesson.card('L04').locator('.goal-tomb')).toHaveCount(1);
  await expect(lesson.card('L10').locator('.goal-synced')).toHaveCount(3);
  await expect(lesson.card('L10').getByRole('img')).toHaveAccessibleName(/Synced watchers: 3, unsynced: 0, victims: 0\./);
});

test('the end of a lesson leads to the next lesson, which opens in its own view', async ({ views, watchglass, lesson }) => {
  await opened({ watchglass, lesson }, 'L08');
  await lesson.goTo('What compaction refuses');
  await lesson.main.click();
  await lesson.main.click();
  await expect(lesson.text).toContainText('Common misconceptions');
  // The lesson expects both errors, so both commands have a tick.
  await expect(lesson.text.locator('.lesson-error')).toHaveText([/has been compacted/, /is a future revision/]);
  await expect(lesson.text.locator('.lesson-command.is-typed .wg-icon')).toHaveCount(2);
  await lesson.button('Next lesson').click();
  await expect(lesson.title).toHaveText('A watch from now');
  await expect(views.tab('Watch')).toHaveAttribute('aria-selected', 'true');
});

test('a click opens a part that the learner has reached, and the other parts keep their commands', async ({ page, watchglass, lesson }) => {
  await opened({ watchglass, lesson });
  await lesson.goTo(TASK);
  await expect(lesson.part('What is on disk')).toBeDisabled();
  await lesson.part('The first generation').click();
  await expect(lesson.title).toHaveText('The first generation');
  await expect(lesson.part('The first generation')).toHaveAttribute('aria-current', 'step');
  await expect(lesson.text.locator('.lesson-command.is-next')).toHaveCount(0);
  await page.reload();
  await watchglass.ready();
  await expect(lesson.title).toHaveText('The first generation');
  await lesson.part(TASK).click();
  await expect(lesson.title).toHaveText(TASK);
  await lesson.part('What does a delete do?').click();
  await expect(lesson.text.locator('.lesson-command.is-typed')).toHaveCount(1);
});

test('the end of a lesson is as wide as the panel', async ({ page, watchglass, lesson }) => {
  await opened({ watchglass, lesson }, 'L08');
  await lesson.goTo('What compaction refuses');
  await lesson.finish();
  for (const width of [1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 720 });
    await expect.poll(async () => {
      const panel = await lesson.text.boundingBox();
      const end = await lesson.text.locator('.lesson-end').boundingBox();
      return end.width / panel.width;
    }, `${width} px`).toBeGreaterThan(0.85);
  }
});

test('the end offers other runs, the Lab, and the sandbox with the same store', async ({ page, watchglass, lesson, terminal, views }) => {
  await opened({ watchglass, lesson });
  await lesson.goTo(TASK);
  await terminal.run('put /key1 mine');
  await lesson.main.click();
  await lesson.main.click();
  await expect(lesson.button('Story: one key, two lives')).toBeVisible();
  await lesson.button('The sandbox, with this store').click();
  await expect(lesson.rail).toHaveCount(0);
  await terminal.run('get /key1');
  await expect(terminal.last).toContainText('mine');
  await page.locator('.wg-undo').click();
  await expect(terminal.log).not.toContainText('get /key1');

  await watchglass.open('?lesson=L17');
  await lesson.goTo('Kubernetes asks while a read waits');
  await lesson.finish();
  await lesson.button('The Lab: how long consistent lists wait').click();
  await expect(views.tab('Lab')).toHaveAttribute('aria-selected', 'true');
});

test('a note is folded until the learner opens it', async ({ page, watchglass, lesson }) => {
  await opened({ watchglass, lesson }, 'L02');
  await lesson.main.click();
  const note = page.getByText('Note: Long numbers in JSON');
  await expect(lesson.text.getByText('more digits than a JavaScript number')).toBeHidden();
  await note.click();
  await expect(lesson.text.getByText('more digits than a JavaScript number')).toBeVisible();
});

test('in the sandbox, the last command can be undone, too: with the button, a key or a word', async ({ page, watchglass, terminal }) => {
  await watchglass.open('?scenario=empty');
  for (const key of ['a', 'b', 'c']) await terminal.run(`put /${key} 1`);
  await expect(terminal.log).toContainText('put /c 1');
  await page.keyboard.press('Control+z');
  await expect(terminal.log).not.toContainText('put /c 1');
  await expect(terminal.prompt).toBeFocused();
  await page.locator('.wg-undo').click();
  await expect(terminal.log).not.toContainText('put /b 1');
  await terminal.run('undo');
  await expect(terminal.log).not.toContainText('put /a 1');
  // In a line with text, the key undoes a change of the text.
  await terminal.run('put /d 1');
  await expect(terminal.log).toContainText('put /d 1');
  await page.keyboard.type('get');
  await page.keyboard.press('Control+z');
  await expect(terminal.log).toContainText('put /d 1');
});

test('the keyboard alone leads from the list of lessons to a solved task', async ({ page, watchglass, lesson }) => {
  await watchglass.open();
  await page.keyboard.press('l');
  await expect(lesson.card('L04')).toBeVisible();
  const focused = (test) => page.evaluate(test);
  for (let tabs = 0; tabs < 12; tabs += 1) {
    if (await focused(() => document.activeElement?.dataset?.lesson === 'L04')) break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await expect(lesson.title).toHaveText('The first generation');
  for (let tabs = 0; tabs < 40; tabs += 1) {
    if (await focused(() => document.activeElement?.classList.contains('wg-main-action'))) break;
    await page.keyboard.press('Tab');
  }
  // The main button keeps the focus from one part to the next.
  for (const text of ['$ put /key1 value2', '$ show key-index', 'The entry has 1 generation']) {
    await page.keyboard.press('Enter');
    await expect(lesson.text).toContainText(text);
  }
  await page.keyboard.press('Enter');
  await expect(lesson.title).toHaveText('What does a delete do?');
  await expect(lesson.main).toBeFocused();
  // Shift+Tab moves the focus back, past the button "Back", to the choices.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowUp');
  await expect(lesson.rail.getByRole('radio', { checked: true })).toHaveCount(1);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(lesson.text).toContainText('Your guess:');
  for (const title of ['A closed generation and an empty generation', TASK]) {
    for (let presses = 0; presses < 4; presses += 1) {
      if ((await lesson.title.textContent()) === title) break;
      await lesson.changes('.wg-lesson', () => page.keyboard.press('Enter'));
    }
  }
  await page.keyboard.press('/');
  await page.keyboard.type('put /key1 value3');
  await page.keyboard.press('Enter');
  await expect(lesson.spoken).toHaveText('Solved.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(lesson.main).toBeFocused();
});

test('no violations', async ({ page, watchglass, lesson }) => {
  await opened({ watchglass, lesson }, 'L04&theme=light');
  expect(await violationsInThemes(page), 'a step').toEqual([]);
  await lesson.goTo('What does a delete do?');
  expect(await violationsInThemes(page), 'a question').toEqual([]);
  await lesson.goTo(TASK);
  await lesson.button('Hint').click();
  await expect(lesson.hints).toHaveCount(1);
  expect(await violationsInThemes(page), 'a task').toEqual([]);
  await lesson.goTo('What is on disk');
  await lesson.main.click();
  await expect(lesson.text).toContainText('Common misconceptions');
  expect(await violationsInThemes(page), 'the end').toEqual([]);
  await page.locator('.wg-lessons').click();
  await expect(lesson.index.getByRole('img').first()).toBeVisible();
  expect(await violationsInThemes(page), 'the list').toEqual([]);
});

test('in all windows, the text and the buttons of a task are visible, and nothing is cut off', async ({ page, watchglass, lesson }) => {
  await watchglass.open();
  await page.keyboard.press('l');
  await lesson.card('L04').click();
  await lesson.goTo(TASK);
  for (const [width, height] of [[1440, 900], [1280, 720], [800, 450], [390, 844]]) {
    await page.setViewportSize({ width, height });
    const size = `${width}x${height}`;
    await expect(lesson.main, size).toBeInViewport({ ratio: 1 });
    await expect(lesson.button('Hint'), size).toBeInViewport({ ratio: 1 });
    await expect(lesson.title, size).toBeInViewport({ ratio: 1 });
    const sideways = await lesson.rail.evaluate((rail) => rail.scrollWidth > rail.clientWidth);
    expect(sideways, size).toBe(false);
    const button = await lesson.main.boundingBox();
    expect(button.height, size).toBeGreaterThanOrEqual(width < 641 ? 44 : 32);
  }
});

test('an address opens a lesson or the list of lessons, and a reload keeps the place in it', async ({ page, watchglass, lesson }) => {
  await watchglass.open('?lesson=L04');
  await expect(lesson.title).toHaveText('The first generation');
  await lesson.main.click();
  await expect(lesson.text).toContainText('$ put /key1 value2');
  expect(new URL(page.url()).searchParams.get('lesson')).toBe('L04');
  await page.reload();
  await watchglass.ready();
  await expect(lesson.text).toContainText('$ put /key1 value2');
  await watchglass.open('?dialog=lessons');
  await expect(lesson.card('L17')).toBeVisible();
});

test('the lesson about the order of reads runs beside the Storage view', async ({ page, watchglass, lesson, terminal, views }) => {
  await watchglass.open('?lesson=L06');
  await expect(lesson.rail).toBeVisible();
  await expect(views.tab('Storage')).toHaveAttribute('aria-selected', 'true');
  await lesson.goTo('How often does the range go back?');
  await lesson.main.click();
  await lesson.rail.getByLabel('Your answer').fill('4');
  await lesson.goTo('A range that only goes forward');
  await terminal.run('get /registry/pods/kube-system/ --prefix');
  await expect(lesson.conditions.last()).toContainText('Number of times the range goes back: 4.');
  const pods = ['coredns-bsqsx', 'coredns-xwgsg', 'etcd', 'kindnet', 'kube-apiserver', 'kube-controller-manager', 'kube-proxy',
    'kube-scheduler'];
  for (const pod of pods) await terminal.run(`put /registry/pods/kube-system/${pod} v2`);
  await terminal.run('get /registry/pods/kube-system/ --prefix');
  await expect(lesson.spoken).toHaveText('Solved.');
  expect(await lesson.holds()).toEqual([true, true]);
  expect(watchglass.complaints).toEqual([]);
});

test('the note of a term at the lower edge of the text is in sight', async ({ page, watchglass, lesson }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await watchglass.open('?lesson=L04');
  const term = lesson.rail.locator('.wg-term', { hasText: 'transaction' }).first();
  while (!await term.isVisible()) {
    await lesson.changes('.wg-story-text', () => lesson.main.click());
  }
  await term.focus();
  await page.keyboard.press('Enter');
  await expect.poll(async () => {
    const note = await page.locator('.wg-term-note').boundingBox();
    const text = await lesson.rail.locator('.wg-story-text').boundingBox();
    return note.y >= text.y - 1 && note.y + note.height <= text.y + text.height + 1;
  }).toBe(true);
});

test.describe('with a finger', () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test('the note of a term stays until the next tap', async ({ page, watchglass }) => {
    await watchglass.open('?lesson=L04');
    const term = page.locator('.lesson-part .wg-term, .wg-lesson .wg-term').first();
    await term.tap();
    const note = page.locator('.wg-term-note');
    await expect(note).toBeVisible();
    // Longer than a note stays after a mouse has left it.
    await page.waitForTimeout(700);
    await expect(note).toBeVisible();
    await term.tap();
    await expect(note).toHaveCount(0);
  });
});
