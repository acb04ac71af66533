// Saved runs in a test: the content of the open run, the list of runs, and an engine that a line can stop.
import { WatchglassPage } from './page.mjs';

// This time is longer than the page waits before it saves a run, even on a slow machine.
const KEPT_MS = 1_200;

export class Kept {
  constructor(page) {
    this.page = page;
    this.notices = page.locator('.wg-notice');
    this.dialog = page.getByRole('dialog', { name: 'Your runs' });
    this.runs = this.dialog.getByRole('listitem');
  }

  // Returns the keys of the open run, in order.
  keys() {
    return this.page.evaluate(async () => {
      const { keys } = await window.watchglass.state();
      return keys.map(({ key }) => key);
    });
  }

  // Waits until everything that was typed is in the database: then the journal has only lines that were set aside.
  async settle() {
    await this.page.waitForFunction(() => Object.entries(localStorage).every(([key, line]) => (
      !key.startsWith('watchglass.2.line.') || /^(stopped|unfinished) /.test(line))));
  }

  // Waits longer than the page waits before it saves a run: if nothing is saved then, nothing will be saved.
  async pause() {
    await this.page.waitForTimeout(KEPT_MS);
  }

  async reload() {
    await this.page.reload();
    await new WatchglassPage(this.page).ready();
  }

  async open() {
    await this.page.locator('.wg-open').click();
    await this.page.getByRole('button', { name: /^Your runs/ }).click();
    await this.runs.first().waitFor();
  }

  run(name) {
    return this.runs.filter({ hasText: name });
  }
}

// From now on, the engine never runs a line with this word. `stops`: the line stops the engine. `swallowed`: the line
// never gets a response, as if it never ended.
export async function poison(page, word, how) {
  await page.addInitScript(([word, how]) => {
    const NONSENSE = new Uint8Array([255, 255, 255]);
    window.Worker = class extends window.Worker {
      postMessage(message, ...rest) {
        const bytes = ArrayBuffer.isView(message) || message instanceof ArrayBuffer;
        const text = bytes ? new TextDecoder().decode(message) : '';
        const isLine = text.includes(word) && !text.includes('watchglass-run-');
        if (!isLine) {
          super.postMessage(message, ...rest);
        } else if (how === 'stops') {
          super.postMessage(NONSENSE);
        } else {
          // All later messages are lost, too.
          this.postMessage = () => {};
        }
      }
    };
  }, [word, how]);
}
