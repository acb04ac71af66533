// The start page: its figure and a snippet to copy. The page is complete before this script runs.
import { explain, start } from './start.js';
import './theme_button.js';

// A link in the address bar opens its run in the app.
window.addEventListener('hashchange', () => {
  if (/^#v\d+\./.test(location.hash)) location.reload();
});

start('../embed.js')
  .then(() => window.watchglass.ready())
  .then(prefetchApp)
  .catch((error) => explain(error, document.querySelector('#front-figure .wg-boot')));

// --- The saved run ---

try {
  const [, title] = (localStorage.getItem('watchglass.2.last.run') ?? '').split('\n');
  if (title) document.querySelector('#front-again').append(`: ${title}`);
} catch {
  // Without storage, the link is not shown.
}

// --- Snippet ---

const snippet = document.querySelector('#front-snippet');
const copy = document.querySelector('#front-copy');
snippet.textContent = snippet.textContent.replace('watch-glass.js', new URL('watch-glass.js', location.href).href);
copy.hidden = false;
copy.onclick = async () => {
  try {
    await navigator.clipboard.writeText(snippet.textContent);
    copy.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(snippet);
    copy.textContent = 'Selected: copy it';
  }
};

// --- Without a network ---

const offline = document.querySelector('#front-offline');
// The page in one file leads to no other files. In a sandbox, reading `serviceWorker` is an error.
if (self.origin === 'null') offline.hidden = true;
// Resolves when the service worker has all files.
else navigator.serviceWorker?.ready.then(() => { offline.querySelector('span').hidden = false; });

// --- The app ---

// Most visitors open the app next. Fetch it after the figure has its run, because both would share a slow connection.
function prefetchApp() {
  for (const file of ['app.js', 'app_bg.wasm']) {
    const link = document.createElement('link');
    link.rel = 'prefetch';
    link.href = new URL(`../${file}`, import.meta.url);
    document.head.append(link);
  }
}
