// <watch-glass scenario at view controls theme loading height readonly>: a figure of Watchglass in any page.
//
// A page first loads only this file. The figure is loaded in a frame when the user scrolls near it (loading="lazy",
// the default) or immediately (loading="eager"); with loading="click", the frame shows only a poster until the user
// clicks it. Until the frame shows a poster or the figure, and if the frame fails, the element's children are shown.
// README.md describes the attributes, methods and events.

const VERSION = 1;
const PAGE = new URL('embed.html', import.meta.url);
const HEIGHT = 450;
// The distance from the visible area at which a figure begins to load.
const NEAR = '200px';
// Attributes whose change reloads the figure. The running figure handles changes of `theme` and `at`.
const ADDRESS = ['scenario', 'view', 'controls', 'readonly'];
// A scenario that is a link. The link is put behind the `#`, which browsers do not send to servers.
const LINK = /^#?(v\d+\..*)$/s;

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host { display: block; position: relative; height: var(--wg-height, ${HEIGHT}px); overflow: hidden; }
  :host([hidden]) { display: none; }
  iframe { display: block; width: 100%; height: 100%; border: 0; position: absolute; inset: 0; opacity: 0; }
  .shown iframe { opacity: 1; }
  .shown slot { display: none; }
  button { position: absolute; z-index: 1; left: 50%; bottom: 16px; translate: -50%; width: max-content; min-height: 44px; padding: 0 20px;
    font: 600 15px/20px system-ui, sans-serif; border: 2px solid; border-radius: 22px; color: CanvasText;
    background: Canvas; cursor: pointer; }
  .begun button { display: none; }
`);

// Returns the theme of the page around the figure: the element's own attribute, or else a class or attribute of common
// site generators, or else `auto`, which means the system setting.
function themeAround(element) {
  const own = element.getAttribute('theme');
  if (own && own !== 'auto') return own;
  for (let at = element.parentElement; at; at = at.parentElement) {
    const named = at.dataset.theme || at.dataset.bsTheme || at.dataset.colorMode || at.dataset.mdColorScheme || '';
    const words = [named.toLowerCase(), ...(at === document.documentElement || at === document.body ? at.classList : [])];
    if (words.some((word) => ['dark', 'slate', 'navy', 'coal', 'ayu'].includes(word))) return 'dark';
    if (words.some((word) => ['light', 'default', 'rust'].includes(word))) return 'light';
  }
  return 'auto';
}

class WatchGlass extends HTMLElement {
  static observedAttributes = [...ADDRESS, 'at', 'theme', 'height', 'loading'];

  #box; #frame; #port; #theme; #wish; #view;
  // Whether to run the figure's programs, and not only to show its poster.
  #begun = false;
  #waiting = new Map();
  #next = 0;
  #ready = deferred();

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    this.#box = document.createElement('div');
    this.#box.append(document.createElement('slot'));
    root.append(this.#box);
    this.#ready.promise.catch(() => {});
  }

  connectedCallback() {
    this.#size();
    window.addEventListener('message', this.#heard);
    this.#look();
  }

  disconnectedCallback() {
    window.removeEventListener('message', this.#heard);
    this.#view?.disconnect();
    this.#theme?.disconnect();
    this.#frame?.remove();
    this.#lose('the figure was removed from the page');
    this.#frame = undefined;
    this.#begun = false;
    this.#box.className = '';
  }

  attributeChangedCallback(name, before, now) {
    if (before === now || !this.isConnected) return;
    if (name === 'height') this.#size();
    else if (name === 'loading') this.#look();
    else if (!this.#frame) return;
    else if (name === 'theme') this.#dress();
    else if (name === 'at' && /^(step|revision|time_us):\d+$/.test(now)) {
      const [unit, number] = now.split(':');
      this.seek({ [unit]: Number(number) }).catch(() => {});
    } else this.#wish ??= queueMicrotask(() => { this.#wish = undefined; this.#again(); }) ?? true;
  }

  // --- The API, the same as that of window.watchglass in the app ---

  // Both a promise and a function that returns the promise; reading it does not load the figure.
  get ready() {
    const ready = () => this.#ready.promise;
    ready.then = (...then) => this.#ready.promise.then(...then);
    return ready;
  }

  exec(line) { return this.#ask({ type: 'exec', line }); }
  state() { return this.#ask({ type: 'state' }); }
  step(n = 1) { return this.#ask({ type: 'step', n }); }
  seek(at) { return this.#ask({ type: 'seek', at }); }
  play() { return this.#ask({ type: 'play' }); }
  pause() { return this.#ask({ type: 'pause' }); }
  load(what) { return this.#ask({ type: 'load', what }); }
  fork() { return this.#ask({ type: 'fork' }); }
  permalink() { return this.#ask({ type: 'permalink' }); }

  // --- Loading ---

  #size() {
    const height = Number.parseInt(this.getAttribute('height') ?? '', 10);
    if (height > 0) this.style.setProperty('--wg-height', `${height}px`);
    else this.style.removeProperty('--wg-height');
  }

  // Waits for the event that `loading` names. A figure outside the visible area is paused.
  #look() {
    if (this.loading === 'eager') this.#begin();
    else if (this.loading === 'click') this.#offer();
    this.#view ??= new IntersectionObserver(([{ isIntersecting }]) => {
      if (isIntersecting && this.loading === 'lazy') this.#begin();
      else if (isIntersecting) this.#open();
      else if (this.#begun && this.#port) this.#send({ type: 'pause' }).catch(() => {});
    }, { rootMargin: NEAR });
    this.#view.observe(this);
  }

  #offer() {
    if (this.#box.querySelector('button')) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = '▶ Run this figure (0.8 MB)';
    button.onclick = () => this.#begin();
    this.#box.append(button);
  }

  #begin() {
    if (this.#begun || !this.isConnected) return;
    this.#begun = true;
    this.#box.classList.add('begun');
    if (this.#port) this.#send({ type: 'begin' }).catch(() => {});
    this.#open();
  }

  #open() {
    if (this.#frame || !this.isConnected) return;
    const address = new URL(PAGE);
    for (const name of [...ADDRESS, 'at']) {
      const value = this.getAttribute(name);
      const link = name === 'scenario' && LINK.exec(value?.trim() ?? '');
      if (link) address.hash = link[1];
      else if (value !== null) address.searchParams.set(name, value);
    }
    address.searchParams.set('theme', themeAround(this));
    if (!this.#begun) address.searchParams.set('hold', '');
    const frame = document.createElement('iframe');
    frame.src = address;
    const name = this.scenario.trim();
    frame.title = this.getAttribute('aria-label') ?? `Watchglass: ${!name || LINK.test(name) ? 'a figure' : name}`;
    frame.allow = 'clipboard-write';
    this.#frame = frame;
    this.#box.append(frame);
    this.#theme = new MutationObserver(() => this.#dress());
    for (const around of [document.documentElement, document.body]) {
      this.#theme.observe(around, { attributes: true });
    }
  }

  #again() {
    this.#frame?.remove();
    this.#theme?.disconnect();
    this.#lose('the figure was replaced');
    this.#frame = undefined;
    this.#box.classList.remove('shown');
    this.#open();
  }

  #lose(why) {
    this.#port?.close();
    this.#port = undefined;
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
    this.#ready.reject(new Error(why));
    this.#ready = deferred();
    this.#ready.promise.catch(() => {});
  }

  #dress() {
    const theme = themeAround(this);
    if (this.#port && this.dressed !== theme) this.#send({ type: 'theme', theme }).catch(() => {});
    this.dressed = theme;
  }

  // --- Messages to and from the frame: the frame says hello and gets a port; all other messages use that port ---

  #heard = ({ source, origin, data }) => {
    if (!this.#frame || source !== this.#frame.contentWindow || data?.watchglass === undefined) return;
    if (origin !== PAGE.origin || data.watchglass !== VERSION || data.type !== 'hello') return;
    this.#port?.close();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = (event) => this.#answered(event.data);
    source.postMessage({ watchglass: VERSION, type: 'connect' }, origin, [port2]);
    for (const [id, { message }] of this.#waiting) port1.postMessage({ v: VERSION, id, ...message });
    this.dressed = new URL(this.#frame.src).searchParams.get('theme');
    this.#dress();
    if (data.poster) this.#show();
    // Also after "Try again", which reloads the frame.
    if (this.#begun) this.#send({ type: 'begin' }).catch(() => {});
    this.#send({ type: 'ready' }).then(
      () => { this.#show(); this.#ready.resolve(); this.#tell('ready'); },
      (error) => { this.#show(); this.#ready.reject(error); },
    );
  };

  #show() {
    this.#box.classList.add('shown');
  }

  // Sends a request that only a running figure answers.
  #ask(message) {
    this.#begin();
    return this.#send(message);
  }

  #send(message) {
    const id = this.#next += 1;
    const asked = deferred();
    this.#waiting.set(id, { ...asked, message });
    this.#port?.postMessage({ v: VERSION, id, ...message });
    return asked.promise;
  }

  #answered(message) {
    if (message?.v !== VERSION) return;
    if (message.type === 'event') {
      const { type, ...detail } = message.event;
      // In both cases the figure shows a message, even before its first picture.
      if (['paused', 'error'].includes(type)) this.#show();
      if (['step', 'statechange', 'paused', 'error', 'linkcopied'].includes(type)) this.#tell(type, detail);
      return;
    }
    const asked = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) asked?.resolve(message.value);
    else asked?.reject(new Error(message.error));
  }

  #tell(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: type !== 'error' }));
  }
}

function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

// The attributes as properties.
for (const name of ['scenario', 'at', 'view', 'controls', 'theme', 'height']) {
  Object.defineProperty(WatchGlass.prototype, name, {
    get() { return this.getAttribute(name) ?? ''; },
    set(value) { this.setAttribute(name, value); },
  });
}
Object.defineProperty(WatchGlass.prototype, 'loading', {
  get() { const value = this.getAttribute('loading'); return ['eager', 'click'].includes(value) ? value : 'lazy'; },
  set(value) { this.setAttribute('loading', value); },
});
Object.defineProperty(WatchGlass.prototype, 'readonly', {
  get() { return this.hasAttribute('readonly'); },
  set(value) { this.toggleAttribute('readonly', Boolean(value)); },
});

customElements.get('watch-glass') ?? customElements.define('watch-glass', WatchGlass);
