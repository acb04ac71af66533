// Sends the place of the run to the notes in another window (notes.js), and moves when they ask this page to.
const channel = new BroadcastChannel('watchglass-notes');
const page = crypto.randomUUID?.() ?? String(Math.random());
let at = { type: 'step', beat: 0 };

const tell = () => channel.postMessage({ ...at, ...Object.fromEntries(new URLSearchParams(location.search)), page });

addEventListener('watchglass', ({ detail }) => {
  if (detail.type !== 'step') return;
  at = detail;
  tell();
});
channel.onmessage = ({ data }) => {
  if (data.asks) tell();
  else if (data.to === page && data.beat >= 0) window.watchglass?.seek({ beat: data.beat }).catch(() => {});
};
tell();
