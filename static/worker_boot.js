// The engine's worker. The wait keeps what the page sends meanwhile in the worker's queue.
import init from '../worker.js';

await init();
