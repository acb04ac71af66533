// Runs the engine and the Lab in the page's own thread, if the browser allows the page no workers (frontend/src/host).
import { serve } from './engine.js';

// Shorter than a slice of a worker, because the page must also draw.
const SLICE_MS = 5;

const attempts = {};

// Each call creates a new instance: an instance that stopped cannot be called again.
globalThis.watchglassServe = (port, program) => {
  attempts[program] = (attempts[program] ?? 0) + 1;
  const module = `../${program}.js${attempts[program] > 1 ? `?${attempts[program]}` : ''}`;
  serve(port, async () => {
    const engine = await import(module);
    return { engine, wasm: await engine.default() };
  }, SLICE_MS);
};
dispatchEvent(new Event('watchglass-engine'));
