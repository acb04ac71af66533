// Starts the script for the address: that of the app, or that of the start page. This is a separate file, because a
// strict Content-Security-Policy forbids inline scripts.
import { explain, start } from './start.js';

const root = document.documentElement;
const isApp = root.classList.contains('is-app');
document.querySelector(isApp ? '#front' : '#app').remove();
if (isApp) {
  import('./notes_host.js').catch(() => {});
  start('../app.js').then(() => root.classList.remove('terminal-closed', 'is-reading')).catch((error) => {
    // The app did not start, so it cannot show the error itself.
    explain(error, document.querySelector('.wg-boot'));
    throw error;
  });
} else if (root.classList.contains('is-front')) {
  // Without page.js, the page has neither class, and arrivals.js names the missing file.
  import('./front.js').catch((error) => explain(error, document.querySelector('#front-figure > .wg-boot')));
}
