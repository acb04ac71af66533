// The views on the stage in a test, except the Index view: their tabs, watchers, caches and messages.

export class Views {
  constructor(page) {
    this.page = page;
    this.list = page.getByRole('tablist', { name: 'Pictures' });
    this.tabs = this.list.getByRole('tab');
    this.watch = page.getByRole('figure', { name: /^Watch/ });
    this.cache = page.getByRole('figure', { name: /^Cache/ });
    this.messages = page.getByRole('figure', { name: /^Messages/ });
    this.storage = page.getByRole('figure', { name: /^Storage/ });
    this.cluster = page.getByRole('figure', { name: /^Cluster/ });
    this.qos = page.getByRole('figure', { name: /^QoS/ });
  }

  tab(name) {
    return this.list.getByRole('tab', { name });
  }

  async open(name) {
    await this.tab(name).click();
  }

  // Opens the view and the inspector, which is closed until something is selected.
  async inspect(name) {
    await this.open(name);
    const toggle = this.page.getByRole('button', { name: 'Inspector (i)' });
    if (await toggle.getAttribute('aria-pressed') === 'false') await toggle.click();
  }

  // Runs commands through the page's own API, one after another.
  async exec(...lines) {
    await this.page.evaluate(async (list) => {
      for (const line of list) await window.watchglass.exec(line);
    }, lines);
  }

  // Loads a run of these lines, with the cursor at its end.
  async load(...lines) {
    await this.page.evaluate(async (text) => {
      await window.watchglass.load(text);
      await window.watchglass.seek({ step: 1_000_000 });
    }, `${lines.join('\n')}\n`);
  }

  // Returns a pool's heading: its name and its number of watchers.
  pool(name) {
    return this.watch.locator('.watch-head h3', { hasText: new RegExp(`^${name}`) });
  }

  // Returns a watcher in the picture, by its name.
  watcher(name) {
    return this.watch.locator('.watch-watcher', { has: this.page.locator('.watch-name', { hasText: new RegExp(`^${name}$`) }) });
  }

  // The watches that have no watcher in etcd.
  get away() {
    return this.watch.getByRole('region', { name: 'Watches without a watcher' });
  }

  lamp(name) {
    return this.watch.locator('.watch-lamp-button', { hasText: name });
  }

  get grid() {
    return this.page.getByRole('grid', { name: /^(Watchers|Caches|Messages)/ });
  }
}
