// The notes of a talk, in a window of their own: the beat that the app shows in another window of this browser, the next
// beat with its commands, and the time. The texts are those of figures.json.
const channel = new BroadcastChannel('watchglass-notes');
const find = (name) => document.querySelector(`#notes-${name}`);
const texts = fetch('figures.json').then((answer) => answer.json());
// The page that shows the run, and its beat.
let shown;
let begin = Date.now();

function fill(name, { text = '', commands = '' } = {}) {
  find(name).querySelector('p').textContent = text.replaceAll('`', '');
  find(name).querySelector('pre').textContent = commands;
}

channel.onmessage = async ({ data }) => {
  if (data.type !== 'step') return;
  const run = (await texts.catch(() => ({})))[data.scenario];
  shown = run && data;
  find('none').hidden = true;
  find('other').hidden = Boolean(run || data.lesson);
  find('lesson').hidden = !data.lesson;
  find('lesson').querySelector('a').href = `worksheets.html#${data.lesson}`;
  find('run').hidden = !run;
  if (!run) return;
  const { beat } = data;
  find('title').textContent = run.title;
  find('place').textContent = `${beat} of ${run.beats.length - 1}`;
  fill('now', run.beats[beat]);
  fill('next', run.beats[beat + 1] ?? { text: 'The end.' });
};

const move = (by) => shown && channel.postMessage({ to: shown.page, beat: shown.beat + by });
find('back').onclick = () => move(-1);
find('forward').onclick = () => move(1);
find('restart').onclick = () => { begin = Date.now(); tick(); };
addEventListener('keydown', (event) => {
  const by = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  move(by);
});

function tick() {
  const seconds = Math.floor((Date.now() - begin) / 1_000);
  find('spent').textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  find('clock').textContent = new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

tick();
setInterval(tick, 1_000);
channel.postMessage({ asks: true });
