// The page in a test: opens it, waits until it responds, and collects its errors.
import { test } from '@playwright/test';

// The maximum start time of the simulator on a slow machine.
const READY_MS_MAX = 20_000;

export class WatchglassPage {
  // The texts of all errors that the browser reported: console, uncaught exceptions, failed requests.
  complaints = [];

  constructor(page) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.complaints.push(`uncaught: ${error.message}`));
    page.on('requestfailed', (request) => {
      // A navigation aborts pending requests, often the request for the icon. An aborted request is not a failure of
      // the page.
      if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
      this.complaints.push(`request: ${request.url()}: ${request.failure()?.errorText}`);
    });
  }

  // Opens the app and waits until its API responds. `query` is added to the address, such as `?theme=dark` or a link;
  // without a query, the address would open the start page.
  async open(query = '') {
    const response = await this.page.goto(`./${query || '?app'}`);
    await this.ready();
    return response;
  }

  // Begins a test in a page that tests share: loads a run into it, with the Index view, without the inspector and with
  // an empty prompt.
  async begin(run = 'two-generations') {
    const { viewport } = test.info().project.use;
    await this.page.setViewportSize(viewport);
    if (await this.page.evaluate(() => !window.watchglass)) await this.open();
    await this.page.mouse.move(viewport.width / 2, 2);
    await this.page.evaluate((run) => window.watchglass.load(run), run);
    await this.page.getByRole('combobox', { name: /^Command/ }).fill('');
    await this.page.evaluate(() => document.activeElement.blur());
    await this.page.keyboard.press('1');
    const inspector = this.page.locator('.wg-inspector');
    if (await inspector.isVisible()) await this.page.keyboard.press('i');
    await inspector.waitFor({ state: 'hidden' });
  }

  // Waits for the page's API; if the API does not appear, the error lists the browser's errors.
  async ready() {
    try {
      await this.page.waitForFunction(() => window.watchglass !== undefined, null, { timeout: READY_MS_MAX });
      await this.page.evaluate(async (limit) => {
        const tooLate = new Promise((_, reject) => {
          setTimeout(() => reject(new Error(`watchglass.ready did not resolve within ${limit} ms`)), limit);
        });
        // `ready` can be used as a property and as a method, and the documentation allows both.
        const { ready } = window.watchglass;
        await Promise.race([typeof ready === 'function' ? window.watchglass.ready() : ready, tooLate]);
      }, READY_MS_MAX);
    } catch (error) {
      error.message += `\nThe browser's complaints: ${this.complaints.join('; ') || 'none'}`;
      throw error;
    }
  }
}
