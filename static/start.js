// Loads the page's program, and explains a failure in words.

// The program's module.
let program;

// Returns the exports of the running program. The script of its parts (xtask/src/site/split.rs) calls this function,
// because an import of the program, which imports the script, would be a circle.
export const initSync = () => program.initSync();

// Draws a picture of the page as a file, for frontend/src/browser/picture.rs.
globalThis.watchglassPicture = async (...picture) => (await import('./picture.js')).draw(...picture);

// Unpacks a gzip file, for frontend/src/browser/file.rs.
globalThis.watchglassUnpack = async (...file) => (await import('./unpack.js')).unpack(...file);

// Resolves when the program is mounted. When it responds, the document gets the event `watchglass-ready`; if it cannot,
// `watchglass-failed`.
export async function start(module) {
  if (typeof WebAssembly !== 'object') throw new Error(NO_WASM);
  const text = scenario();
  program = await import(module);
  globalThis.watchglassScenario = await text;
  await program.default();
  const say = (word) => document.dispatchEvent(new Event(`watchglass-${word}`));
  window.watchglass.ready().then(() => say('ready'), () => say('failed'));
}

// Fetches the text of a scenario that is a file, such as `cache/compaction_passes_the_cache`.
function scenario() {
  const name = new URLSearchParams(location.search).get('scenario') ?? '';
  return /^[a-z]+\/\w+$/.test(name) ? window.watchglassText(name) : undefined;
}

const NO_WASM = 'This browser does not run WebAssembly, or has it switched off.';

// Returns the reason of a failure and the advice.
export function reason(error) {
  const text = String(error?.message ?? error);
  if (text === NO_WASM) return `${NO_WASM} Any current Firefox, Chrome, Edge or Safari runs WebAssembly.`;
  if (error?.isOfText) {
    return `The text of this run could not be loaded (${error.isOfText}). Its file is missing, blocked or of the wrong type. `
      + 'Check the address and the connection, then try again.';
  }
  if (/Content Security Policy|blocked by CSP/i.test(text)) {
    return "This site's Content-Security-Policy stops WebAssembly. Its script-src needs 'self' 'wasm-unsafe-eval'.";
  }
  return 'The simulator could not be loaded. A file of its program is missing, blocked or incomplete. '
    + 'Check the connection, then try again.';
}

// Shows the failure in place of the program, with a button to retry and the technical text in the details.
export function explain(error, place) {
  if (!place) return;
  const root = document.documentElement;
  root.classList.add('is-failed');
  const make = (name, text, ...children) => {
    const element = document.createElement(name);
    element.append(text, ...children);
    return element;
  };
  const again = make('button', 'Try again');
  again.type = 'button';
  again.className = 'wg-button';
  again.onclick = () => location.reload();
  const box = document.createElement('div');
  box.className = place.className;
  box.setAttribute('role', 'alert');
  if (document.querySelector('.wg-skeleton')) box.classList.add('is-alone');
  const failure = make('div', make('p', reason(error)), make('details', make('summary', 'Details'), make('pre', String(error))));
  failure.className = 'wg-failure';
  box.append(failure, again);
  // A figure has no room for a list of all runs.
  if (error?.isOfText && root.classList.contains('is-app')) {
    root.classList.add('is-without-run');
    const list = make('a', 'All lessons, stories and runs');
    list.className = 'wg-button';
    list.href = 'scenarios.html';
    box.append(' ', list);
  }
  place.replaceWith(box);
}
