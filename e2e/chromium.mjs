// The browser of the tests and tools, and its options: the machine's own Chromium or Chrome, without traffic of its
// own.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// Returns the options for Playwright's `chromium.launch`. `cargo xtask` sets CHROME_PATH; otherwise, PATH is searched.
export function launchOptions() {
  return { executablePath: process.env.CHROME_PATH || browserOnPath(), args: ARGS };
}

function browserOnPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const name of NAMES) {
    const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
    if (found) return found;
  }
  throw new Error('no Chromium or Chrome on PATH: install one, or set CHROME_PATH to its program');
}
