// A documentation page with figures, served next to Watchglass under the same strict policy.

export class DocsPage {
  // What a strict policy forbade, wherever on the page or in its frames.
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

  // The frame of a figure; the locator looks into the element's shadow.
  frame(id) {
    return this.figure(id).locator('iframe').contentFrame();
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

  // What was asked for of Watchglass itself, as names of files.
  fetched() {
    return this.asked.filter((url) => url.startsWith(this.home)).map((url) => new URL(url).pathname.split('/').pop());
  }
}
