// The worker of the Lab. It sends 'began' before it loads the module, so that the page does not mistake a slow download
// for a worker that did not start.
import * as lab from '../lab.js';
import { serve } from './engine.js';

const SLICE_MS = 12;

serve(self, async () => ({ engine: lab, wasm: await lab.default() }), SLICE_MS);
