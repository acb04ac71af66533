// Measures a documentation page with three figures with Lighthouse (a phone of the middle class, a slow network), five
// times. `cargo xtask bench lighthouse` runs this script; npx fetches Lighthouse, which the tests do not need.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const page = new URL('../site/', process.env.WG_URL).href;
const folder = mkdtempSync(join(tmpdir(), 'lighthouse-'));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const runs = [];
for (let run = 1; run <= 5; run += 1) {
  const report = join(folder, `${run}.json`);
  const { status, stderr } = spawnSync('npx', [
    '--yes', 'lighthouse@12', page, '--quiet', '--chrome-flags=--headless --no-sandbox',
    '--only-categories=performance,accessibility', '--output=json', `--output-path=${report}`,
  ], { encoding: 'utf8', shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(`Lighthouse ended with ${status}: ${stderr}`);
  const { categories, audits } = JSON.parse(readFileSync(report, 'utf8'));
  runs.push({
    performance: categories.performance.score * 100,
    accessibility: categories.accessibility.score * 100,
    'largest picture, ms': audits['largest-contentful-paint'].numericValue,
    'blocked, ms': audits['total-blocking-time'].numericValue,
    'layout shift': audits['cumulative-layout-shift'].numericValue,
  });
}
rmSync(folder, { recursive: true });
for (const name of Object.keys(runs[0])) console.log(`${name.padEnd(22)} ${median(runs.map((run) => run[name])).toFixed(name === 'layout shift' ? 3 : 0)}`);
