// The page of a figure: shows the poster, starts the figure and answers the page around the frame.
//
// The figure sends `{watchglass: 1, type: 'hello', poster}` to the parent window; `poster` is true if a poster is
// shown. The parent answers with `connect` and a port. All other messages use that port: requests are `{v: 1, id,
// type, …}`, responses are `{v: 1, id, type: 'reply', value or error}`, and events are `{v: 1, type: 'event', event}`.
// Only the parent window can connect; a later `connect` replaces an earlier one. The content of a message is never
// executed and never becomes markup.
import { showPoster } from './poster.js';
import { explain, reason, start } from './start.js';

const VERSION = 1;
// The maximum length of a command line or of a run as text, in characters.
const TEXT_CHARS_MAX = 4 << 20;
// The maximum time for which the programs and the page around the frame wait for the poster, in milliseconds.
const POSTER_MS = 3_000;

const text = (value, name) => {
  if (typeof value !== 'string') throw new Error(`"${name}" must be a string`);
  if (value.length > TEXT_CHARS_MAX) throw new Error(`"${name}" has ${value.length} characters; at most ${TEXT_CHARS_MAX}`);
  return value;
};

const place = (at) => {
  const names = ['beat', 'step', 'time_us', 'revision'].filter((name) => at?.[name] !== undefined);
  if (names.length !== 1 || !Number.isSafeInteger(at[names[0]]) || at[names[0]] < 0) {
    throw new Error('"at" must be {beat}, {step}, {time_us} or {revision} with a whole number from 0');
  }
  return { [names[0]]: at[names[0]] };
};

const steps = (n) => {
  if (!Number.isSafeInteger(n)) throw new Error('"n" must be a whole number');
  return n;
};

// The requests, each with the fields that it reads from its message.
const ASKED = {
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

// After the poster, because the programs would delay it on a slow connection.
const late = new Promise((resolve) => { setTimeout(resolve, POSTER_MS, false); });
const poster = Promise.race([showPoster(document.querySelector('#poster')).catch(() => false), late]);
const api = poster.then(() => {
  window.watchglassLoad();
  return start('../app.js');
}).then(() => window.watchglass);
api.catch((error) => {
  explain(error, document.querySelector('.wg-boot'));
  send({ type: 'event', event: { type: 'error', message: reason(error) } });
});

// Sets the theme of the poster; the program sets its own theme.
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
    reply({ value: await ASKED[message.type](await api, message) });
  } catch (error) {
    reply({ error: error instanceof Error ? error.message : String(error) });
  }
}

window.addEventListener('message', ({ source, data, ports }) => {
  // Ignore the messages of other scripts.
  if (typeof data !== 'object' || data === null || !('watchglass' in data)) return;
  const refuse = (error) => source?.postMessage({ watchglass: VERSION, type: 'error', error }, '*');
  if (source !== window.parent || source === window) return refuse('only the window around the frame can connect');
  if (data.watchglass !== VERSION) return refuse(`this figure speaks version ${VERSION}, not ${String(data.watchglass)}`);
  if (data.type !== 'connect' || ports.length !== 1) return refuse('the first message must be {watchglass: 1, type: "connect"} with one port; all other messages go over that port');
  port?.close();
  [port] = ports;
  const mine = port;
  mine.onmessage = (event) => answer(mine, event.data);
});

window.addEventListener('watchglass', ({ detail }) => send({ type: 'event', event: detail }));

if (window.parent !== window) {
  window.parent.postMessage({ watchglass: VERSION, type: 'hello', poster: await poster }, '*');
}
