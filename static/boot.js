// Starts the script for the address: that of the app, or that of the start page. This is a separate file, because a
// strict Content-Security-Policy forbids inline scripts.
import { explain, start } from './start.js';

const root = document.documentElement;
const isApp = root.classList.contains('is-app');
const other = document.querySelector(isApp ? '#front' : '#app');
other.remove();
if (isApp) {
  startApp();
} else if (root.classList.contains('is-front')) {
  // Without page.js, the page has neither class, and arrivals.js names the missing file.
  import('./front.js').catch((error) => explain(error, document.querySelector('#front-figure > .wg-boot')));
  acceptFiles();
}

function startApp() {
  serveNotes();
  return start('../app.js').then(() => root.classList.remove('terminal-closed', 'is-reading')).catch((error) => {
    // The app did not start, so it cannot show the error itself.
    explain(error, document.querySelector('.wg-boot'));
    throw error;
  });
}

// Opens a file that is dropped on the start page. The app starts in this document, because a file cannot be handed over to
// another document without a copy.
function acceptFiles() {
  const isFile = (event) => Boolean(event.dataTransfer?.types.includes('Files'));
  addEventListener('dragover', (event) => {
    if (isFile(event)) event.preventDefault();
  });
  let isOpening = false;
  addEventListener('drop', async function open(event) {
    const file = event.dataTransfer?.files[0];
    if (!isFile(event) || !file) return;
    event.preventDefault();
    // Until the app accepts files itself, the browser would open a second file in place of the page.
    if (isOpening) return;
    isOpening = true;
    history.pushState(null, '', '?scenario=empty');
    addEventListener('popstate', () => {
      if (!location.search && !location.hash) location.reload();
    });
    document.querySelector('#front').replaceWith(other);
    root.className = 'is-app begins-with-store';
    window.watchglassLoad();
    await startApp();
    await window.watchglass.ready();
    removeEventListener('drop', open);
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(file);
    dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
  });
}

// Sends the place of the run to the notes in another window (notes.js), and moves when they ask this page to.
function serveNotes() {
  const channel = new BroadcastChannel('watchglass-notes');
  const page = String(Math.random());
  let at = { type: 'step', beat: 0 };
  const send = () => channel.postMessage({ ...at, ...Object.fromEntries(new URLSearchParams(location.search)), page });
  addEventListener('watchglass', ({ detail }) => {
    if (detail.type !== 'step') return;
    at = detail;
    send();
  });
  channel.onmessage = ({ data }) => {
    if (data.asks) send();
    else if (data.to === page && data.beat >= 0) window.watchglass?.seek({ beat: data.beat }).catch(() => {});
  };
  send();
}
