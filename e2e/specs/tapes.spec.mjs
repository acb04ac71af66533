// Every beat of every run: the tape shows what the program draws. `cargo xtask browser tapes` compares all of them, which
// takes a quarter of an hour; posters.spec compares a sample.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '../fixtures.mjs';
import { texts } from '../models/poster.mjs';

// The folder of the site; empty unless all beats are to be compared.
const SITE = process.env.WG_TAPES ?? '';
const WIDTHS = [800, 358];

const release = SITE && readdirSync(SITE).find((name) => name.startsWith('release-'));
const folder = join(SITE, release, 'tapes', String(WIDTHS[0]));
const files = SITE ? readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json.gz')).sort() : [];

for (const file of files) {
  const name = relative('.', file).split(sep).join('/').replace('.json.gz', '');
  const { frames } = JSON.parse(gunzipSync(readFileSync(join(folder, file))));
  test(name, async ({ page, context }) => {
    test.setTimeout(600_000);
    const still = await context.newPage();
    // The program never arrives, so the poster stays.
    await still.route('**/embed_bg.wasm', () => {});
    for (const width of WIDTHS) {
      await Promise.all([still, page].map((one) => one.setViewportSize({ width, height: 450 })));
      await page.goto(`embed.html?scenario=${name}`);
      await page.waitForFunction(() => window.watchglass?.ready);
      await page.evaluate(() => window.watchglass.ready());
      for (const { beat } of frames) {
        await still.goto(`embed.html?scenario=${name}&at=beat:${beat}`);
        const poster = still.locator('#poster[role=img]');
        await expect(poster).toBeVisible();
        await page.evaluate((beat) => window.watchglass.seek({ beat }), beat);
        const drawn = await texts(poster);
        await expect.soft(async () => {
          expect(await texts(page.locator('#app'))).toEqual(drawn);
        }, `beat ${beat} at ${width} px`).toPass({ timeout: 5_000 });
      }
    }
  });
}
