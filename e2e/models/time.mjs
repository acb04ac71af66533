// Time in a test: the position of the cursor, the transport buttons, and the slider over the run.

export class Time {
  constructor(page) {
    this.page = page;
    this.slider = page.getByRole('slider', { name: 'Step of the run' });
    this.readout = page.locator('.wg-readout');
    this.narration = page.locator('.wg-narration');
    this.past = page.locator('.wg-past');
  }

  // Returns the step of the cursor, as the slider shows it.
  async step() {
    return Number(await this.slider.getAttribute('aria-valuenow'));
  }

  async steps() {
    return Number(await this.slider.getAttribute('aria-valuemax'));
  }

  button(name) {
    return this.page.getByRole('group', { name: 'Playback' }).getByRole('button', { name });
  }

  // Returns a place on the slider, given as a part of its width.
  async place(part) {
    const box = await this.slider.boundingBox();
    return { x: box.x + box.width * part, y: box.y + Math.min(20, box.height / 2) };
  }

  async click(part) {
    const { x, y } = await this.place(part);
    await this.page.mouse.click(x, y);
  }

  // Drags from one place to another; returns the steps that appeared on the way.
  async drag(from, to) {
    const start = await this.place(from);
    const end = await this.place(to);
    const seen = new Set();
    await this.page.mouse.move(start.x, start.y);
    await this.page.mouse.down();
    for (let at = 0; at <= 20; at += 1) {
      await this.page.mouse.move(start.x + ((end.x - start.x) * at) / 20, start.y);
      seen.add(await this.step());
    }
    await this.page.mouse.up();
    return seen;
  }
}
