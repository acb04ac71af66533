// Programs in two parts: the first steps need one, the rest comes when it is called for, and its absence is said.
import { expect, test } from '@playwright/test';
import { VISITS } from '../models/first.mjs';
import { WatchglassPage } from '../models/page.mjs';

const REST = '**/*_rest.wasm';

// Which of two messages comes first is a matter of chance, and with it a call now and then; what is called in each visit
// belongs into the first part.
const VISITED = 3;

for (const visit of VISITS) {
  test(`the first steps do without the rest: ${visit.address} at ${visit.size.width}`, async ({ browser, baseURL }) => {
    test.setTimeout(60_000 * VISITED);
    let called;
    for (let n = 0; n < VISITED; n++) {
      called = await calledRest(browser, baseURL, visit);
      if (!called) return;
    }
    throw new Error(`${called} was called for in each visit: \`cargo xtask bench parts --bless\` finds out which functions belong into the first part`);
  });
}

// The rest that a visit cannot do without, and waits for.
async function calledRest(browser, baseURL, { address, program, size, theme = 'light', use, engineWaits }) {
  const page = await browser.newPage({ baseURL, viewport: size, colorScheme: theme });
  const mayWait = (name) => engineWaits && !name.startsWith(program);
  let called;
  const isCalled = new Promise((resolve) => {
    page.route(REST, (route) => {
      const name = new URL(route.request().url()).pathname.split('/').pop();
      if (mayWait(name)) return route.continue();
      // Early it is fetched; a call that waits for it asks in another way.
      if (route.request().resourceType() === 'xhr') resolve(called = name);
      return route.abort();
    });
  });
  const watchglass = new WatchglassPage(page);
  const visited = async () => {
    await page.goto(address);
    await watchglass.ready();
    await use(page);
    expect(watchglass.complaints.filter((line) => line.startsWith('uncaught'))).toEqual([]);
  };
  // Without the rest the page waits for ever.
  const visiting = visited();
  await Promise.race([visiting, isCalled]);
  if (called) visiting.catch(() => {});
  await page.close();
  return called;
}

test('a figure that nobody touches fetches no rest, and one that is touched does', async ({ page }) => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.split('/').pop()));
  await page.goto('embed.html?scenario=two-generations');
  await new WatchglassPage(page).ready();
  await page.waitForTimeout(2500);
  expect(asked.filter((name) => name.endsWith('_rest.wasm'))).toEqual([]);
  await page.mouse.move(300, 200);
  await expect.poll(() => asked.filter((name) => name.endsWith('_rest.wasm')).sort()).toEqual(['embed_rest.wasm', 'worker_rest.wasm']);
});

test('a command of the rest is answered as if it had always been there', async ({ page }) => {
  await page.goto('embed.html?scenario=two-generations&controls=full');
  await new WatchglassPage(page).ready();
  const answer = await page.evaluate(async () => {
    await window.watchglass.exec('apiserver api-1');
    await window.watchglass.exec('kubectl create pod web-1');
    return window.watchglass.exec('kubectl get pods');
  });
  expect(answer.output).toContain('web-1');
});

test('a rest that cannot be loaded is said, and the run is kept', async ({ page }) => {
  await page.route('**/worker_rest.wasm', (route) => route.abort());
  const watchglass = new WatchglassPage(page);
  await watchglass.open('?scenario=empty');
  await page.evaluate(() => window.watchglass.exec('put /a 1'));
  await page.evaluate(() => { window.watchglass.exec('apiserver api-1').catch(() => {}); });
  await expect(page.locator('body')).toContainText(/could not be loaded \(worker_rest\.wasm/);
});
