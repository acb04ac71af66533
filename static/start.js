// Loads one of the page's two programs, and reports a failure.

// Resolves when the program is mounted.
export async function start(module) {
  if (typeof WebAssembly !== 'object') throw new Error(NO_WASM);
  const text = scenario();
  const { default: init } = await import(module);
  globalThis.watchglassScenario = await text;
  await init();
  document.querySelector('.wg-silent')?.remove();
}

// Fetches the text of a scenario that is a file, such as `cache/compaction_passes_the_cache`.
function scenario() {
  const name = new URLSearchParams(location.search).get('scenario') ?? '';
  return /^[a-z]+\/\w+$/.test(name) ? window.watchglassText(name) : undefined;
}

const NO_WASM = 'This browser does not run WebAssembly, or has it switched off.';

// Returns the reason of a failure and the advice; nothing if a file of the program failed, which static/arrivals.js
// names.
function reason(error) {
  const text = String(error?.message ?? error);
  if (text === NO_WASM) return `${NO_WASM} Any current Firefox, Chrome, Edge or Safari runs WebAssembly.`;
  if (error?.isOfText) {
    return `The text of this run could not be loaded (${error.isOfText}). Its file is missing, blocked or of the wrong type. `
      + 'Check the address and the connection, then try again.';
  }
  if (/Content Security Policy|blocked by CSP/i.test(text)) {
    return "This site's Content-Security-Policy stops WebAssembly. Its script-src needs 'self' 'wasm-unsafe-eval'.";
  }
  return undefined;
}

// Hands the failure to static/arrivals.js, which shows it in place of the program and names the file. Returns the
// reason without the file.
export function report(error) {
  const failure = error instanceof Error ? error : new Error(String(error));
  failure.reason = reason(failure);
  (globalThis.watchglassErrors ??= []).push(failure);
  globalThis.watchglassFailed?.();
  return failure.reason ?? 'The simulator could not be loaded. Check the connection, then try again.';
}
