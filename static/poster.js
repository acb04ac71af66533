// Shows the poster of the step that the address names, until the figure is drawn. `page.js` fetches the poster;
// `frontend/examples/posters` draws it: a title, and a template for each step.

// Without a poster of exactly this step, the empty frame stays, with the title of the run if known. Resolves to true
// if there is a poster.
export async function showPoster(place) {
  const query = new URLSearchParams(location.search);
  const controls = query.get('controls');
  arrange(place.firstElementChild, controls);
  const text = await globalThis.watchglassPoster;
  if (!text) return false;
  const posters = new DOMParser().parseFromString(text, 'text/html');
  place.querySelector('h1')?.replaceChildren(posters.title);
  const [view] = (query.get('view') || 'index').split(',');
  const at = query.get('at') || 'start';
  const asked = `template[data-view="${CSS.escape(view.trim())}"][data-at~="${CSS.escape(at)}"]`;
  const poster = posters.querySelector(asked)?.content.firstElementChild;
  if (!poster) return false;
  arrange(poster, controls);
  place.setAttribute('role', 'img');
  const told = poster.querySelector('.wg-figure-beat') ?? poster.querySelector('figcaption');
  place.setAttribute('aria-label', `${posters.title}. ${told.textContent}`);
  poster.inert = true;
  poster.setAttribute('aria-hidden', 'true');
  // The line that says, after a while, that the simulator is loading.
  const late = place.querySelector('.wg-late');
  place.replaceChildren(poster);
  poster.querySelector('.wg-transport-buttons')?.after(late);
  return true;
}

// Adapts the layout to the figure's controls (frontend/src/panels/figure).
function arrange(figure, controls) {
  if (controls === 'none') {
    figure.classList.add('is-bare');
    figure.querySelectorAll('.wg-figure-head, .wg-figure-foot, .wg-figure-next').forEach((part) => part.remove());
  } else if (controls === 'full') {
    const terminal = document.createElement('div');
    terminal.className = 'wg-terminal';
    figure.querySelector('.wg-figure-foot').before(terminal);
  }
}
