// Transitions in a test: the animations of `static/motion.js`.

const NAME = 'motion';

export class Motion {
  constructor(page) {
    this.page = page;
    this.ghosts = page.locator('.wg-motion-ghost');
    this.outlines = page.locator('.wg-motion-changed');
  }

  // Returns the identities of the marks that are moving.
  async marks() {
    return this.page.evaluate((name) => document.getAnimations()
      .filter(({ id, playState }) => id === name && playState === 'running')
      .map(({ effect }) => effect.target.closest('[data-mark]')?.dataset.mark ?? ''), NAME);
  }

  // Waits until several marks move, and returns their identities.
  async begun() {
    const list = await this.page.waitForFunction((name) => {
      const moving = document.getAnimations().filter(({ id, playState }) => id === name && playState === 'running');
      return moving.length > 1 && moving.map(({ effect }) => effect.target.closest('[data-mark]')?.dataset.mark ?? '');
    }, NAME);
    return list.jsonValue();
  }

  // Waits until nothing moves and everything that a transition has drawn is gone.
  async ended() {
    await this.page.waitForFunction((name) => document.getAnimations().every(({ id }) => id !== name)
      && !document.querySelector('.wg-motion'), NAME);
  }

  // Holds the running transition at a time, in milliseconds from its beginning.
  async hold(ms) {
    await this.page.evaluate(([name, time]) => {
      for (const animation of document.getAnimations().filter(({ id }) => id === name)) {
        animation.pause();
        animation.currentTime = time;
      }
    }, [NAME, ms]);
  }
}
