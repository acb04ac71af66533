// The page objects as fixtures: a test names the page objects that it needs. `watchglass` collects the browser's errors
// from the beginning of the test.
import { test as base } from '@playwright/test';
import { Author } from './models/author.mjs';
import { DocsPage } from './models/docs.mjs';
import { Gallery } from './models/gallery.mjs';
import { Kept } from './models/kept.mjs';
import { Lab } from './models/lab.mjs';
import { Layout } from './models/layout.mjs';
import { Lesson } from './models/lesson.mjs';
import { Motion } from './models/motion.mjs';
import { Open } from './models/open.mjs';
import { WatchglassPage } from './models/page.mjs';
import { Practice } from './models/practice.mjs';
import { Snapshot } from './models/snapshot.mjs';
import { Terminal } from './models/terminal.mjs';
import { Time } from './models/time.mjs';
import { Views } from './models/views.mjs';

export { expect } from '@playwright/test';

const MODELS = {
  author: Author,
  gallery: Gallery,
  kept: Kept,
  lab: Lab,
  layout: Layout,
  lesson: Lesson,
  motion: Motion,
  open: Open,
  practice: Practice,
  snapshot: Snapshot,
  terminal: Terminal,
  time: Time,
  views: Views,
  watchglass: WatchglassPage,
};

// Returns the page objects of a page that a test has opened itself.
export const modelsOf = (page) => Object.fromEntries(Object.entries(MODELS).map(([name, Model]) => [name, new Model(page)]));

const fixture = (Model) => ({ page }, use) => use(new Model(page));

export const test = base.extend({
  // Pictures are at rest at once, so that a test can measure them; a test of transitions sets `hasMotion`.
  hasMotion: [false, { option: true }],
  page: async ({ page, hasMotion }, use) => {
    if (!hasMotion) await page.addInitScript(still);
    await use(page);
  },
  ...Object.fromEntries(Object.entries(MODELS).map(([name, Model]) => [name, fixture(Model)])),
  docs: ({ page, baseURL }, use) => use(new DocsPage(page, baseURL)),
  shared: [async ({}, use) => use({}), { scope: 'worker' }],
});

// The tests of a file that share one page, one after another: each test begins where the test before it ended. After a
// failure, Playwright starts a new worker, and so a new page.
export const inOnePage = test.extend({
  page: async ({ browser, shared }, use, { file }) => {
    if (shared.file !== file) {
      await shared.page?.context().close();
      Object.assign(shared, { file, page: await browser.newPage() });
      await shared.page.addInitScript(still);
    }
    await use(shared.page);
  },
});

function still() {
  globalThis.watchglassStill = true;
}
