// Speaking to a figure without the loader: it says hello, it gets a port, and everything else goes over that port.
const figure = document.querySelector('#figure');
const told = document.querySelector('#told');
const { port1: port, port2: theirs } = new MessageChannel();
const waiting = new Map();
let next = 0;

// Asks the figure something; the message's fields are those of the method in README.md.
export function ask(type, fields = {}) {
  const id = next += 1;
  port.postMessage({ v: 1, id, type, ...fields });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}
window.ask = ask;

port.onmessage = ({ data }) => {
  if (data.type === 'event') {
    if (data.event.type === 'step') told.textContent = `step ${data.event.step} of ${data.event.steps}`;
    return;
  }
  const { resolve, reject } = waiting.get(data.id) ?? {};
  waiting.delete(data.id);
  if (data.error === undefined) resolve?.(data.value);
  else reject?.(new Error(data.error));
};

window.addEventListener('message', ({ source, data }) => {
  // A sandboxed frame has no origin of its own: the window it comes from is what tells it.
  if (source !== figure.contentWindow || data?.watchglass !== 1 || data.type !== 'hello') return;
  source.postMessage({ watchglass: 1, type: 'connect' }, '*', [theirs]);
});
