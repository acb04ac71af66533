// The page as a test sees it: opening it, waiting until it answers, and what it complained about.

// How long the simulator may take to start on a slow machine.
const READY_MS_MAX = 20_000;

export class WatchglassPage {
  // Everything the browser reported as an error, in words: console, uncaught exceptions, failed requests.
  complaints = [];

  constructor(page) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.complaints.push(`uncaught: ${error.message}`));
    page.on('requestfailed', (request) => {
      // A navigation aborts what is still being fetched, often the icon; that is no failure of the page.
      if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
      this.complaints.push(`request: ${request.url()}: ${request.failure()?.errorText}`);
    });
  }

  // Opens the app and waits until its API answers. `query` is what follows the address, such as `?theme=dark` or a link;
  // a bare address would be the front door.
  async open(query = '') {
    const response = await this.page.goto(`./${query || '?app'}`);
    await this.ready();
    return response;
  }

  // Waits for the page's API; if it stays away, the error tells what the browser complained about meanwhile.
  async ready() {
    try {
      await this.page.waitForFunction(() => window.watchglass !== undefined, null, { timeout: READY_MS_MAX });
      await this.page.evaluate(async (limit) => {
        const tooLate = new Promise((_, reject) => {
          setTimeout(() => reject(new Error(`watchglass.ready did not resolve within ${limit} ms`)), limit);
        });
        // A property or a method: both read as `ready` in the documentation.
        const { ready } = window.watchglass;
        await Promise.race([typeof ready === 'function' ? window.watchglass.ready() : ready, tooLate]);
      }, READY_MS_MAX);
    } catch (error) {
      error.message += `\nThe browser's complaints: ${this.complaints.join('; ') || 'none'}`;
      throw error;
    }
  }
}
