// The start page: its figure and a snippet to copy. The page is complete before this script runs.
import { play, remember, settle } from './motion.js';
import { BEAT_MS, elementOf, morph, readTape, unpack } from './tape.js';
import './theme_button.js';

// A link in the address bar opens its run in the app.
window.addEventListener('hashchange', () => {
  if (/^#v\d+\./.test(location.hash)) location.reload();
});

// --- The figure: the frames of a tape (frontend/examples/posters/front.rs), one for each revision ---

const figure = document.querySelector('#front-figure');
const trouble = document.createElement('p');
trouble.className = 'wg-boot';
trouble.setAttribute('role', 'alert');
const connected = new Set();

// Connects the slider of the layout that is displayed. A window of another size displays another layout.
async function connect() {
  const poster = [...figure.querySelectorAll('.front-poster')].find((layout) => layout.getClientRects().length > 0);
  if (!poster || connected.has(poster)) return;
  connected.add(poster);
  trouble.remove();
  try {
    const answer = await fetch(new URL(`../tapes/front/${poster.dataset.tape}.json.gz`, import.meta.url));
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { frames } = readTape(await unpack(answer));
    const slider = poster.querySelector('input');
    let at = slider.value - slider.min;
    morph(poster, elementOf(frames[at]));
    slider.oninput = () => {
      const to = slider.value - slider.min;
      const picture = poster.querySelector('.wg-picture');
      const isNear = Math.abs(to - at) === 1;
      if (isNear) remember(picture);
      else settle();
      morph(poster, elementOf(frames[to]));
      if (isNear) play(picture, to > at, BEAT_MS);
      at = to;
    };
    document.dispatchEvent(new Event('watchglass-ready'));
    prefetchApp();
  } catch (error) {
    connected.delete(poster);
    showTrouble();
    console.warn(error);
  }
}

function showTrouble() {
  const again = document.createElement('button');
  Object.assign(again, { type: 'button', className: 'wg-button is-small', textContent: 'Try again', onclick: connect });
  trouble.replaceChildren('The pictures for the slider could not be loaded. Check the connection, then try again. ', again);
  figure.append(trouble);
}

new ResizeObserver(connect).observe(figure);

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

// Most visitors open the app next. Fetches it when the figure is complete, because both would share a slow connection.
function prefetchApp() {
  if (navigator.connection?.saveData) return;
  for (const file of ['app.js', 'app_parts.js', 'app_bg.wasm', 'worker.js', 'worker_bg.wasm']) {
    const link = document.createElement('link');
    link.rel = 'prefetch';
    link.href = new URL(`../${file}`, import.meta.url);
    document.head.append(link);
  }
}
