// Loads the engine's module into the page's own thread; see frontend/src/host/inline.rs.
import init, * as engine from '../worker.js';

try {
  await init();
  window.__watchglassEngine = engine;
} catch (error) {
  window.__watchglassEngine = { error: String(error) };
}
window.dispatchEvent(new Event('watchglass-engine'));
