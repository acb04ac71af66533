// The page that attaches to a running etcd.
export class Attach {
  constructor(page) {
    this.page = page;
    this.state = page.getByRole('status').first();
    this.alert = page.getByRole('alert');
    this.go = page.getByRole('button', { name: 'Attach', exact: true });
    this.app = page.frameLocator('iframe');
    this.terminal = this.app.getByRole('textbox', { name: /command/i });
  }

  async open(hash = '') {
    await this.page.goto(`attach.html${hash}`);
  }

  async attach(address, prefix = '') {
    await this.page.getByLabel('Address of a member').fill(address);
    await this.page.getByLabel('Only keys with this prefix').fill(prefix);
    await this.go.click();
  }

  button(name) {
    return this.page.getByRole('button', { name, exact: true });
  }

  // Lets the page write to etcd.
  async write() {
    await this.button('Write to etcd…').click();
    await this.page.getByRole('dialog').getByRole('button', { name: 'Write to etcd' }).click();
  }

  // Runs a command in etcd and in the copy, and returns the row with the results.
  async both(line) {
    const rows = this.page.getByRole('log').getByRole('listitem');
    const before = await rows.count();
    await this.page.getByLabel('etcdctl', { exact: true }).fill(line);
    await this.page.keyboard.press('Enter');
    await rows.nth(before).waitFor();
    return rows.nth(before);
  }

  // A number of the bar, by its name.
  number(name) {
    return this.page.locator('#attach-numbers > div').filter({ has: this.page.getByText(name, { exact: true }) }).locator('dd');
  }

  // Runs a command in the copy, and returns what it prints.
  async exec(line) {
    const { output, error } = await this.page.frames()[1].evaluate((text) => window.watchglass.exec(text), line);
    return output + error;
  }

  async seek(to) {
    await this.page.frames()[1].evaluate((place) => window.watchglass.seek(place), to);
  }
}
