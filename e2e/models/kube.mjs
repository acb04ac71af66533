// The page that measures an API server, and a server in front of it: it serves the page as `kubectl proxy` does, and gives the
// responses that a real API server 1.36.2 gave, with the counters that it would have counted.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { freePort } from './etcd.mjs';

const RECORDED = new URL('../../engine/tests/data/kube/api_server_1.36.2.txt', import.meta.url);
const PODS = '/api/v1/namespaces/default/pods';
const NOBODY = '/api/v1/namespaces/nosuch/pods';

// The requests of the page, and the recorded requests with the same result.
const SAME = [
  [/^fieldSelector=metadata.name%3D[^&]+$/, NOBODY],
  [/^fieldSelector=metadata.name%3D[^&]+&resourceVersion=0$/, `${PODS}?watch=false&resourceVersion=0`],
  [/^$/, `${PODS}?labelSelector=app%20in%20%28web%2Cdb%29`],
  [/^resourceVersion=0$/, `${PODS}?watch=false&resourceVersion=0`],
  [/^limit=1$/, `${PODS}?resourceVersion=&limit=1`],
  // A first page that is not the last one, and a last page.
  [/^limit=500$/, `${PODS}?resourceVersion=&limit=1`],
  [/^limit=500&continue=eyJ2/, `${PODS}?labelSelector=app%20in%20%28web%2Cdb%29`],
  [/^watch=true&sendInitialEvents=true&.*$/, `${PODS}?watch=1&allowWatchBookmarks=true`],
];

// Returns the recorded responses of the warm server by request.
function recorded() {
  const [, text] = /^phase warm\n([^]*?)\nphase /m.exec(readFileSync(RECORDED, 'utf8'));
  const blocks = text.split(/\n\n/).map((block) => block.trim().split('\n')).filter(([line]) => line.startsWith('GET '));
  return new Map(blocks.map(([line, ...rest]) => [line.slice(4), rest]));
}

export class KubeServer {
  #recorded = recorded();
  #counts = { cache: 0, list: 0, get: 0 };
  #watches = new Set();
  requests = [];
  hasMetrics = true;
  hasCache = true;
  isDown = false;

  // Starts to serve the built page under /watchglass/ and the API beside it.
  async start(page) {
    this.#server = createServer((request, response) => this.#respond(page, request, response));
    const port = await freePort();
    await new Promise((resolve) => { this.#server.listen(port, '127.0.0.1', resolve); });
    this.address = `http://127.0.0.1:${port}/watchglass/kubernetes.html`;
    return this;
  }

  #server;

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  // Sends an event to all watches.
  send(type, resourceVersion) {
    for (const watch of this.#watches) watch.write(`${JSON.stringify({ type, object: { metadata: { resourceVersion } } })}\n`);
  }

  async #respond(page, request, response) {
    if (this.isDown) return response.destroy();
    if (request.url.startsWith('/watchglass/')) {
      const file = await fetch(new URL(request.url.slice('/watchglass/'.length), page));
      response.writeHead(file.status, { 'content-type': file.headers.get('content-type') });
      return response.end(Buffer.from(await file.arrayBuffer()));
    }
    this.requests.push(`${request.method} ${request.url}`);
    const json = (code, body) => {
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.url === '/version') return json(200, { gitVersion: 'v1.36.2' });
    if (request.url === '/metrics') return this.#metrics(response);
    if (request.url.startsWith('/api/v1/namespaces/default/secrets')) {
      return json(403, { message: 'secrets is forbidden: User "u" cannot list resource "secrets"' });
    }
    const [path, query = ''] = request.url.split('?');
    if (path !== PODS) return json(404, { message: 'the server could not find the requested resource' });
    if (/^watch=true&resourceVersion=/.test(query)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      this.#watches.add(response);
      return response.on('close', () => this.#watches.delete(response));
    }
    const [, asked] = SAME.find(([form]) => form.test(query)) ?? [];
    const lines = this.#recorded.get(asked);
    if (!lines) return json(500, { message: `the test has no response to ${request.url}` });
    const of = (start) => lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
    const metadata = (text) => {
      const [, namespace, name, resourceVersion] = /(.+)\/(.+)@(\d+)/.exec(text);
      return { namespace, name, resourceVersion };
    };
    const events = of('> ');
    if (events.length) {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const event of events) {
        const [type, what, mark] = event.split(' ');
        const annotations = mark ? { 'k8s.io/initial-events-end': 'true' } : undefined;
        const object = { metadata: type === 'BOOKMARK' ? { resourceVersion: what, annotations } : metadata(what) };
        response.write(`${JSON.stringify({ type, object })}\n`);
      }
      return response;
    }
    // Without the cache, a list by name is a get in the metrics of etcd.
    const [recordedFrom] = of('from ');
    const from = this.hasCache ? recordedFrom : 'etcd';
    if (from.startsWith('cache')) this.#counts.cache += 1;
    else this.#counts[query.startsWith('fieldSelector=metadata.name') ? 'get' : 'list'] += 1;
    if (from.includes('asked')) this.#counts.get += 1;
    const [, revision, remaining] = /rv (\d+)(?: remaining (\d+))?/.exec(of('list ')[0]);
    const [next] = of('continue ');
    return json(200, {
      metadata: { resourceVersion: revision, continue: next, remainingItemCount: remaining && Number(remaining) },
      items: of('- ').map((text) => ({ metadata: metadata(text) })),
    });
  }

  #metrics(response) {
    if (!this.hasMetrics) {
      response.writeHead(403, { 'content-type': 'application/json' });
      return response.end('{"message":"forbidden"}');
    }
    const { cache, list, get } = this.#counts;
    return response.end([
      '# HELP kubernetes_feature_enabled [BETA] This metric records the data about the stage and enablement of a k8s feature.',
      'kubernetes_feature_enabled{name="ConsistentListFromCache",stage=""} 1',
      'kubernetes_feature_enabled{name="WatchList",stage="BETA"} 0',
      `apiserver_cache_list_total{group="",index="",resource="pods"} ${cache}`,
      'apiserver_cache_list_total{group="",index="",resource="nodes"} 7',
      'apiserver_cache_list_total{group="metrics.k8s.io",index="",resource="pods"} 9',
      `etcd_requests_total{group="",operation="list",resource="pods"} ${list}`,
      `etcd_requests_total{group="",operation="get",resource="pods"} ${get}`, '',
    ].join('\n'));
  }
}

export class Measure {
  constructor(page) {
    this.page = page;
    this.state = page.getByRole('status').first();
    this.alert = page.getByRole('alert');
    this.chart = page.locator('#kube-chart');
    this.ways = page.locator('#kube-ways tbody tr');
  }

  async open(server) {
    await this.page.goto(server.address);
  }

  async measure(resource = 'pods', namespace = 'default') {
    await this.page.getByLabel('Resource').fill(resource);
    await this.page.getByLabel('Namespace').fill(namespace);
    await this.page.getByRole('button', { name: 'Measure', exact: true }).click();
  }

  // Returns the cells of a row of results.
  row(name) {
    return this.page.getByRole('row', { name }).getByRole('cell');
  }

  button(name) {
    return this.page.getByRole('button', { name, exact: true });
  }
}
