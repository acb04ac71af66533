// The same script leads to the same world natively and in the page: the page's engine runs every behaviour file, and
// must reach the digest that the native engine printed.
import { readFileSync } from 'node:fs';
import { expect, test } from '../fixtures.mjs';

const list = process.env.WG_DIGESTS;

test('every behaviour file ends in the native digest', async ({ page, watchglass }) => {
  test.skip(!list, 'WG_DIGESTS names no list of native digests; `cargo xtask test` makes one');
  test.setTimeout(180_000);
  const rows = readFileSync(list, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/));
  expect(rows.length).toBeGreaterThan(10);
  await watchglass.open();
  const got = [];
  for (const [, path] of rows) {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const digest = await page.evaluate(async (script) => {
      const { load, seek, state } = window.watchglass;
      await load(script);
      await seek({ step: 1_000_000_000 });
      return (await state()).digest;
    }, text);
    got.push([digest, path]);
  }
  expect(got).toEqual(rows);
});
