// The engine's worker. It says that it began before it loads the engine, so that the page never takes a slow download or
// a long run for a worker that did not start.
import { serve } from './engine.js';

const SLICE_MS = 12;

serve(self, async () => {
  const engine = await import('../worker.js');
  return { engine, wasm: await engine.default() };
}, SLICE_MS);
