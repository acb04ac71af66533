// Random actions on the page, from a seed: the clicks, lines, drags and keys of a restless visitor. The same seed makes
// the same choices, but their effects depend on the speed of the page.

const LINES = [
  'put /a 1', 'put /b "two words"', 'get / --prefix', 'get /a --rev=2', 'del /a', 'del / --prefix', 'compact 2', 'compact 99',
  'watch / --prefix as w1', 'watch /a', 'recv w1', 'pause w1', 'resume w1', 'unwatch w1', 'disconnect w1', 'run 1s', 'run 10m',
  'step 3', 'lease grant 5', 'txn', '', 'mod("/a") > "0"', 'show watchers', 'show key-index', 'apiserver api-1',
  'kubectl get pods', 'kubectl get -é', 'kubectl create pod web-1', 'informer pods as i', 'load w --creates=20 --clients=2',
  'stop etcd', 'start etcd', 'snapshot save monday', 'snapshot restore monday', 'fork', 'world profile=3.4', 'help', 'nonsense',
  'for i in {1..40}; do put /k$i v$i; done', 'show \\', '"', 'put /é ✓', 'watch / --prefix --many=50 as crowd',
];
const KEYS = [
  'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'Enter', 'Escape', 'Tab', 'Shift+Tab', 'Space', '1', '2', '3',
  '4', '5', 'i', 'c', 'l', '/', '?', '+', '-', '0', 'Control+c', 'Control+z', 'PageUp', 'PageDown',
];
const SIZES = [[1440, 900], [1280, 720], [390, 844], [640, 400], [320, 640]];
const QUERIES = ['?scenario=empty', '?scenario=slow-client', '?lesson=L04', '?scenario=cache/a_restart_of_etcd_is_only_a_pause', '?app'];

// Every control that can be clicked, except links out of the app and buttons that open a file chooser.
const CONTROLS = 'button:not(:disabled), [role=tab], [role=option], select, summary, .wg-mark, .loom-stage, .wg-entry';

export class Monkey {
  constructor(page, seed) {
    this.page = page;
    this.state = (seed >>> 0) || 1;
    this.acts = 0;
  }

  // Returns a whole number below `end`.
  below(end) {
    // xorshift32
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % end;
  }

  one(list) {
    return list[this.below(list.length)];
  }

  // Does one action and returns its description.
  async act() {
    this.acts += 1;
    const choice = this.below(100);
    if (choice < 35) return this.click();
    if (choice < 60) return this.type(this.one(LINES));
    if (choice < 80) return this.press(this.one(KEYS));
    if (choice < 88) return this.drag();
    if (choice < 93) return this.wheel();
    if (choice < 96) return this.resize(this.one(SIZES));
    if (choice < 98) return this.open(this.one(QUERIES));
    return this.reload();
  }

  async click() {
    const controls = this.page.locator(CONTROLS).filter({ visible: true });
    const count = await controls.count();
    if (count === 0) return 'nothing to click';
    const place = this.below(count);
    // The monkey does not click a control that has moved away or is covered in the meantime: a person would miss the
    // control, too.
    await controls.nth(place).click({ timeout: 400, noWaitAfter: true }).catch(() => {});
    return `click ${place} of ${count}`;
  }

  async type(line) {
    // After a reload, the static page also shows a prompt until the program is loaded.
    const prompt = this.page.locator('#wg-prompt:not([inert] *)');
    if (!(await prompt.isVisible())) return 'no prompt';
    await prompt.focus({ timeout: 400 }).catch(() => {});
    await this.page.keyboard.insertText(line);
    await this.page.keyboard.press('Enter');
    return `type ${line}`;
  }

  async press(key) {
    await this.page.keyboard.press(key);
    return `press ${key}`;
  }

  async drag() {
    const { width, height } = this.page.viewportSize();
    const [x, y, toX, toY] = [this.below(width), this.below(height), this.below(width), this.below(height)];
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(toX, toY, { steps: 4 });
    await this.page.mouse.up();
    return `drag ${x},${y} to ${toX},${toY}`;
  }

  async wheel() {
    await this.page.mouse.wheel(this.below(400) - 200, this.below(400) - 200);
    return 'wheel';
  }

  async resize([width, height]) {
    await this.page.setViewportSize({ width, height });
    return `resize ${width}x${height}`;
  }

  async open(query) {
    await this.page.goto(`./${query}`);
    return `open ${query}`;
  }

  async reload() {
    await this.page.reload();
    return 'reload';
  }

  // Returns true if the page responds to a request for its state within the time limit.
  async isAlive(limitMs) {
    return this.page.evaluate(async (limit) => {
      const late = new Promise((resolve) => { setTimeout(() => resolve(false), limit); });
      const answer = (async () => {
        while (!window.watchglass) await new Promise((resolve) => { setTimeout(resolve, 50); });
        await window.watchglass.ready();
        return typeof (await window.watchglass.state()).step === 'number';
      })();
      return Promise.race([answer, late]);
    }, limitMs);
  }
}
