// Opening another run: the menu, the dialog for text, and a file dropped on the page.

export class Open {
  constructor(page) {
    this.page = page;
    this.menu = page.locator('.wg-open');
    this.field = page.locator('#wg-open-field');
    this.notice = page.locator('.wg-notice');
  }

  async choose(name) {
    await this.menu.click();
    await this.page.locator('.wg-dropdown-list').getByRole('button', { name }).click();
  }

  // Opens a text through the dialog.
  async text(text) {
    await this.choose(/Paste or open/);
    await this.field.evaluate((field, text) => {
      field.value = text;
    }, text);
    await this.page.getByRole('button', { name: 'Run it' }).click();
  }

  // Opens a file that is dropped anywhere on the page.
  async drop(name, bytes) {
    await this.page.evaluate(([name, bytes]) => {
      const data = new DataTransfer();
      const content = typeof bytes === 'string' ? bytes : new Uint8Array(bytes);
      data.items.add(new File([content], name));
      for (const type of ['dragover', 'drop']) {
        window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      }
    }, [name, bytes]);
  }
}
