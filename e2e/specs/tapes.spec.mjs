// Every beat of every run: the tape shows what the program draws. `cargo xtask browser tapes` compares all of them, which
// takes about a quarter of an hour; posters.spec compares a sample.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '../fixtures.mjs';
import { PROGRAM } from '../models/failing.mjs';
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
    await still.route(PROGRAM, () => {});
    for (const width of WIDTHS) {
      await Promise.all([still, page].map((one) => one.setViewportSize({ width, height: 450 })));
      for (const { beat } of frames) {
        const address = `embed.html?scenario=${name}&at=beat:${beat}`;
        await Promise.all([still, page].map((one) => one.goto(address)));
        const poster = still.locator('#poster[role=img]');
        await expect(poster).toBeVisible();
        await expect(page.locator('#app .is-drawn')).toHaveCount(1);
        const drawn = await texts(poster);
        await expect.soft(async () => {
          const shown = await texts(page.locator('#app'));
          expect(isNear(shown, drawn) ? drawn : shown).toEqual(drawn);
        }, `beat ${beat} at ${width} px`).toPass({ timeout: 5_000 });
      }
    }
  });
}

// Returns true if both pictures have the same texts, at the same places but for a pixel: the browser's font is not
// exactly as wide as the one that the tapes assume.
function isNear(a, b) {
  const parts = (text) => /^(.*) (-?\d+) (-?\d+)$/s.exec(text).slice(1);
  return a.length === b.length && a.every((text, place) => {
    const [[said, x, y], [other, x2, y2]] = [parts(text), parts(b[place])];
    return said === other && Math.abs(x - x2) <= 1 && Math.abs(y - y2) <= 1;
  });
}
