// Files of the program that do not arrive as they should, and a worker in a test's hands.

export const WORKER_SCRIPT = '**/static/worker_boot.js';
export const GLUE = '**/worker.js';
export const ENGINE = '**/worker_bg.wasm';

const PORTAL = '<!doctype html><title>Sign in</title><p>Welcome to the guest network.</p>';

// What a network may do to a file.
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

// Keeps every worker that the page makes in `window.workers`.
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

// Bytes that no page sends: the engine stops.
export async function stopEngine(page) {
  await page.evaluate(() => window.workers.at(-1).postMessage(new Uint8Array([9, 9, 9])));
}
