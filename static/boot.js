// Starts the program for the address: the app, or the figure of the start page. This is a separate file, because a
// strict Content-Security-Policy forbids inline scripts.
import { report, start } from './start.js';

const root = document.documentElement;
const isApp = root.classList.contains('is-app');
if (isApp || root.classList.contains('is-front')) {
  document.querySelector(isApp ? '#front' : '#app').remove();
  if (isApp) start('../app.js').then(() => root.classList.remove('terminal-closed')).catch(report);
  else import('./front.js').catch(report);
} else {
  report(new Error('static/page.js did not run'));
}
