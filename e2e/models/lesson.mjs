// The panel of a lesson and the list of lessons in a test.

import { expect } from '@playwright/test';

export class Lesson {
  constructor(page) {
    this.page = page;
    this.rail = page.getByRole('complementary', { name: 'Lesson' });
    this.title = this.rail.getByRole('heading', { level: 2 });
    this.text = this.rail.getByRole('region', { name: 'Text of the lesson' });
    this.conditions = this.rail.locator('.lesson-condition');
    this.hints = this.rail.getByRole('list', { name: 'Hints' }).getByRole('listitem');
    this.solution = this.rail.getByRole('region', { name: 'Solution' }).getByRole('button');
    this.spoken = this.rail.getByRole('status');
    this.differs = this.rail.getByRole('region', { name: "Your store differs from the lesson's store" });
    this.main = this.rail.locator('.wg-main-action');
    this.skip = this.rail.locator('.lesson-skip');
    this.undo = this.rail.getByRole('button', { name: 'Undo' });
    this.index = page.getByRole('dialog', { name: 'Lessons' });
  }

  button(name) {
    return this.rail.getByRole('button', { name, exact: true });
  }

  // Returns the segment of a part, by its title.
  part(title) {
    const escaped = title.replace(/[?]/g, '\\$&');
    return this.rail.getByRole('navigation', { name: 'Parts' }).getByRole('button', { name: new RegExp(`: ${escaped}(, done)?$`) });
  }

  card(name) {
    return this.index.locator(`[data-lesson=${name}]`);
  }

  // Opens a lesson from the top bar, through the list.
  async open(name) {
    await this.page.locator('.wg-lessons').click();
    await this.card(name).click();
  }

  // Returns a list of booleans: whether each condition of the task holds.
  async holds() {
    return this.conditions.evaluateAll((all) => all.map((one) => one.classList.contains('is-ok')));
  }

  // Presses Skip, which runs the solution and opens the next part; or the main button if there is no unsolved task.
  async forward() {
    const isTask = await this.skip.count();
    await this.changes(isTask ? '.wg-lesson h2' : '.wg-lesson', () => (isTask ? this.skip : this.main).click());
  }

  // Acts, and waits until the text of an element has changed.
  async changes(selector, act) {
    const before = await this.page.locator(selector).innerText();
    await act();
    await this.page.waitForFunction(([selector, before]) => (
      document.querySelector(selector)?.innerText !== before), [selector, before]);
  }

  // Presses Skip or the main button until a part with this title appears; enters a guess if the part asks for one.
  async goTo(title) {
    for (let presses = 0; presses < 60; presses += 1) {
      if ((await this.title.textContent()) === title) return;
      const label = await this.main.textContent();
      if (label === 'Submit guess') {
        const choice = this.rail.getByRole('radio').first();
        if (await choice.count()) await choice.check();
        else await this.rail.getByLabel('Your answer').fill('1');
      }
      await this.forward();
    }
    throw new Error(`no part called "${title}" was reached`);
  }

  // Presses Skip or the main button until the lesson ends.
  async finish() {
    for (let presses = 0; presses < 20; presses += 1) {
      if (await this.rail.locator('.lesson-end').count()) return;
      await this.forward();
    }
    throw new Error('the lesson did not end');
  }

  // Restarts this part, or the whole lesson.
  async again(name) {
    await this.rail.getByRole('button', { name: 'Restart', exact: true }).click();
    await this.rail.getByRole('button', { name }).click();
  }
}
