// Plays the tape of a run: the pictures of all its beats, drawn when the site was built
// (frontend/examples/posters/tape.rs describes the format). A beat is a section of the run's narration. A tape needs
// only the DOM; everything that the reader does beyond moving between beats is a matter for the simulator.
import { focus } from './focus.js';
import { play as animate, remember, settle } from './motion.js';
import { keepWhole } from './parts.js';

// The maximum duration of the transition to a neighbouring beat, as in frontend/src/hooks/motion.rs, in milliseconds.
export const BEAT_MS = 900;
const ICONS = {
  start: 'M3.5 3v10M13 3.5v9L6 8z',
  back: 'M11.5 3.5v9L4 8z',
  play: 'M4.5 2.8v10.4L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
};

// Returns the tape in a response. Tapes are stored in compressed form, so that they are small on every host.
export function unpack({ body }) {
  return new Response(body.pipeThrough(new DecompressionStream('gzip'))).json();
}

// Returns the tape with the HTML of each frame.
export function readTape({ title, frames }) {
  let html = '';
  return {
    title,
    frames: frames.map((frame) => {
      html = typeof frame.html === 'string' ? frame.html : applyEdits(html, frame.html);
      return { ...frame, html };
    }),
  };
}

function applyEdits(before, edits) {
  let place = 0;
  let after = '';
  for (const edit of edits) {
    if (typeof edit === 'string') {
      after += edit;
      continue;
    }
    if (edit > 0) after += before.slice(place, place + edit);
    place += Math.abs(edit);
  }
  return after;
}

// Returns the number of the frame that shows a position, as in the attribute `at`; -1 if no frame does.
export function frameAt({ frames }, at) {
  const [unit, text] = (at || 'start').split(':');
  const number = /^\d+$/.test(text ?? '') ? Number(text) : NaN;
  switch (unit) {
    case 'start': return 0;
    case 'end': return frames.length - 1;
    case 'beat': return frames.findIndex(({ beat }) => beat === number);
    case 'step': return frames.findIndex(({ step }) => step === number);
    default: return -1;
  }
}

// Returns true if all frames show this view, or if no view is asked for.
export const shows = ({ frames }, view) => !view || frames.every((frame) => frame.view === view);

// Returns the element of a frame.
export function elementOf({ html }) {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content.firstElementChild;
}

// Removes the controls of a figure (frontend/src/panels/figure).
export function removeControls(figure) {
  figure.classList.add('is-bare');
  figure.querySelectorAll('.wg-figure-head, .wg-figure-foot, .wg-figure-next').forEach((part) => part.remove());
}

// Fits the view of a figure into its room, as the program does: scrolls to the current time or to the focus of the beat,
// and leaves out the parts that do not fit whole. Returns a function that stops. The sentences are those of frontend/src/words/en/common.rs.
export function fit(figure) {
  const now = figure.querySelector('[data-now]')?.dataset.now;
  const scroller = figure.querySelector('.wg-view-scroll');
  if (now && scroller) scroller.scrollTop = now - Math.floor(scroller.clientHeight * 4 / 5);
  if (scroller) focus(scroller, true);
  return keepWhole(figure, (parts) => {
    const names = parts.map(([name, rows]) => (rows > 0 ? `${rows} ${rows === 1 ? 'row' : 'rows'} of “${name}”` : name));
    return `Not shown: ${names.length > 2 ? `${names.length} parts of the view` : names.join(', ')}`;
  });
}

// Returns the style sheet of figures for an element inside another page: the element takes the part of the page.
export function encloseSheet(sheet) {
  return sheet
    .replace(/:root|(?<=^|[{},\s])(?:html|body)(?=[\s,{:.])/g, '.wg-tape')
    .replace(/@media ([^{]*(?:width|height)[^{]*)/g, (_, query) => {
      const either = query.split(',').map((part) => `(${part.trim()})`);
      return `@container tape ${either.length > 1 ? either.join(' or ') : query.trim()} `;
    });
}

// A tape in a figure.
//
// `place` gets the figure. The tape was drawn for a figure of `width` pixels. `onMove` is called with each position that
// is shown, `onTry` if the reader wants the simulator.
// `out` returns the address of a frame in the app.
export class TapePlayer {
  #tape; #controls; #onMove; #onTry; #out;
  #element = document.createElement('div');
  #slider; #playButton; #tryButton; #tryLink;
  #at = -1;
  #timer;
  // Ends the observation of the parts of the picture.
  #stop = () => {};

  constructor(place, tape, { width, controls = '', onMove, onTry, out }) {
    this.#tape = tape;
    this.#controls = controls;
    [this.#onMove, this.#onTry, this.#out] = [onMove, onTry, out];
    // The picture and its texts are English, also in a page that is not.
    Object.assign(this.#element, { className: 'wg-tape', lang: 'en', dir: 'ltr' });
    this.#element.style.setProperty('--wg-tape-width', `${width}px`);
    this.#element.addEventListener('click', (event) => this.#clicked(event));
    this.#element.addEventListener('keydown', (event) => this.#pressed(event));
    place.append(this.#element);
  }

  get frame() { return this.#tape.frames[this.#at]; }

  set theme(theme) {
    if (['light', 'dark', 'projector'].includes(theme)) this.#element.dataset.theme = theme;
    else delete this.#element.dataset.theme;
  }

  // Shows a position, as in the attribute `at`; returns false if no frame shows it.
  seek(at, isQuiet = false) {
    const place = frameAt(this.#tape, at);
    if (place >= 0) this.show(place, isQuiet);
    return place >= 0;
  }

  // A quiet frame appears without motion, and screen readers do not read it: it follows another figure.
  show(at, isQuiet = false) {
    const { frames } = this.#tape;
    const to = Math.min(Math.max(at, 0), frames.length - 1);
    if (to === this.#at) return;
    const before = this.frame;
    const isNear = !isQuiet && before && Math.abs(to - this.#at) === 1 && before.view === frames[to].view;
    const isForward = to > this.#at;
    const picture = () => this.#element.querySelector('.wg-picture');
    if (isNear) remember(picture());
    else if (!isQuiet) settle();
    this.#at = to;
    this.#draw(elementOf(this.frame), isQuiet);
    if (isNear) animate(picture(), isForward, BEAT_MS);
    const { beat, step, revision } = this.frame;
    this.#onMove({ beat, beats: frames.length - 1, step, steps: frames.at(-1).step, revision });
  }

  play() {
    if (this.#at === this.#tape.frames.length - 1) this.show(0);
    this.#wait();
  }

  pause() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dress();
  }

  // Shows all frames one below the other, for paper.
  unroll() {
    const all = document.createElement('div');
    all.className = 'wg-tape-all';
    all.append(...this.#tape.frames.map((frame) => this.#fitted(elementOf(frame), frame)));
    this.#element.append(all);
  }

  roll() {
    this.#element.querySelector('.wg-tape-all')?.remove();
  }

  // Says on the button that the simulator is loading.
  wait(isWaiting) {
    if (!this.#tryButton) return;
    this.#tryButton.textContent = isWaiting ? 'Loading…' : 'Try it';
    if (isWaiting) this.#tryButton.setAttribute('aria-disabled', 'true');
    else this.#tryButton.removeAttribute('aria-disabled');
  }

  // Without the simulator on this page, the button becomes a link to the app.
  refuse() {
    const link = document.createElement('a');
    link.className = this.#tryButton?.className ?? '';
    Object.assign(link, { textContent: 'Try it in Watchglass', target: '_blank', rel: 'noopener' });
    link.href = this.#out('.#', this.frame);
    this.#tryButton?.replaceWith(link);
    this.#tryLink = link;
  }

  remove() {
    this.pause();
    this.#stop();
    settle();
    this.#element.remove();
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.show(this.#at + 1);
      if (this.#at < this.#tape.frames.length - 1) this.#wait();
      else this.pause();
    }, this.frame.ms);
    this.#dress();
  }

  #draw(figure, isQuiet) {
    const fitted = this.#fitted(figure, this.frame);
    const old = this.#element.querySelector('.wg-figure');
    if (old) {
      morph(old, fitted);
      const said = [old.querySelector('.wg-picture').ariaLabel, old.querySelector('.wg-figure-event')?.textContent];
      if (!isQuiet) old.querySelector('[aria-live]').textContent = said.filter(Boolean).join(' ');
    } else {
      this.#element.append(fitted);
      fitted.querySelector('.wg-figure-foot')?.append(...this.#buttons());
    }
    this.#stop();
    this.#stop = fit(this.#element);
    this.#dress();
  }

  // Adapts a drawn figure to the page and to the attribute `controls`.
  #fitted(figure, frame) {
    for (const link of figure.querySelectorAll('a[href^="."]')) link.href = this.#out(link.getAttribute('href'), frame);
    if (this.#controls === 'none') removeControls(figure);
    return figure;
  }

  #buttons() {
    const button = (icon, label, act) => {
      const made = document.createElement('button');
      Object.assign(made, { type: 'button', className: 'wg-button is-icon', onclick: act });
      name(made, icon, label);
      return made;
    };
    const group = document.createElement('div');
    group.className = 'wg-tape-buttons';
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', 'Playback');
    this.#playButton = button('play', 'Play (Space)', () => this.#toggle());
    this.#playButton.classList.add('is-play');
    group.append(
      button('start', 'To the start (Home)', () => this.#go(0)),
      button('back', 'One beat back (←)', () => this.#go(this.#at - 1)),
      this.#playButton,
    );
    this.#slider = document.createElement('input');
    const last = this.#tape.frames.length - 1;
    Object.assign(this.#slider, { type: 'range', className: 'wg-tape-slider', min: 0, max: last });
    this.#slider.oninput = () => this.#go(Number(this.#slider.value));
    this.#slider.setAttribute('aria-label', 'Beat of the run');
    this.#tryButton = document.createElement('button');
    Object.assign(this.#tryButton, { type: 'button', className: 'wg-button is-small', onclick: () => this.#onTry() });
    this.#tryButton.title = 'Run the simulator here and see every step';
    this.wait(false);
    return [group, this.#slider, this.#tryButton];
  }

  // Shows the position and whether the tape plays.
  #dress() {
    if (!this.#slider) return;
    const last = this.#tape.frames.length - 1;
    if (this.#tryLink) this.#tryLink.href = this.#out('.#', this.frame);
    this.#slider.value = this.#at;
    this.#slider.setAttribute('aria-valuetext', `${this.frame.beat} of ${last}`);
    name(this.#playButton, this.#timer ? 'pause' : 'play', this.#timer ? 'Pause (Space)' : 'Play (Space)');
  }

  #toggle() {
    if (this.#timer) this.pause();
    else this.play();
  }

  // Moves for the reader, which ends playback.
  #go(at) {
    if (this.#timer) this.pause();
    this.show(at);
  }

  #clicked({ target }) {
    const button = target.closest('button, select, input, [role="button"]');
    if (!button) return;
    if (button.matches('.wg-figure-next')) this.#go(this.#at + 1);
    else if (button.closest('.wg-picture')) this.#onTry();
  }

  #pressed(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target === this.#slider) return;
    const moves = { ArrowRight: this.#at + 1, ArrowLeft: this.#at - 1, Home: 0, End: this.#tape.frames.length - 1 };
    if (key in moves) this.#go(moves[key]);
    else if (key === ' ' && !target.closest('button, a')) this.#toggle();
    else return;
    event.preventDefault();
  }
}

function name(button, icon, label) {
  if (button.title === label) return;
  button.title = label;
  button.setAttribute('aria-label', label);
  // The same markup as that of the app's buttons (frontend/src/widgets/icon.rs).
  button.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class="wg-icon is-filled"><path d="${ICONS[icon]}"></path></svg>`;
}

// Changes an element into another. Parts that are in both stay the same elements, so that the focus and the scroll
// position stay, and marks can move: marks with the same identity, and otherwise the next element of the same name.
export function morph(from, to) {
  // The controls belong to the player.
  if (from.matches?.('.wg-figure-foot')) return;
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  for (const { name: attribute } of [...from.attributes]) if (!to.hasAttribute(attribute)) from.removeAttribute(attribute);
  for (const { name: attribute, value } of to.attributes) {
    if (from.getAttribute(attribute) !== value) from.setAttribute(attribute, value);
  }
  const rest = [...from.childNodes];
  const pairs = [...to.childNodes].map((node) => {
    const at = rest.findIndex((old) => old.nodeName === node.nodeName && old.dataset?.mark === node.dataset?.mark);
    return [node, at < 0 ? null : rest.splice(at, 1)[0]];
  });
  rest.forEach((old) => old.remove());
  let place = from.firstChild;
  for (const [node, old] of pairs) {
    if (!old) from.insertBefore(node, place);
    else {
      if (old === place) place = place.nextSibling;
      else from.insertBefore(old, place);
      morph(old, node);
    }
  }
}
