// The page for authors of lessons in a test.

export class Author {
  constructor(page) {
    this.page = page;
    this.editor = page.getByRole('region', { name: 'Write a lesson' });
    this.field = this.editor.getByRole('textbox');
    this.file = this.editor.getByLabel('Open a file');
    this.status = this.editor.getByRole('status');
    this.faults = this.editor.getByRole('list', { name: 'Faults' }).getByRole('button');
    this.copy = this.editor.getByRole('button', { name: 'Copy lesson link' });
  }

  // Replaces a part of the text, as an author types it.
  async replace(from, to) {
    await this.field.evaluate((field, from) => {
      const at = field.value.indexOf(from);
      if (at < 0) throw new Error(`the text does not contain ${from}`);
      field.focus();
      field.setSelectionRange(at, at + from.length);
    }, from);
    await this.page.keyboard.insertText(to);
  }

  // Puts the caret at the start of a text.
  async place(before) {
    await this.field.evaluate((field, before) => {
      const at = field.value.indexOf(before);
      field.focus();
      field.setSelectionRange(at, at);
    }, before);
    await this.page.keyboard.press('ArrowRight');
  }

  // Returns the line of the caret, counted from 1.
  caret() {
    return this.field.evaluate((field) => field.value.slice(0, field.selectionStart).split('\n').length);
  }
}
