// Starts the app. A file of its own, because a strict Content-Security-Policy forbids inline scripts.
import init from './app.js';

try {
  await init();
} catch (error) {
  explain(error);
  throw error;
}

// The app could not say it: it never ran. Sites that forbid WebAssembly are the usual cause, so name the way out.
function explain(error) {
  const place = document.querySelector('.wg-boot');
  if (!place) return;
  place.setAttribute('role', 'alert');
  place.textContent = error instanceof WebAssembly.CompileError || String(error).includes('Content Security Policy')
    ? "This site's Content-Security-Policy stops WebAssembly. Its script-src needs 'self' 'wasm-unsafe-eval'."
    : `The simulator could not be loaded (${error}). Reload the page; if that does not help, try a current browser.`;
}
