// The worker of the engine. It sends 'began' before it loads the module, so that the page does not mistake a slow
// download or a long run for a worker that did not start. A worker named `early` waits for the module that
// static/page.js sends; it loads the module itself if the page could not.
import * as engine from '../worker.js';
import { serve } from './engine.js';

const SLICE_MS = 12;

const sent = self.name === 'early' ? moduleOfPage() : undefined;

serve(self, async () => {
  const module = await sent;
  return { engine, wasm: await engine.default(module && { module_or_path: module }) };
}, SLICE_MS);

function moduleOfPage() {
  return new Promise((resolve) => {
    self.addEventListener('message', (event) => {
      if (!Object.hasOwn(Object(event.data), 'module')) return;
      // `serve` handles the program's messages.
      event.stopImmediatePropagation();
      resolve(event.data.module);
    });
  });
}
