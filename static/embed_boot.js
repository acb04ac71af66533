// A figure's page: shows its poster, starts the figure and answers the page around its frame. With `hold` in its address
// the figure waits for the message `begin`.
//
// The figure says `{watchglass: 1, type: 'hello', poster}` to the window around it, where `poster` is whether one is
// shown. The window answers with `connect` and a port.
// Everything else goes over that port: `{v: 1, id, type, …}` in, `{v: 1, id, type: 'reply', value or error}` out, and
// `{v: 1, type: 'event', event}` when something has happened. Only the window around the frame can connect; a later
// `connect` replaces an earlier one. Nothing in a message is ever run or becomes markup.
import { showPoster } from './poster.js';
import { explain, reason, start } from './start.js';

const VERSION = 1;
// No command line, and no run as text, is longer.
const TEXT_CHARS_MAX = 4 << 20;
// The programs wait for the poster no longer than this.
const POSTER_MS = 3_000;

const text = (value, name) => {
  if (typeof value !== 'string') throw new Error(`"${name}" must be a string`);
  if (value.length > TEXT_CHARS_MAX) throw new Error(`"${name}" has ${value.length} characters; at most ${TEXT_CHARS_MAX}`);
  return value;
};

const place = (at) => {
  const names = ['step', 'time_us', 'revision'].filter((name) => at?.[name] !== undefined);
  if (names.length !== 1 || !Number.isSafeInteger(at[names[0]]) || at[names[0]] < 0) {
    throw new Error('"at" must be {step}, {time_us} or {revision} with a whole number from 0');
  }
  return { [names[0]]: at[names[0]] };
};

const steps = (n) => {
  if (!Number.isSafeInteger(n)) throw new Error('"n" must be a whole number');
  return n;
};

// What can be asked, and what each takes out of its message.
const ASKED = {
  begin: (api) => api.ready(),
  ready: (api) => api.ready(),
  exec: (api, { line }) => api.exec(text(line, 'line')),
  state: (api) => api.state(),
  step: (api, { n = 1 }) => api.step(steps(n)),
  seek: (api, { at }) => api.seek(place(at)),
  play: (api) => api.play(),
  pause: (api) => api.pause(),
  load: (api, { what }) => api.load(text(what, 'what')),
  fork: (api) => api.fork(),
  permalink: (api) => api.permalink(),
  theme: (api, { theme }) => api.theme(text(theme, 'theme')),
};

let port = null;

let begin;
const wanted = new Promise((resolve) => { begin = resolve; });

const api = wanted.then(() => {
  window.watchglassLoad();
  return start('../embed.js');
}).then(() => window.watchglass);
api.catch((error) => {
  explain(error, document.querySelector('.wg-boot'));
  send({ type: 'event', event: { type: 'error', message: reason(error) } });
});

// The poster's colours; the program sets its own.
function dress(theme) {
  const { dataset } = document.documentElement;
  if (['light', 'dark', 'projector'].includes(theme)) dataset.theme = theme;
  else delete dataset.theme;
}

function send(message) {
  port?.postMessage({ v: VERSION, ...message });
}

async function answer(from, message) {
  const id = message?.id ?? null;
  const reply = (rest) => from.postMessage({ v: VERSION, id, type: 'reply', ...rest });
  try {
    if (typeof message !== 'object' || message === null || Array.isArray(message)) throw new Error('a message must be an object');
    if (message.v !== VERSION) throw new Error(`this figure speaks version ${VERSION} ("v": ${VERSION}), not ${String(message.v)}`);
    if (!['number', 'string'].includes(typeof id)) throw new Error('"id" must be a number or a string');
    if (!Object.hasOwn(ASKED, message.type)) {
      throw new Error(`unknown type ${JSON.stringify(message.type) ?? 'undefined'}; there are: ${Object.keys(ASKED).join(', ')}`);
    }
    if (message.type === 'theme') dress(text(message.theme, 'theme'));
    if (message.type === 'begin') begin();
    reply({ value: await ASKED[message.type](await api, message) });
  } catch (error) {
    reply({ error: error instanceof Error ? error.message : String(error) });
  }
}

window.addEventListener('message', ({ source, data, ports }) => {
  // Other scripts' messages are none of ours.
  if (typeof data !== 'object' || data === null || !('watchglass' in data)) return;
  const refuse = (error) => source?.postMessage({ watchglass: VERSION, type: 'error', error }, '*');
  if (source !== window.parent || source === window) return refuse('only the window around the frame can connect');
  if (data.watchglass !== VERSION) return refuse(`this figure speaks version ${VERSION}, not ${String(data.watchglass)}`);
  if (data.type !== 'connect' || ports.length !== 1) return refuse('the first message must be {watchglass: 1, type: "connect"} with one port; all others go over that port');
  port?.close();
  [port] = ports;
  const mine = port;
  mine.onmessage = (event) => answer(mine, event.data);
});

window.addEventListener('watchglass', ({ detail }) => send({ type: 'event', event: detail }));

const shown = showPoster(document.querySelector('#poster'));
if (new URLSearchParams(location.search).get('hold') === null) {
  shown.then(begin, begin);
  setTimeout(begin, POSTER_MS);
}
const poster = await shown;
if (window.parent !== window) window.parent.postMessage({ watchglass: VERSION, type: 'hello', poster }, '*');
