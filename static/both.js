// The part of an attached page that runs a command in the real etcd and in its copy, and compares both responses.
import { download } from './download.js';
import { Refusal, showMessage } from './message.js';

// etcdctl waits as long.
const TIMEOUT_MS = 5_000;

const find = (name) => document.querySelector(`#both-${name}`);
const tell = (what) => showMessage(document.querySelector('#attach-message'), what);

function make(name, className, text = '') {
  return Object.assign(document.createElement(name), { className, textContent: text });
}

// Replaces texts in a text. Pairs are [from, to].
const replaced = (text, pairs) => pairs.reduce((all, [from, to]) => all.replaceAll(from, to), text);

export class Both {
  #gateway;
  #copy;
  #hold;
  // The commands so far, each with the output of etcd.
  #lines = [];
  // Where ↑ and ↓ are in these commands.
  #recalled = 0;
  // The IDs of the leases that were granted here: in etcd and in the copy.
  #leases = [];
  #hasDifference = false;
  #isBusy = false;

  // `hold` stops the copying of changes.
  constructor(gateway, copy, hold) {
    [this.#gateway, this.#copy, this.#hold] = [gateway, copy, hold];
    find('address').textContent = new URL(gateway.address).host;
    find('ask-address').textContent = new URL(gateway.address).host;
    find('form').onsubmit = (event) => {
      event.preventDefault();
      this.#submit();
    };
    find('line').onkeydown = (event) => this.#press(event);
    find('save').onclick = () => download(new Blob([this.transcript]), 'etcdctl-transcript.txt');
    find('on').onclick = () => {
      find('ask').close();
      this.#show(true);
    };
    find('cancel').onclick = () => find('ask').close();
    find('off').onclick = () => this.#show(false);
  }

  // Asks before commands reach etcd.
  ask() {
    if (this.#gateway.hasUser) {
      tell(new Refusal('This etcd has users, and so has the copy, which would refuse commands without a user.',
        'Write with etcdctl: the copy follows.'));
    } else if (this.isOn) find('line').focus();
    else find('ask').showModal();
  }

  // Hides the part, because the page is attached no more.
  end() {
    this.#show(false);
  }

  get isOn() {
    return !document.querySelector('#both').hidden;
  }

  // Returns the commands with the output of etcd, as a terminal shows them.
  get transcript() {
    return this.#lines.map(({ line, output }) => `$ etcdctl ${line}\n${output}`).join('');
  }

  #show(isOn) {
    document.querySelector('#both').hidden = !isOn;
    if (isOn) find('line').focus();
  }

  #press(event) {
    const field = find('line');
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.#submit();
    }
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || field.value.includes('\n')) return;
    event.preventDefault();
    this.#recalled = Math.max(0, Math.min(this.#lines.length, this.#recalled + by));
    field.value = this.#lines[this.#recalled]?.line ?? '';
  }

  async #submit() {
    const line = find('line').value.trim().replace(/^etcdctl\s+/, '');
    if (!line || this.#isBusy) return;
    this.#isBusy = true;
    find('run').disabled = true;
    tell();
    try {
      const row = await this.#run(line);
      find('line').value = '';
      this.#lines.push({ line, output: row.etcd });
      this.#recalled = this.#lines.length;
      this.#add(line, row);
    } catch (error) {
      tell(error);
    }
    this.#isBusy = false;
    find('run').disabled = false;
  }

  // Runs a command in etcd, and then in the copy.
  async #run(line) {
    const { api } = this.#copy;
    const { path, body } = await api.etcdRequest(line).catch((error) => { throw new Refusal(error.message); });
    await this.#hold();
    await this.#copy.showEnd();
    const response = await this.#gateway.answer(path, body, AbortSignal.timeout(TIMEOUT_MS)).catch((error) => {
      if (error.name !== 'TimeoutError') throw error;
      throw new Refusal('etcd has not responded within 5 s, so the copy has not run the command.',
        'A write may still take effect. Follow copies it.');
    });
    const inCopy = replaced(line, this.#pairs(true));
    const copied = await api.exec(inCopy);
    const found = await api.etcdResponse({ line: inCopy, response: replaced(response, this.#pairs(true)) });
    if (found.leases) this.#leases.push(found.leases.map((id) => id.padStart(16, '0')));
    const shown = (text) => replaced(text, this.#pairs(false));
    return {
      etcd: shown(found.output + found.error),
      copy: shown(copied.output + copied.error),
      differences: found.differences.map((one) => ({ ...one, etcd: shown(one.etcd), copy: shown(one.copy) })),
    };
  }

  // Returns the IDs of leases, as hexadecimal and as decimal numbers, with the texts that replace them.
  #pairs(isForCopy) {
    const decimal = (id) => BigInt(`0x${id}`).toString();
    const ids = this.#leases.map((pair) => (isForCopy ? pair : pair.toReversed()));
    return ids.flatMap((pair) => [pair, pair.map(decimal)]);
  }

  #add(line, { etcd, copy, differences }) {
    const row = make('li', 'both-row');
    row.append(make('code', 'both-command', line));
    for (const [name, text] of [['etcd', etcd], ['Copy', copy]]) {
      const lane = make('div', 'both-lane');
      lane.append(make('span', 'both-name', name), make('pre', '', text || '(no output)'));
      row.append(lane);
    }
    const verdict = make('p', 'both-verdict');
    const [first] = differences;
    row.classList.toggle('is-different', Boolean(first));
    if (first) {
      const value = (text) => (text === '' ? 'absent' : text);
      const marked = this.#hasDifference ? 'Different' : 'First difference';
      const others = differences.length - 1;
      const more = others ? ` ${others === 1 ? '1 more field differs' : `${others} more fields differ`}.` : '';
      verdict.append(make('strong', '', marked), `: ${first.field} is ${value(first.etcd)} in etcd and ${value(first.copy)} in the copy.${more} `);
      const why = differences.find((difference) => difference.why)?.why;
      if (why) verdict.append(why);
      else verdict.append(Object.assign(make('a', '', 'How faithful is it?'), { href: './?dialog=fidelity', target: '_blank' }));
      this.#hasDifference = true;
    } else {
      verdict.append('Same response');
    }
    row.append(verdict);
    find('lines').append(row);
    find('log').hidden = false;
    row.scrollIntoView({ block: 'nearest' });
  }
}
