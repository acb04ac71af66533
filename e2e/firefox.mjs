// A smoke test in Firefox: the start page, the app and a figure start, and a command gets a response. All other tests
// run in Chromium. `cargo xtask test firefox` runs this script if Firefox is installed. A distribution's Firefox
// supports WebDriver BiDi; Playwright's driver would need Playwright's own build of Firefox.
import puppeteer from 'puppeteer-core';

const url = process.env.WG_URL;
const executablePath = process.env.FIREFOX_PATH;
if (!url || !executablePath) {
  console.error('WG_URL and FIREFOX_PATH are not set: run `cargo xtask test firefox`');
  process.exit(2);
}

const LIMIT_MS = 60_000;

const RUNS = {
  'the front door moves': async (page) => {
    await page.goto(url);
    const slider = await page.waitForSelector('.front-poster input[type=range]:not([disabled])', { timeout: LIMIT_MS });
    const before = await slider.evaluate((input) => input.value);
    await slider.press('ArrowRight');
    await slider.evaluate((input) => input.value).then((now) => { if (now === before) throw new Error('the slider does not move'); });
    await seen(page, '.front-poster:has(input:not([disabled])) .loom-svg');
  },
  'the app answers a command, and a reload keeps it': async (page) => {
    await page.goto(new URL('?scenario=empty', url).href);
    await type(page, 'put /key1 value1');
    await says(page, /put \/key1 value1.*OK/s);
    await type(page, 'get /key1');
    await says(page, /get \/key1.*value1/s);
    await seen(page, '.wg-stage .loom-svg');
    await page.reload();
    await says(page, /get \/key1.*value1/s);
  },
  'a figure shows the moment that was asked for': async (page) => {
    await page.goto(new URL('embed.html?scenario=two-generations&at=end&controls=full', url).href);
    await page.waitForFunction(() => document.querySelector('#app [role=slider]')?.ariaValueNow === '10', { timeout: LIMIT_MS });
    await seen(page, '#app .loom-svg');
  },
  'a tape in a page moves, and the simulator takes over': async (page) => {
    await page.goto(new URL('../site/', url).href);
    const until = (check, ...args) => page.waitForFunction(check, { timeout: LIMIT_MS }, ...args);
    await page.evaluate(() => document.querySelector('#generations').scrollIntoView());
    await until(() => document.querySelector('#generations').shadowRoot?.querySelector('.wg-figure-beat'));
    const beat = await page.evaluate(() => {
      const { shadowRoot } = document.querySelector('#generations');
      const { textContent } = shadowRoot.querySelector('.wg-figure-beat');
      shadowRoot.querySelector('.wg-figure-next').click();
      return textContent;
    });
    await until((before) => document.querySelector('#generations').shadowRoot.querySelector('.wg-figure-beat').textContent !== before, beat);
    await page.evaluate(() => [...document.querySelector('#generations').shadowRoot.querySelectorAll('button')].find((button) => button.textContent === 'Try it').click());
    await until(() => document.querySelector('#generations').shadowRoot.querySelector('.shown iframe'));
  },
  'a picture becomes an SVG': async (page) => {
    await page.goto(new URL('?scenario=slow-client&at=beat:6', url).href);
    await seen(page, '#app .wg-view');
    const svg = await page.evaluate(async () => (await window.watchglassPicture(document.querySelector('.wg-picture'), 'svg', 'A label')).text());
    if (!/^<svg [^>]*aria-label="A label".*worker/s.test(svg)) throw new Error(svg.slice(0, 400));
  },
};

async function type(page, line) {
  const prompt = await page.waitForSelector('#wg-prompt:not([inert] *)', { timeout: LIMIT_MS });
  await prompt.type(line);
  await prompt.press('Enter');
}

async function says(page, pattern) {
  await page.waitForFunction((source) => [...document.querySelectorAll('.wg-entry')]
    .some((entry) => new RegExp(source, 's').test(entry.textContent)), { timeout: LIMIT_MS }, pattern.source);
}

async function seen(page, selector) {
  const picture = await page.waitForSelector(selector, { visible: true, timeout: LIMIT_MS });
  const { width, height } = await picture.boundingBox();
  if (width < 100 || height < 100) throw new Error(`${selector} is ${width} x ${height}`);
}

const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
console.log(await browser.version());
let failed = 0;
for (const [name, run] of Object.entries(RUNS)) {
  const page = await browser.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  try {
    await page.setViewport({ width: 1280, height: 720 });
    await run(page);
    if (complaints.length > 0) throw new Error(`the page complains: ${complaints.join('; ')}`);
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
  await page.close();
}
await browser.close();
console.log(`${Object.keys(RUNS).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
