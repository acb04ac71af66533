// The positions of the page's main regions, as a reader sees them, in windows of several sizes.
import { expect, test } from '@playwright/test';

const REGIONS = ['.wg-top', '.wg-story', '.wg-stage', '.wg-terminal', '.wg-inspector', '.wg-time', '.wg-sheet-tabs'];

// The controls around the picture. Each control must be inside the window.
const FRAME = '.wg-top, .wg-story, .wg-time, .wg-sheet-tabs, .front-head';
const CONTROLS = `:is(${FRAME}) :is(a, button, select)`;

export class Layout {
  constructor(page) {
    this.page = page;
  }

  // Runs checks in windows of these sizes, one after another, without loading the page again.
  async inEach(sizes, check) {
    for (const [width, height] of sizes) {
      await test.step(`${width}x${height}`, async () => {
        await this.page.setViewportSize({ width, height });
        await check(width, height);
      });
    }
  }

  // Checks that the regions do not overlap, and that all controls are inside the window.
  async expectRoom(name) {
    await expect.poll(() => this.overlaps(), name).toEqual([]);
    await expect.poll(() => this.outside(), name).toEqual([]);
    await expect.poll(() => this.sideways(), name).toBe(0);
  }

  // Returns the number of pixels by which the page exceeds the window on the right; the number must be 0.
  async sideways() {
    return this.page.evaluate(() => {
      const { documentElement: root, body } = document;
      return Math.max(root.scrollWidth, body.scrollWidth) - innerWidth;
    });
  }

  // Returns the pairs of regions that overlap.
  async overlaps() {
    return this.page.evaluate((names) => {
      const found = names.map((name) => document.querySelector(name)).filter(Boolean);
      const boxes = found.map((node) => ({ name: node.className, box: node.getBoundingClientRect() }));
      const seen = boxes.filter(({ box }) => box.width > 0 && box.height > 0);
      const covers = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
      return seen.flatMap((one, at) => seen.slice(at + 1).filter((other) => covers(one.box, other.box))
        .map((other) => `${one.name} and ${other.name}`));
    }, REGIONS);
  }

  // Returns the controls that exceed the window at its sides, where nobody can scroll.
  async outside() {
    return this.page.locator(CONTROLS).evaluateAll((nodes) => nodes
      .map((node) => ({ node, box: node.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.left < -1 || box.right > innerWidth + 1))
      .map(({ node }) => node.textContent || node.ariaLabel));
  }

  async height(selector) {
    const box = await this.page.locator(selector).first().boundingBox();
    return box?.height ?? 0;
  }
}
