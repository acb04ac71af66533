// `cargo xtask test` builds and serves the page, and passes its address in WG_URL. By hand: run `cargo xtask serve` in
// one terminal, and `WG_URL=http://127.0.0.1:8080/ npx playwright test` in this folder in another.
import { defineConfig } from '@playwright/test';
import { launchOptions } from './chromium.mjs';

const url = process.env.WG_URL;
if (!url) throw new Error('WG_URL is not set: run `cargo xtask test`, or set it to the address of a served page');

export default defineConfig({
  testDir: 'specs',
  // The tests of the pseudo-language need their own build of the page.
  testMatch: process.env.WG_PSEUDO ? '**/pseudo.mjs' : '**/*.spec.mjs',
  outputDir: 'test-results/artifacts',
  reporter: [['line'], ['json', { outputFile: 'test-results/report.json' }]],
  // A test that passes only at the second try is printed as flaky: there is a fault in the page or in the test.
  retries: 1,
  // One worker per core of a small machine. Tests may run at the same time, because no test asserts a duration.
  workers: 2,
  timeout: 60_000,
  forbidOnly: Boolean(process.env.CI),
  use: {
    baseURL: url,
    browserName: 'chromium',
    // A test gets the page of the test before it, emptied: no cookies, storage or routes of that test are left, but the
    // browser still has the compiled programs.
    reuseContext: true,
    launchOptions: launchOptions(),
    viewport: { width: 1440, height: 900 },
    // Stories open with the workbench, which most tests use; `reading.spec` tests a first visit.
    storageState: {
      cookies: [],
      origins: [{ origin: new URL(url).origin, localStorage: [{ name: 'watchglass.1.prefs', value: '1 bench=on' }] }],
    },
    // `offline.spec` tests the service worker; all other tests load each file from the server.
    serviceWorkers: 'block',
    // A trace of every test would take a third of the tests' time; `npx playwright test --trace on` records traces.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
});
