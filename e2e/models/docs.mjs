// A documentation page with figures, served next to Watchglass under the same strict policy.
import { FRAME, tracedWork } from './work.mjs';

export class DocsPage {
  // The violations of the strict policy, on the page and in its frames.
  violations = [];

  constructor(page, baseURL) {
    this.page = page;
    this.site = new URL('../site/', baseURL).href;
    this.home = baseURL;
    this.asked = [];
    page.on('console', (message) => {
      if (/Content Security Policy|Content-Security-Policy/.test(message.text())) this.violations.push(message.text());
    });
    page.on('pageerror', (error) => this.violations.push(`uncaught: ${error.message}`));
    page.on('request', (request) => this.asked.push(request.url()));
  }

  async open(name = '') {
    await this.page.goto(this.site + name);
  }

  figure(id) {
    return this.page.locator(`watch-glass#${id}`);
  }

  // Returns the frame of a figure; the locator searches in the element's shadow tree.
  frame(id) {
    return this.figure(id).locator('iframe').contentFrame();
  }

  // Adds another figure at the top of the page and begins to load it.
  async add(id, attributes) {
    await this.page.evaluate(([id, attributes]) => {
      const figure = document.createElement('watch-glass');
      for (const [name, value] of Object.entries({ id, loading: 'eager', ...attributes })) figure.setAttribute(name, value);
      document.querySelector('main').prepend(figure);
    }, [id, attributes]);
  }

  // Returns the longest task of the page's thread during this time, in ms of processor time, so that the load of the
  // machine does not change the result.
  async longestTask(forMs) {
    const { longest } = await tracedWork(this.page, () => this.page.evaluate(([forMs, mark]) => new Promise((resolve) => {
      const until = performance.now() + forMs;
      const turn = () => {
        performance.mark(mark);
        if (performance.now() < until) setTimeout(turn, 10);
        else resolve();
      };
      turn();
    }), [forMs, FRAME]));
    return longest;
  }

  // Calls a method of the element, or waits for its `ready`.
  call(id, method, ...args) {
    return this.figure(id).evaluate(async (element, [method, args]) => {
      try {
        return { value: method === 'ready' ? await element.ready : await element[method](...args) };
      } catch (error) {
        return { error: error.message };
      }
    }, [method, args]);
  }

  // Returns the names of the files that were requested from Watchglass itself.
  fetched() {
    return this.asked.filter((url) => url.startsWith(this.home)).map((url) => new URL(url).pathname.split('/').pop());
  }
}
