// The panel of practice in a test.

import { expect } from '@playwright/test';

export class Practice {
  constructor(page) {
    this.page = page;
    this.panel = page.getByRole('complementary', { name: 'Practice' });
    this.position = this.panel.locator('.wg-kick');
    this.title = this.panel.getByRole('heading', { level: 2 });
    this.choices = this.panel.getByRole('list', { name: 'Choices' }).getByRole('button');
    this.verdict = this.panel.locator('.lesson-verdict');
    this.main = this.panel.locator('.wg-main-action');
    this.spoken = this.panel.getByRole('status');
  }

  // Selects the first choice with the keyboard, and returns whether it was right.
  async answer() {
    await expect(this.choices.first()).toBeVisible();
    await this.page.keyboard.press('1');
    await expect(this.verdict).toBeVisible();
    await expect(this.main).toBeFocused();
    return this.verdict.evaluate((verdict) => verdict.classList.contains('is-right'));
  }
}
