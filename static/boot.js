// Starts the script for the address: that of the app, or that of the start page. This is a separate file, because a
// strict Content-Security-Policy forbids inline scripts.
import { explain, start } from './start.js';

const root = document.documentElement;
const isApp = root.classList.contains('is-app');
document.querySelector(isApp ? '#front' : '#app').remove();
if (isApp) {
  serveNotes();
  start('../app.js').then(() => root.classList.remove('terminal-closed', 'is-reading')).catch((error) => {
    // The app did not start, so it cannot show the error itself.
    explain(error, document.querySelector('.wg-boot'));
    throw error;
  });
} else if (root.classList.contains('is-front')) {
  // Without page.js, the page has neither class, and arrivals.js names the missing file.
  import('./front.js').catch((error) => explain(error, document.querySelector('#front-figure > .wg-boot')));
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
