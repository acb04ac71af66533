// `cargo xtask test` builds and serves the page, and gives its address in WG_URL. By hand: `cargo xtask serve` in one
// terminal, `WG_URL=http://127.0.0.1:8080/ npx playwright test` in this folder in another.
import { defineConfig } from '@playwright/test';
import { launchOptions } from './chromium.mjs';

const url = process.env.WG_URL;
if (!url) throw new Error('WG_URL is not set: run `cargo xtask test`, or set it to the address of a served page');

export default defineConfig({
  testDir: 'specs',
  testMatch: '**/*.spec.mjs',
  outputDir: 'test-results/artifacts',
  reporter: [['line'], ['json', { outputFile: 'test-results/report.json' }]],
  // A test that passes only the second time is printed as flaky: it has found something, in the page or in itself.
  retries: 1,
  // One for each core of a small machine: no test asserts how long something takes.
  workers: 2,
  timeout: 60_000,
  forbidOnly: Boolean(process.env.CI),
  use: {
    baseURL: url,
    browserName: 'chromium',
    launchOptions: launchOptions(),
    viewport: { width: 1440, height: 900 },
    // A trace of every test takes as long as a third of the tests; `npx playwright test --trace on` makes one.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
});
