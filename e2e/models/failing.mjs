// Program files that fail to load, and workers that a test controls.
import { expect } from '@playwright/test';

export const PROGRAM = '**/app_bg.wasm';
export const WORKER_SCRIPT = '**/static/worker_boot.js';
export const GLUE = '**/worker.js';
export const ENGINE = '**/worker_bg.wasm';

const PORTAL = '<!doctype html><title>Sign in</title><p>Welcome to the guest network.</p>';

// The ways in which a network can damage a file.
export const FATES = {
  blocked: (route) => route.abort('blockedbyclient'),
  missing: (route) => route.fulfill({ status: 404, contentType: 'text/html', body: '<h1>Not Found</h1>' }),
  portal: (route) => route.fulfill({ status: 200, contentType: 'text/html', body: PORTAL }),
  truncated: async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    await route.fulfill({ response, body: body.subarray(0, body.length >> 1) });
  },
};

// Stores every worker that the page creates in `window.workers`.
export async function holdWorkers(page) {
  await page.addInitScript(() => {
    window.workers = [];
    window.Worker = class extends window.Worker {
      constructor(...rest) {
        super(...rest);
        window.workers.push(this);
      }
    };
  });
}

// Counts the page's pings of a worker in `window.pings`: two per second while a response is due.
export async function countPings(page) {
  await page.addInitScript(() => {
    window.pings = 0;
    window.Worker = class extends window.Worker {
      postMessage(message, ...rest) {
        if (message === 'ping') window.pings += 1;
        super.postMessage(message, ...rest);
      }
    };
  });
}

// Waits until the page has sent more pings than a worker may leave without a response. Returns the number of alerts
// that the page showed in this time.
export async function alertsDuringPings(page) {
  let alerts = 0;
  await expect.poll(async () => {
    alerts += await page.getByRole('alert').count();
    return page.evaluate(() => window.pings);
  }, { timeout: 30_000 }).toBeGreaterThan(9);
  return alerts;
}

// Sends bytes that the page never sends, so that the engine stops.
export async function stopEngine(page) {
  await page.evaluate(() => window.workers.at(-1).postMessage(new Uint8Array([255, 255, 255])));
}
