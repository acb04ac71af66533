// Starts what the address asks for: the app, or the figure of the front door. A file of its own, because a strict
// Content-Security-Policy forbids inline scripts.
import { explain, start } from './start.js';

const root = document.documentElement;
const isApp = root.classList.contains('is-app');
document.querySelector(isApp ? '#front' : '#app').remove();
if (isApp) {
  start('../app.js').then(() => root.classList.remove('terminal-closed')).catch((error) => {
    // The app could not say it: it never ran.
    explain(error, document.querySelector('.wg-boot'));
    throw error;
  });
} else {
  import('./front.js');
}
