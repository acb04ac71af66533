// Shows the poster, which is the frame of the tape at the position that the address names, until the figure is drawn.
// `page.js` fetches the tape.
import { elementOf, fit, frameAt, readTape, removeControls, unpack } from './tape.js';

// Without a frame of exactly this position and view, the empty frame stays, with the title of the run if known.
// Resolves to true if there is a poster.
export async function showPoster(place) {
  const query = new URLSearchParams(location.search);
  const controls = query.get('controls');
  const empty = place.firstElementChild;
  arrange(empty, controls);
  const answer = await globalThis.watchglassPoster;
  if (!answer) return false;
  const { title, frames } = readTape(await unpack(answer));
  place.querySelector('h1')?.replaceChildren(title);
  const frame = frames[frameAt({ frames }, query.get('at'))];
  const [view] = (query.get('view') ?? '').split(',');
  if (!frame || (view && view.trim() !== frame.view)) return false;
  const poster = elementOf(frame);
  // The empty foot contains the line that says, after a while, that the simulator is loading.
  const foot = empty.querySelector('.wg-figure-foot');
  foot?.append(place.querySelector('.wg-late'));
  poster.querySelector('.wg-figure-foot').replaceWith(...(foot ? [foot] : []));
  arrange(poster, controls);
  place.setAttribute('role', 'img');
  const told = poster.querySelector('.wg-figure-beat') ?? poster.querySelector('figcaption');
  place.setAttribute('aria-label', `${title}. ${told.textContent}`);
  poster.inert = true;
  poster.setAttribute('aria-hidden', 'true');
  place.replaceChildren(poster);
  fit(place);
  return true;
}

// Adapts the layout to the figure's controls (frontend/src/panels/figure).
function arrange(figure, controls) {
  if (controls === 'none') removeControls(figure);
  else if (controls === 'full' && !figure.querySelector('.wg-terminal')) {
    const terminal = document.createElement('div');
    terminal.className = 'wg-terminal';
    figure.querySelector('.wg-figure-foot').before(terminal);
  }
}
