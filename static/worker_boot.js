// The worker of a program: the Lab if the worker's name is `lab`, otherwise the engine. It sends 'began' before it
// loads the program, so that the page does not mistake a slow download or a long run for a worker that did not start.
import { serve } from './engine.js';

const SLICE_MS = 12;

const file = self.name === 'lab' ? '../lab.js' : '../worker.js';

serve(self, async () => {
  const engine = await import(file);
  return { engine, wasm: await engine.default() };
}, SLICE_MS);
