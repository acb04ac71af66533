// The Lab in a test.
import { expect } from '@playwright/test';
import { Views } from './views.mjs';

export class Lab {
  constructor(page) {
    this.page = page;
    this.figure = page.getByRole('figure', { name: /^Lab/ });
  }

  // Opens the Lab and waits for its first run.
  async open() {
    await new Views(this.page).open('Lab');
    await this.done();
  }

  async done() {
    await expect(this.figure.getByRole('table', { name: 'The result' })).toBeVisible({ timeout: 30_000 });
    await expect(this.progress).toHaveCount(0, { timeout: 30_000 });
  }

  async run() {
    await this.figure.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(this.figure.getByText('Settings changed: press Run.')).toHaveCount(0, { timeout: 30_000 });
  }

  get progress() {
    return this.figure.getByRole('status');
  }

  picture(name) {
    return this.figure.locator(`[data-lab-picture=${name}]`);
  }

  // Returns the numbers of A and B in the first row that has this name.
  async row(name) {
    const row = this.figure.getByRole('table', { name: 'The result' }).getByRole('row', { name }).first();
    const cells = await row.getByRole('cell').allTextContents();
    return cells.map((cell) => Number(cell.replaceAll(',', '')));
  }
}
