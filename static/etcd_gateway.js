// An etcd behind its JSON gateway (`/v3/`): requests, streams of responses, and the reasons of failures in words.
import { linesOf } from './lines.js';
import { Refusal } from './message.js';

// The codes of gRPC that a page can do something about.
const UNIMPLEMENTED = 12;
const PERMISSION_DENIED = 7;
const INVALID_ARGUMENT = 3;
const UNAUTHENTICATED = 16;

export class Gateway {
  #token = '';
  // The user and the password, because a token expires.
  #user = null;
  // Whether etcd has responded to this page, so that a later failure is not one of its settings.
  #hasResponded = false;

  // Takes an address as etcdctl's --endpoints does: `127.0.0.1:2379` or `https://etcd.example:2379`.
  constructor(address) {
    const text = address.trim().replace(/\/+$/, '');
    const whole = /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
    if (text.includes(',')) throw new Refusal('This page attaches to one member.', 'Write the address of one of them.');
    const url = URL.canParse(whole) ? new URL(whole) : null;
    if (!url || /\s/.test(text) || !/^https?:$/.test(url.protocol) || !url.hostname) {
      throw new Refusal(`“${address}” is not an address.`, 'Write it as 127.0.0.1:2379 or https://etcd.example:2379.');
    }
    if (url.username || url.pathname !== '/' || url.search) {
      throw new Refusal(`“${address}” is more than an address.`, 'Leave out the path, the user and the password.');
    }
    this.address = url.origin;
  }

  async logIn(name, password, signal) {
    // etcd refuses an expired token in this request, too.
    [this.#user, this.#token] = [null, ''];
    this.#token = (await this.ask('auth/authenticate', { name, password }, signal)).token ?? '';
    this.#user = { name, password };
  }

  get hasUser() {
    return this.#user !== null;
  }

  // Returns the gateway of another member of the cluster, for the same user.
  of(address) {
    const other = new Gateway(address);
    [other.#token, other.#user] = [this.#token, this.#user];
    return other;
  }

  // Sends a request, and returns its response.
  async ask(path, body = {}, signal = undefined) {
    const response = await this.#send(path, body, signal);
    return response.json();
  }

  // Returns the version of the member, such as `3.5.30`. etcd asks nobody for a permission here.
  async version(signal) {
    const response = await this.#fetch('version', {}, signal);
    const { etcdserver } = await response.json().catch(() => ({}));
    if (etcdserver) return String(etcdserver);
    throw new Refusal(`${this.address} has no /version.`, 'If a proxy is in front of etcd, let it pass /version, too.');
  }

  // Sends a request, and returns its response as text. An error of etcd is a response, too: `{code, message}`.
  async answer(path, body, signal) {
    try {
      const response = await this.#send(path, body, signal);
      return await response.text();
    } catch (error) {
      if (!error.reason) throw error;
      return JSON.stringify({ code: error.code, message: error.reason });
    }
  }

  // Sends a request, and returns each response of its stream.
  async* stream(path, body, signal) {
    for await (const line of linesOf(await this.#send(path, body, signal))) {
      const message = JSON.parse(line);
      if (message.error) throw refusal(message.error);
      yield message.result;
    }
  }

  async #fetch(path, options, signal) {
    // A page from https may read a loopback address if the browser's user allows it; the option tells the browser that the
    // address is one. Other browsers ignore it.
    const isLocal = /^http:\/\/(localhost|127\.|\[::1\])/.test(this.address);
    const space = isLocal && location.protocol === 'https:' ? { targetAddressSpace: 'loopback' } : {};
    try {
      const response = await fetch(`${this.address}/${path}`, { ...options, ...space, signal, cache: 'no-store', credentials: 'omit' });
      this.#hasResponded = true;
      return response;
    } catch (error) {
      if (signal?.aborted) throw error;
      throw await this.#unreachable(error, signal);
    }
  }

  async #send(path, body, signal) {
    const headers = this.#token ? { Authorization: this.#token } : {};
    const response = await this.#fetch(`v3/${path}`, { method: 'POST', body: JSON.stringify(body), headers }, signal);
    if (response.ok) return response;
    const text = await response.text();
    let failure = {};
    try {
      failure = JSON.parse(text);
    } catch {
      // A server that is not etcd sends a page.
    }
    if (response.status === 404 && !failure.message) {
      throw new Refusal(`${this.address} has no /v3/${path}.`,
        'Is this an etcd from 3.4 on? Its JSON gateway can be switched off by --enable-grpc-gateway=false.');
    }
    if (failure.code === UNAUTHENTICATED && this.#user) {
      const { name, password } = this.#user;
      await this.logIn(name, password, signal);
      return this.#send(path, body, signal);
    }
    throw refusal({ code: failure.code, message: failure.message ?? failure.error ?? `status ${response.status}` });
  }

  // Finds out why there was no response: browsers do not tell a page.
  async #unreachable(error, signal) {
    if (location.protocol === 'https:' && this.address.startsWith('http:') && !/localhost|127\.|\[::1\]/.test(this.address)) {
      return new Refusal(`This page comes from https, so the browser blocks ${this.address}.`,
        'Use an address with https, or open this page from a server on http, such as this one:', 'cargo xtask serve');
    }
    // A `no-cors` request succeeds if a server responds, even if this page may not read the response.
    const probe = () => fetch(`${this.address}/version`, { mode: 'no-cors', cache: 'no-store', signal });
    if (!this.#hasResponded && await probe().then(() => true, () => false)) {
      // `--cors` accepts only origins with a port, and browsers leave out the usual ports.
      return new Refusal(`${this.address} responds, but does not allow this page to read the response.`,
        'Start etcd with this flag. If it already has it, it may serve https only: write the address with https.',
        `etcd --cors='${location.port ? location.origin : '*'}'`);
    }
    const certificate = this.address.startsWith('https:')
      ? ' The browser also refuses a certificate that it does not know: open the address in a tab of its own to see.'
      : ' If it uses TLS, write the address with https.';
    const failure = new Error(`${this.address} does not respond (${error.message}).`);
    return Object.assign(failure, {
      advice: `Is etcd running there?${certificate} Ask from a terminal:`,
      command: `etcdctl --endpoints=${this.address} endpoint health`,
    });
  }
}

// Returns the error for an error response of etcd, with its code and its reason.
function refusal({ code, grpc_code: grpcCode, message }) {
  const number = code ?? grpcCode;
  return Object.assign(explain(number, message), { code: number, reason: message });
}

// A retry cannot fix the codes that are handled here.
function explain(number, message) {
  if (number === UNAUTHENTICATED || (number === INVALID_ARGUMENT && /user name is empty|authentication failed/.test(message))) {
    return new Refusal(`etcd asks who you are: ${message}.`, 'Attach with a user and a password.');
  }
  if (number === PERMISSION_DENIED) {
    return new Refusal(`etcd refuses: ${message}.`, 'Write a prefix that your user may read. The whole database needs the role root.');
  }
  if (number === UNIMPLEMENTED) return new Refusal(`etcd does not know this request: ${message}.`);
  return new Error(`etcd reports: ${message}.`);
}

// Returns the bytes of a base64 text.
export function bytesOf(base64 = '') {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

// Quotes bytes as a word that the simulator's terminal reads back to the same bytes.
export function quoted(bytes) {
  let text;
  try {
    text = utf8.decode(bytes);
  } catch {
    text = '\0';
  }
  // eslint-disable-next-line no-control-regex
  if (!/[\u0000-\u001f\u007f-\u009f\ufeff]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  let word = "$'";
  for (const byte of bytes) {
    const isPlain = byte > 31 && byte < 127 && byte !== 39 && byte !== 92;
    word += isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `${word}'`;
}
