// The engine in the page's own thread, for frontend/src/host: only where the browser gives the page no worker.
import { serve } from './engine.js';

// Shorter than a worker's: the page has to draw, too.
const SLICE_MS = 5;

let attempts = 0;

// Each engine is a fresh instance: one that stopped cannot be called again.
globalThis.watchglassServe = (port) => {
  attempts += 1;
  const module = `../worker.js${attempts > 1 ? `?${attempts}` : ''}`;
  serve(port, async () => {
    const engine = await import(module);
    return { engine, wasm: await engine.default() };
  }, SLICE_MS);
};
dispatchEvent(new Event('watchglass-engine'));
