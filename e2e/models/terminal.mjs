// The terminal in a test.

export class Terminal {
  constructor(page) {
    this.page = page;
    this.prompt = page.getByRole('combobox', { name: /^Command/ });
    this.log = page.getByRole('log');
    this.entries = page.locator('.wg-entry');
    this.completions = page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
  }

  get last() {
    return this.entries.last();
  }

  // Types a line like a person, and ends it with Enter.
  async run(line) {
    await this.prompt.focus();
    await this.page.keyboard.type(line);
    await this.page.keyboard.press('Enter');
  }

  async paste(text) {
    await this.prompt.evaluate((input, text) => {
      const data = new DataTransfer();
      data.setData('text', text);
      input.focus();
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      input.dispatchEvent(event);
    }, text);
  }
}
