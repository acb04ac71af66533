// The engine and the lab in the page's own thread, for frontend/src/host: only where the browser gives the page no worker.
import { serve } from './engine.js';

// Shorter than a worker's: the page has to draw, too.
const SLICE_MS = 5;

const attempts = {};

// Each instance is a fresh one: a program that stopped cannot be called again.
globalThis.watchglassServe = (port, program) => {
  attempts[program] = (attempts[program] ?? 0) + 1;
  const module = `../${program}.js${attempts[program] > 1 ? `?${attempts[program]}` : ''}`;
  serve(port, async () => {
    const engine = await import(module);
    return { engine, wasm: await engine.default() };
  }, SLICE_MS);
};
dispatchEvent(new Event('watchglass-engine'));
