// A host between the browser and the served page that damages or holds one file, as networks and hosts do. The routes of
// Playwright cannot send a wrong compression or close a connection in the middle of a file.
import { createServer } from 'node:http';

const PORTAL = '<!doctype html><title>Sign in</title><p>Welcome to the guest network.</p>';

// Each fate answers a request with the response that the page's server would have sent: `{status, type, body}`.
export const HOST_FATES = {
  missing: (answer) => answer.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>'),
  reset: (answer) => answer.socket.destroy(),
  cut: (answer, { type, body }) => {
    answer.writeHead(200, { 'content-type': type, 'content-length': body.length });
    answer.write(body.subarray(0, body.length >> 1), () => answer.socket.destroy());
  },
  halved: (answer, { type, body }) => answer.writeHead(200, { 'content-type': type }).end(body.subarray(0, body.length >> 1)),
  empty: (answer, { type }) => answer.writeHead(200, { 'content-type': type }).end(),
  portal: (answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end(PORTAL),
  encoded: (answer, { type, body }) => answer.writeHead(200, { 'content-type': type, 'content-encoding': 'br' }).end(body),
  hanging: () => {},
};

// The files that a kind of page needs, as the build wrote them into the page.
export async function neededFiles(base, page, kind) {
  const html = await (await fetch(new URL(page, base))).text();
  const list = html.match(new RegExp(` data-${kind}="([^"]*)"`))?.[1];
  if (!list) throw new Error(`${page} lists no files for ${kind}`);
  return list.split(' ').map((entry) => entry.split('=')[0]);
}

// Starts a host before `base`. `damage(fates)` names the fate of files by the end of their path; `url` is the address
// of the page.
export async function startHost(base) {
  let fates = {};
  const server = createServer(async (request, answer) => {
    const from = await fetch(new URL(request.url, base));
    const body = Buffer.from(await from.arrayBuffer());
    const type = from.headers.get('content-type') ?? 'application/octet-stream';
    const path = new URL(request.url, base).pathname;
    const file = Object.keys(fates).find((name) => path.endsWith(`/${name}`));
    if (file) return HOST_FATES[fates[file]](answer, { type, body });
    const headers = { 'content-type': type, 'cache-control': 'no-cache' };
    const policy = from.headers.get('content-security-policy');
    if (policy) headers['content-security-policy'] = policy;
    return answer.writeHead(from.status, headers).end(body);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const { pathname } = new URL(base);
  return {
    url: `http://127.0.0.1:${server.address().port}${pathname}`,
    damage: (damaged) => { fates = damaged; },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
