// <watch-glass scenario at view controls theme loading height readonly group>: a figure of Watchglass in any page.
//
// A page first loads only this file. When the user scrolls near the figure (loading="lazy", the default) or immediately
// (loading="eager"), the element shows the tape of its run (tape.js): the pictures of all beats, in its own shadow tree.
// The simulator is loaded in a frame when the reader asks for it, or a script calls a method of the element. Figures
// without a tape (links, empty stores, moments that are no beat, a terminal) load the simulator at once, or after a
// click if loading="click". Until there is something to see, the element's children are shown.
// README.md describes the attributes, methods and events.

const VERSION = 1;
const PAGE = new URL('embed.html', import.meta.url);
// The build puts the folder of the release into these paths (xtask/src/site/layout.rs).
const FOLDER = new URL('./static/', import.meta.url);
const PLAYER = new URL('./static/tape.js', import.meta.url);
const SHEET = new URL('./static/embed.html.css', import.meta.url);
const HEIGHT = 450;
// The height of the terminal below a figure that the reader tries, as in figure.css.
const TERMINAL = 128;
// The widths of tapes (frontend/examples/posters/tape.rs).
const WIDTHS = [800, 680, 560, 358, 320];
// The distance from the visible area at which a figure begins to load.
const NEAR = '200px';
// Attributes whose change shows the figure anew. A figure handles changes of `theme` and `at` itself.
const ADDRESS = ['scenario', 'view', 'controls', 'readonly'];
// A scenario that is a link. The link is put behind the `#`, which browsers do not send to servers.
const LINK = /^#?(v\d+\..*)$/s;
const NAME = /^(?!empty)[a-z-]+(\/\w+)?$/;

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host { display: block; position: relative; height: var(--wg-height, ${HEIGHT}px); overflow: hidden; }
  :host([hidden]) { display: none; }
  .wg-tape { container: tape / size; position: absolute; inset: 0; text-align: start; }
  iframe { display: block; width: 100%; height: 100%; border: 0; position: absolute; inset: 0; opacity: 0; }
  .shown iframe { opacity: 1; }
  :is(.shown, .has-tape) slot { display: none; }
  .shown .wg-tape { visibility: hidden; }
  .offer { position: absolute; z-index: 1; left: 50%; bottom: 16px; translate: -50%; width: max-content; min-height: 44px; padding: 0 20px;
    font: 600 15px/20px system-ui, sans-serif; border: 2px solid; border-radius: 22px; color: CanvasText;
    background: Canvas; cursor: pointer; }
  .begun .offer { display: none; }
  .wg-tape .wg-picture { width: 100%; max-width: var(--wg-tape-width); margin-inline: auto; }
  .wg-tape-buttons { display: flex; gap: 4px; }
  .wg-tape-slider { flex: 1; min-width: 0; accent-color: var(--wg-accent); }
  .wg-tape-all { display: none; }
  @media print {
    :host { height: auto; overflow: visible; }
    .wg-tape { position: static; height: auto; container-type: inline-size; }
    .wg-tape:has(.wg-tape-all) > .wg-figure { display: none; }
    .wg-tape-all { display: grid; gap: 12px; }
    .wg-tape-all > .wg-figure { height: auto; break-inside: avoid; }
    .wg-tape-all :is(.wg-figure-next, .wg-figure-foot) { display: none; }
    .wg-tape-all :is(.wg-figure-main, .wg-figure-caption, .wg-figure-beat) { height: auto; max-height: none; }
    .wg-tape-all .wg-picture { min-height: 296px; }
  }
`);

// The style sheet of figures, fetched once for all figures of a page.
let figureSheet;
async function loadFigureSheet(encloseSheet) {
  const text = await (await fetchFile(SHEET)).text();
  const figures = new CSSStyleSheet();
  figures.replaceSync(encloseSheet(text));
  return figures;
}

async function fetchFile(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: status ${answer.status}`);
  return answer;
}

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
  // The player of the tape, also while and after the simulator takes over.
  #tape;
  #hasStarted = false;
  // Whether the simulator is wanted, and whether with a terminal that the author did not ask for.
  #begun = false;
  #hasTerminal = false;
  // The step of the simulator, what it reported about its run, and a number that grows when its run changes.
  #step; #reported; #version = 0;
  #isReady = false;
  // The place of the leader to which this figure has followed.
  #followed;
  #isFollowing = false;
  // The figure of each group that leads the others.
  static #leaders = new Map();
  // The number of the run that the figure shows; a new number makes pending loads stale.
  #run = 0;
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
    document.addEventListener('securitypolicyviolation', this.#refused);
    window.addEventListener('beforeprint', this.#unroll);
    window.addEventListener('afterprint', this.#roll);
    window.addEventListener('blur', this.#entered);
    this.#look();
  }

  disconnectedCallback() {
    window.removeEventListener('message', this.#heard);
    document.removeEventListener('securitypolicyviolation', this.#refused);
    window.removeEventListener('beforeprint', this.#unroll);
    window.removeEventListener('afterprint', this.#roll);
    window.removeEventListener('blur', this.#entered);
    this.#view?.disconnect();
    this.#view = undefined;
    this.#clear('the figure was removed from the page');
  }

  attributeChangedCallback(name, before, now) {
    if (before === now || !this.isConnected) return;
    if (name === 'height') this.#size();
    else if (name === 'loading') this.#look();
    else if (!this.#hasStarted) return;
    else if (name === 'theme') this.#dress();
    else if (name === 'at' && this.#tape && !this.#begun && this.#tape.seek(now)) return;
    else if (name === 'at' && this.#frame && /^(step|revision|time_us):\d+$/.test(now)) {
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

  exec(line) { return this.#use({ type: 'exec', line }); }
  state() { return this.#ask({ type: 'state' }); }
  step(n = 1) { return this.#use({ type: 'step', n }); }
  async seek(at) {
    const [[unit, number]] = Object.entries(at ?? { '': '' });
    if (this.#isTaped && this.#tape.seek(`${unit}:${number}`)) return undefined;
    return this.#use({ type: 'seek', at });
  }
  async play() { return this.#isTaped ? this.#tape.play() : this.#use({ type: 'play' }); }
  async pause() { return this.#isTaped ? this.#tape.pause() : this.#ask({ type: 'pause' }); }
  load(what) { return this.#use({ type: 'load', what }); }
  fork() { return this.#use({ type: 'fork' }); }
  permalink() { return this.#ask({ type: 'permalink' }); }

  // --- Loading ---

  #size(more = 0) {
    const height = Number.parseInt(this.getAttribute('height') ?? '', 10) || HEIGHT;
    this.style.setProperty('--wg-height', `${Math.max(height, 1) + more}px`);
  }

  // Waits for the event that `loading` names. A figure outside the visible area is paused.
  #look() {
    if (this.loading === 'eager') this.#start();
    this.#view ??= new IntersectionObserver(([{ isIntersecting }]) => {
      if (isIntersecting) this.#start();
      else if (this.#isTaped) this.#tape.pause();
      else if (this.#port) this.#send({ type: 'pause' }).catch(() => {});
    }, { rootMargin: NEAR });
    this.#view.observe(this);
  }

  // Shows the tape, or without a tape the simulator.
  async #start() {
    if (this.#hasStarted || !this.isConnected) return;
    this.#hasStarted = true;
    this.#theme = new MutationObserver(() => this.#dress());
    for (const around of [document.documentElement, document.body]) {
      this.#theme.observe(around, { attributes: true });
    }
    const run = this.#run;
    const tape = await this.#load().catch(() => null);
    // The figure has changed while the tape was loading.
    if (run !== this.#run || this.#begun) return;
    if (tape) this.#showTape(tape);
    else if (this.loading === 'click') this.#offer();
    else this.#begin();
  }

  // Returns what a player needs to show the figure; null if no tape does.
  async #load() {
    const name = this.scenario.trim();
    if (!NAME.test(name) || this.controls === 'full') return null;
    const width = WIDTHS.find((width) => width <= this.clientWidth) ?? WIDTHS.at(-1);
    const [script, packed] = await Promise.all([import(PLAYER), fetchFile(new URL(`../tapes/${width}/${name}.json.gz`, FOLDER))]);
    const [figures, tape] = await Promise.all([figureSheet ??= loadFigureSheet(script.encloseSheet), script.unpack(packed)]);
    const place = script.frameAt(tape, this.at);
    const [view] = this.view.split(',');
    return place >= 0 && script.shows(tape, view.trim()) ? { script, figures, tape: script.readTape(tape), place, width } : null;
  }

  #showTape({ script, figures, tape, place, width }) {
    this.shadowRoot.adoptedStyleSheets = [figures, sheet];
    this.#tape = new script.TapePlayer(this.#box, tape, {
      width,
      controls: this.controls,
      onMove: (at) => {
        this.#tell('step', at);
        if (!this.#isFollowing) this.#lead();
      },
      onTry: () => this.#try(),
      out: (address, { beat }) => this.#out(address, beat),
    });
    this.#dress();
    this.#unled(() => this.#tape.show(place));
    if (this.#leader) this.#follow(this.#leader);
    this.#box.classList.add('has-tape');
    this.#ready.resolve();
    this.#tell('ready');
  }

  // Returns the address in the app of a link in a figure: `.#` is the run at this beat.
  #out(address, beat) {
    const out = new URL(address, PAGE);
    if (address === '.#') {
      out.hash = '';
      out.search = new URLSearchParams({ scenario: this.scenario.trim(), at: `beat:${beat}` });
    }
    return out.href;
  }

  #offer() {
    if (this.#box.querySelector('.offer')) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'offer';
    button.textContent = '▶ Run this figure';
    button.onclick = () => this.#begin();
    this.#box.append(button);
  }

  // The reader wants the simulator. Unless the author chose the controls, it has a terminal below the picture.
  #try() {
    if (this.#begun) return;
    this.#tape.wait(true);
    this.#hasTerminal = !this.hasAttribute('controls') && !this.readonly;
    this.#begin();
  }

  #begin() {
    if (this.#begun || !this.isConnected) return;
    this.#begun = true;
    this.#hasStarted = true;
    this.#box.classList.add('begun');
    this.#open();
  }

  get #isTaped() { return Boolean(this.#tape) && !this.#begun; }

  // Opens the simulator at the moment that the tape shows.
  #open() {
    const address = new URL(PAGE);
    for (const name of [...ADDRESS, 'at']) {
      const value = this.getAttribute(name);
      const link = name === 'scenario' && LINK.exec(value?.trim() ?? '');
      if (link) address.hash = link[1];
      else if (value !== null) address.searchParams.set(name, value);
    }
    if (this.#tape) address.searchParams.set('at', `beat:${this.#tape.frame.beat}`);
    if (this.#hasTerminal) address.searchParams.set('controls', 'full');
    address.searchParams.set('theme', themeAround(this));
    const frame = document.createElement('iframe');
    frame.src = address;
    const name = this.scenario.trim();
    frame.title = this.getAttribute('aria-label') ?? `Watchglass: ${!name || LINK.test(name) ? 'a figure' : name}`;
    frame.allow = 'clipboard-write';
    this.#frame = frame;
    this.#box.append(frame);
  }

  #again() {
    this.#clear('the figure was replaced');
    this.#start();
  }

  // Removes the tape and the simulator.
  #clear(why) {
    this.#run += 1;
    this.#theme?.disconnect();
    this.#frame?.remove();
    this.#tape?.remove();
    this.#lose(why);
    [this.#frame, this.#tape, this.#begun, this.#hasStarted, this.#hasTerminal] = [undefined, undefined, false, false, false];
    [this.#isReady, this.#isFollowing, this.#followed] = [false, false, undefined];
    if (this.#leader === this) WatchGlass.#leaders.delete(this.getAttribute('group'));
    this.#box.className = '';
    this.#box.querySelector('.offer')?.remove();
    this.#size();
  }

  // The page does not allow the frame of the simulator.
  #refused = ({ effectiveDirective, blockedURI }) => {
    if (!this.#frame || !/^(frame|child)-src$/.test(effectiveDirective)) return;
    // Only the scheme is named if it is not that of a network.
    if (!blockedURI.startsWith(PAGE.origin) && `${blockedURI}:` !== PAGE.protocol) return;
    this.#frame.remove();
    [this.#frame, this.#begun, this.#hasTerminal] = [undefined, false, false];
    this.#tape?.refuse();
    this.#lose('the Content-Security-Policy of this page does not allow the frame of the simulator (frame-src)');
    if (this.#tape) this.#ready.resolve();
  };

  #unroll = () => { if (this.#isTaped) this.#tape.unroll(); };
  #roll = () => this.#tape?.roll();

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
    if (this.#tape) this.#tape.theme = theme;
    if (this.#port && this.dressed !== theme) this.#send({ type: 'theme', theme }).catch(() => {});
    this.dressed = theme;
  }

  // --- Messages to and from the frame: the frame says hello and gets a port; all other messages use that port ---

  #heard = ({ source, origin, data }) => {
    if (!this.#frame || source !== this.#frame.contentWindow || data?.watchglass === undefined) return;
    if (origin !== PAGE.origin || data.watchglass !== VERSION || data.type !== 'hello') return;
    this.#port?.close();
    const run = this.#run;
    [this.#isReady, this.#isFollowing] = [false, false];
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = (event) => this.#answered(event.data);
    source.postMessage({ watchglass: VERSION, type: 'connect' }, origin, [port2]);
    for (const [id, { message }] of this.#waiting) port1.postMessage({ v: VERSION, id, ...message });
    this.dressed = new URL(this.#frame.src).searchParams.get('theme');
    this.#dress();
    if (data.poster && !this.#tape) this.#show();
    this.#send({ type: 'ready' }).then(
      () => {
        if (run !== this.#run) return;
        this.#isReady = true;
        this.#show();
        this.#ready.resolve();
        if (!this.#tape) this.#tell('ready');
        if (this.#leader && this.#leader !== this) this.#follow(this.#leader).catch(() => {});
      },
      (error) => {
        if (run !== this.#run) return;
        this.#show();
        this.#ready.reject(error);
      },
    );
  };

  // Shows the frame instead of the tape.
  #show() {
    if (this.#hasTerminal) this.#size(TERMINAL);
    this.#box.classList.add('shown');
    this.#tape?.pause();
  }

  // Sends a request that changes what the figure shows.
  #use(message) {
    this.#lead();
    return this.#ask(message);
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
      if (['step', 'statechange'].includes(type)) this.#report(type, detail);
      if (['step', 'statechange', 'paused', 'error', 'linkcopied'].includes(type)) this.#tell(type, detail);
      return;
    }
    const asked = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) asked?.resolve(message.value);
    else asked?.reject(new Error(message.error));
  }

  // --- A group shows one run: the figure that a reader or a script used last leads, and the others follow ---

  get #leader() { return WatchGlass.#leaders.get(this.getAttribute('group')); }

  get #others() {
    const group = this.getAttribute('group');
    const figures = group ? [...document.querySelectorAll(this.localName)] : [];
    return figures.filter((other) => other !== this && other.getAttribute('group') === group);
  }

  // This figure is used: the others follow it.
  #lead() {
    if (!this.hasAttribute('group')) return;
    if (this.#leader && this.#leader !== this) this.#leader.pause().catch(() => {});
    WatchGlass.#leaders.set(this.getAttribute('group'), this);
    this.#followed = undefined;
    for (const other of this.#others) if (other.#hasStarted) other.#follow(this).catch(() => {});
  }

  // Notes what the simulator reports.
  #report(type, { title, branch, steps, step }) {
    const run = JSON.stringify([title, branch, steps]);
    if (type === 'step') this.#step = step;
    else if (run !== this.#reported) [this.#reported, this.#version] = [run, this.#version + 1];
    if (!this.#isReady || this.#isFollowing) return;
    if (this.#leader === this || document.activeElement === this) this.#lead();
  }

  // A reader goes into the frame of this figure.
  #entered = () => { if (document.activeElement === this && this.#isReady) this.#lead(); };

  get #place() {
    return this.#isTaped ? { leader: this, beat: this.#tape.frame.beat } : { leader: this, version: this.#version, step: this.#step };
  }

  // Goes to the place of the leader. A tape goes to the same beat; with a simulator as leader, it becomes one, too.
  async #follow(leader) {
    if (this.#isTaped && leader.#isTaped) this.#unled(() => this.#tape.seek(`beat:${leader.#tape.frame.beat}`, true));
    else if (this.#isTaped) this.#begin();
    // A figure that starts follows when it is ready.
    if (!this.#isReady || this.#isFollowing) return;
    const run = this.#run;
    this.#isFollowing = true;
    try {
      while (run === this.#run && this.#leader === leader) {
        const [before, now] = [this.#followed ?? {}, leader.#place];
        if (Object.keys(now).every((name) => now[name] === before[name])) break;
        this.#followed = now;
        const isSameRun = before.leader === leader && before.version === now.version;
        if (now.beat !== undefined) await this.#send({ type: 'seek', at: { beat: now.beat } });
        else if (isSameRun) await this.#send({ type: 'seek', at: { step: now.step } });
        else await this.#send({ type: 'load', what: await leader.#send({ type: 'permalink' }) });
      }
    } finally {
      if (run === this.#run) this.#isFollowing = false;
    }
  }

  // Moves the tape without leading the group, because nobody asked for the move in this figure.
  #unled(move) {
    this.#isFollowing = true;
    move();
    this.#isFollowing = false;
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
for (const name of ['scenario', 'at', 'view', 'controls', 'theme', 'height', 'group']) {
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
