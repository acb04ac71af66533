// A page to read: numbers that follow the figures, guesses before answers, and a slider that runs the simulator. Without
// this script, the page shows its numbers, its answers and its figures' texts.

// --- Numbers in the text follow their figures ---

for (const number of document.querySelectorAll('output[data-figure]')) {
  const { figure, fact } = number.dataset;
  document.getElementById(figure).addEventListener('step', ({ detail }) => { number.textContent = detail[fact]; });
}

// --- Guesses: the answer appears, and the figure moves on, after the reader has chosen ---

for (const guess of document.querySelectorAll('.article-guess')) {
  const answer = guess.querySelector('.article-answer');
  const buttons = [...guess.querySelectorAll('button')];
  const text = [...answer.childNodes];
  answer.setAttribute('role', 'status');
  answer.replaceChildren();
  const choose = (chosen) => {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button === chosen));
    answer.replaceChildren(chosen.hasAttribute('data-right') ? 'Right. ' : 'Not this one. ', ...text);
    document.getElementById(guess.dataset.figure).seek({ beat: Number(guess.dataset.beat) });
  };
  for (const button of buttons) {
    button.setAttribute('aria-pressed', 'false');
    button.onclick = () => choose(button);
  }
  // On paper, all answers are visible.
  addEventListener('beforeprint', () => { if (!answer.hasChildNodes()) answer.append(...text); });
}

// --- The slider: a run with this delay ---

const delay = document.querySelector('#delay');
let cost;
const result = document.querySelector('#live-text');
const script = (ms) => `# Two pods, and a slow link between api-2 and etcd. web-1 is created through api-1.
apiserver api-1
apiserver api-2
run 1s
kubectl create pod web-0 --server=api-1
run 1s
net api-2 delay ${ms}ms
kubectl create pod web-1 --server=api-1
`;
// More steps than the run has.
const STEPS_MAX = 1_000_000;
// The lists, and the line of the log that contains the duration.
const LISTS = ["kubectl get --raw '/api/v1/pods?resourceVersion=0' --server=api-2", 'kubectl get pods --server=api-2'];
const DURATION = /^ +([\d.]+ (?:µs|ms|s)) = /m;

delay.oninput = () => { document.querySelector('#delay-text').textContent = `${delay.value} ms`; };
if (window.watchglassSingleFile) {
  delay.disabled = true;
  result.textContent = 'The page in one file cannot run the simulator in a figure.';
}
let running = Promise.resolve();
let wanted = 0;
delay.onchange = () => {
  const mine = wanted += 1;
  result.textContent = 'The simulator is running…';
  running = running.then(() => (mine === wanted ? run(delay.value) : null)).catch((error) => {
    result.textContent = `The simulator could not run this: ${error.message}. Move the slider to try again.`;
  });
};

async function run(ms) {
  if (!cost) {
    cost = document.createElement('watch-glass');
    const attributes = { scenario: 'empty', view: 'messages', controls: 'mini', loading: 'eager' };
    for (const [name, value] of Object.entries(attributes)) cost.setAttribute(name, value);
    document.querySelector('#cost').replaceWith(cost);
  }
  await cost.load(script(ms));
  // The end of the run.
  await cost.seek({ step: STEPS_MAX });
  const [fast, consistent] = [await list(LISTS[0]), await list(LISTS[1])];
  result.textContent = `With a delay of ${ms} ms, the list with resource version 0 takes ${fast.took} and returns ${fast.pods}. `
    + `The consistent list takes ${consistent.took} and returns ${consistent.pods}.`;
}

async function list(command) {
  const { output } = await cost.exec(command);
  const { output: log } = await cost.exec('show requests pods 1');
  const count = new Set(output.match(/web-\d/g)).size;
  return { took: DURATION.exec(log)?.[1] ?? 'an unknown time', pods: count === 1 ? '1 pod' : `${count} pods` };
}
