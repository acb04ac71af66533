// The members of the cluster to which a page is attached: how far each of them is, and who does not respond.
const POLL_MS = 1_000;
const TIMEOUT_MS = 2_000;

const number = (count) => Number(count).toLocaleString('en');
const size = (bytes) => (bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

export class Members {
  #gateway;
  #section;
  #isPolling = false;

  // `section` is the part of the page that shows the members.
  constructor(gateway, section) {
    [this.#gateway, this.#section] = [gateway, section];
  }

  // Shows or hides the members.
  toggle() {
    this.#section.hidden = !this.#section.hidden;
    if (!this.#section.hidden && !this.#isPolling) this.#poll();
  }

  end() {
    this.#section.hidden = true;
  }

  async #poll() {
    this.#isPolling = true;
    while (!this.#section.hidden) {
      if (!document.hidden) this.#show(await this.#read());
      await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    }
    this.#isPolling = false;
  }

  // Returns the members, each with its status; without a status, the member does not respond. Returns the error if etcd
  // does not list its members.
  async #read() {
    try {
      const { members } = await this.#gateway.ask('cluster/member/list', {}, AbortSignal.timeout(TIMEOUT_MS));
      return await Promise.all(members.map((member) => this.#ask(member)));
    } catch (error) {
      return error;
    }
  }

  async #ask({ ID: id, name, clientURLs: [address] = [] }) {
    const begin = performance.now();
    try {
      const status = await this.#gateway.of(address).ask('maintenance/status', {}, AbortSignal.timeout(TIMEOUT_MS));
      return { id, name, address, status, trip: performance.now() - begin };
    } catch (error) {
      return { id, name, address };
    }
  }

  #show(members) {
    const made = (name, text, className = '') => Object.assign(document.createElement(name), { textContent: text, className });
    const [body] = this.#section.getElementsByTagName('tbody');
    if (members instanceof Error) {
      const cell = Object.assign(made('td', members.message), { colSpan: 7 });
      const row = made('tr', '');
      row.append(cell);
      body.replaceChildren(row);
      return;
    }
    const newest = Math.max(...members.map(({ status }) => Number(status?.header.revision ?? 0)));
    body.replaceChildren(...members.map(({ id, name, address, status, trip }) => {
      const row = made('tr', '');
      const cell = (text) => row.append(made('td', text, 'is-number'));
      row.append(Object.assign(made('th', name || 'not started'), { scope: 'row' }), made('td', address ?? '–'));
      if (!status) {
        row.append(Object.assign(made('td', address ? 'does not respond' : 'has no address for clients', 'is-bad'), { colSpan: 5 }));
        return row;
      }
      const role = status.leader === id ? 'leader' : 'follower';
      const behind = newest - Number(status.header.revision);
      row.append(made('td', status.isLearner ? 'learner' : role));
      cell(number(status.header.revision));
      row.append(made('td', number(behind), behind ? 'is-number is-bad' : 'is-number'));
      cell(size(Number(status.dbSize)));
      cell(`${Math.round(trip)} ms`);
      return row;
    }));
  }
}
