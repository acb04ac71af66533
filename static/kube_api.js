// A Kubernetes API server on the page's own origin, as `kubectl proxy` serves both. Sends GET requests only.
import { linesOf } from './lines.js';
import { Refusal } from './message.js';

// How to serve this page and an API server from one origin.
const PROXY = 'kubectl proxy --www=. --www-prefix=/watchglass/';

// Counters of the API server, by what they count: lists served from the watch cache, lists sent to etcd, reads of one key in
// etcd, and consistent lists for which the cache was too late. A request for etcd's current revision is a read of one key, and
// so is a list of the object with one name.
const COUNTERS = {
  cache: (name) => name === 'apiserver_cache_list_total',
  etcd: (name, labels) => name === 'etcd_requests_total' && labels.operation === 'list',
  gets: (name, labels) => name === 'etcd_requests_total' && labels.operation === 'get',
  fell: (name, labels) => name === 'apiserver_watch_cache_consistent_read_total' && labels.fallback === 'true',
};
const METRIC = /^([a-z_]+)\{(.*)\} (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

const utf8 = new TextEncoder();
const labelsOf = (text) => Object.fromEntries([...text.matchAll(LABEL)].map(([, name, value]) => [name, value]));

export class KubeApi {
  #path;
  // The name of the resource and its group, as metrics have them.
  #plural;
  #group;

  // Finds the path of a resource, which is named as in kubectl: `pods` or `deployments.apps`. Without a namespace, the path
  // covers all of them.
  async find(resource, namespace) {
    const [plural, ...rest] = resource.trim().split('.');
    const group = rest.join('.');
    if (!/^[a-z0-9]+$/.test(plural) || !/^[a-z0-9.-]*$/.test(group)) {
      throw new Refusal(`“${resource}” is no resource.`, 'Write the plural, and its group after a dot: pods, or deployments.apps.');
    }
    if (namespace && !/^[a-z0-9-]+$/.test(namespace)) throw new Refusal(`“${namespace}” is no namespace.`);
    let root = 'api/v1';
    if (group) root = `apis/${(await (await this.#get(`apis/${group}`)).json()).preferredVersion.groupVersion}`;
    this.#plural = plural;
    this.#group = group;
    this.#path = namespace ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
  }

  // Returns the version of the API server, such as `v1.36.2`.
  async version() {
    let response;
    try {
      response = await fetch('/version', { cache: 'no-store' });
      const { gitVersion } = response.ok ? await response.json() : {};
      if (gitVersion) return gitVersion;
    } catch {
      // Something else serves this page, and may send a page of its own.
    }
    throw new Refusal(`There is no Kubernetes API at ${location.origin}.`,
      'kubectl serves this page and the API of your cluster from one origin. Unpack watchglass.zip, run this in its folder, and '
      + 'open http://127.0.0.1:8001/watchglass/kubernetes.html.', PROXY);
  }

  // Lists the resource. Returns the duration in milliseconds, the bytes of JSON, and what the list says about itself.
  async list(query, signal) {
    const start = performance.now();
    const response = await this.#get(`${this.#path}?${new URLSearchParams(query)}`, signal);
    const body = await response.arrayBuffer();
    const ms = performance.now() - start;
    const { metadata, items } = JSON.parse(new TextDecoder().decode(body));
    return {
      ms,
      bytes: body.byteLength,
      revision: Number(metadata.resourceVersion),
      objects: items?.length ?? 0,
      remaining: metadata.remainingItemCount ?? 0,
      next: metadata.continue ?? '',
    };
  }

  // Reads a list without a look at its objects. Returns the duration in milliseconds and the bytes of JSON.
  async read(query, signal) {
    const start = performance.now();
    const response = await this.#get(`${this.#path}?${new URLSearchParams(query)}`, signal);
    const reader = response.body.getReader();
    let bytes = 0;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return { ms: performance.now() - start, bytes };
      bytes += value.length;
    }
  }

  // Watches the resource. Returns each event with its size in bytes.
  async* watch(query, signal) {
    for await (const line of linesOf(await this.#get(`${this.#path}?${new URLSearchParams({ watch: 'true', ...query })}`, signal))) {
      const { type, object } = JSON.parse(line);
      if (type === 'ERROR') throw failure(object.code, object.message);
      const { resourceVersion, annotations } = object.metadata;
      const isInitialEnd = annotations?.['k8s.io/initial-events-end'] === 'true';
      yield { type, revision: Number(resourceVersion), bytes: utf8.encode(line).length, isInitialEnd };
    }
  }

  // Returns the counters of the resource and the feature gates, or null if the metrics may not be read.
  async metrics(signal) {
    let response;
    try {
      response = await this.#get('metrics', signal, '*/*');
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
    const counts = { cache: 0, etcd: 0, gets: 0, fell: 0 };
    const gates = {};
    for (const line of (await response.text()).split('\n')) {
      const [, name, text, value] = METRIC.exec(line) ?? [];
      if (name === 'kubernetes_feature_enabled') {
        const { name: gate } = labelsOf(text);
        gates[gate] = value === '1';
        continue;
      }
      const kinds = name ? Object.keys(COUNTERS).filter((kind) => COUNTERS[kind](name, labelsOf(text))) : [];
      if (kinds.length === 0) continue;
      if (this.#counts(labelsOf(text))) for (const kind of kinds) counts[kind] += Number(value);
    }
    return { counts, gates };
  }

  // Returns true if a metric with these labels counts the resource. The labels depend on the version of the API server.
  #counts({ group, resource, type, resource_prefix: prefix }) {
    if (group !== undefined) return group === this.#group && resource === this.#plural;
    const name = this.#group ? `${this.#plural}.${this.#group}` : this.#plural;
    return [resource, type].includes(name) || prefix?.split('/').at(-1) === this.#plural;
  }

  async #get(path, signal, accept = 'application/json') {
    let response;
    try {
      response = await fetch(`/${path}`, { cache: 'no-store', signal, headers: { Accept: accept } });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Error(`The API server does not respond (${error.message}). Does kubectl proxy still run?`);
    }
    if (response.ok) return response;
    let status = {};
    try {
      status = await response.json();
    } catch {
      // A proxy may respond with a page.
    }
    throw failure(response.status, status.message ?? response.statusText);
  }
}

function failure(code, message) {
  if (code === 403) return new Refusal(`The API server refuses: ${message}.`, 'Choose a resource that you may list and watch.');
  if (code === 404) return new Refusal(`The API server does not know this resource: ${message}.`);
  return Object.assign(new Error(`The API server reports: ${message} (${code}).`), { code });
}
