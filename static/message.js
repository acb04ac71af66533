// A message above the picture of a page that is attached to a server: what happened, what helps, and a command for it.

// An error that a retry cannot fix. The message states the error, `advice` describes the remedy, and `command` is a shell
// command for the remedy.
export class Refusal extends Error {
  constructor(message, advice = '', command = '') {
    super(message);
    Object.assign(this, { advice, command });
  }
}

// Shows a failure or a finding in `box`; without one, removes the previous message.
export function showMessage(box, what, isGood = false) {
  box.hidden = !what;
  box.replaceChildren();
  if (!what) return;
  const make = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  box.classList.toggle('is-bad', !isGood);
  box.append(make('p', [what.message, what.advice].filter(Boolean).join(' ')));
  if (what.command) box.append(make('pre', what.command));
  const close = make('button', 'Close');
  Object.assign(close, { type: 'button', className: 'wg-button is-quiet is-small', onclick: () => showMessage(box) });
  box.append(close);
}
