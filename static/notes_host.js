// Tells the notes in another window (notes.js) which run the app shows and at which beat, and moves when they ask for it.
const channel = new BroadcastChannel('watchglass-notes');
let at = { type: 'step', beat: 0 };

const tell = () => channel.postMessage({ ...at, ...Object.fromEntries(new URLSearchParams(location.search)) });

addEventListener('watchglass', ({ detail }) => {
  if (detail.type !== 'step') return;
  at = detail;
  tell();
});
channel.onmessage = ({ data }) => {
  if (data.asks) tell();
  else if (data.type === undefined && Number.isSafeInteger(data.beat)) window.watchglass?.seek({ beat: Math.max(data.beat, 0) });
};
tell();
