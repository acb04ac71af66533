// A server for the tests of visits without a network: it serves versions of the site in turn, and it can refuse requests.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const BUILD = fileURLToPath(new URL('../../xtask/src/site/offline/offline.mjs', import.meta.url));
const TYPES = {
  '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.png': 'image/png',
  '.svg': 'image/svg+xml', '.txt': 'text/plain', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json',
};
const PREFIX = '/docs/watchglass/';

export class Site {
  // The names of the files that were requested.
  requests = [];
  // The number of requests until all further requests fail.
  left = Infinity;
  #folder = DIST;
  #made = [];
  #server = createServer((request, response) => this.#answer(request, response));

  async start() {
    await new Promise((resolve) => { this.#server.listen(0, '127.0.0.1', resolve); });
    this.url = `http://127.0.0.1:${this.#server.address().port}${PREFIX}`;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    for (const folder of this.#made) rmSync(folder, { recursive: true });
  }

  serve(folder) {
    this.#folder = folder;
    this.left = Infinity;
  }

  // Makes another version of the site, without most runs: each page, and the script that each page runs first, have the
  // mark `mark`.
  version(mark) {
    const folder = mkdtempSync(join(tmpdir(), 'watchglass-'));
    this.#made.push(folder);
    const isLeftOut = (file) => /\.(br|gz)$|offline-\w+\.json$|\/sw\.js$|\/watchglass\.(html|zip)$|scenarios\/(?!cache)\w+\//.test(file);
    cpSync(DIST, folder, { recursive: true, filter: (file) => !isLeftOut(file) });
    const release = readdirSync(folder).find((name) => name.startsWith('release-'));
    const renamed = `release-${mark}`;
    renameSync(join(folder, release), join(folder, renamed));
    for (const name of readdirSync(folder)) {
      if (!/\.(html|js|webmanifest)$/.test(name)) continue;
      const text = readFileSync(join(folder, name), 'utf8').replaceAll(release, renamed);
      writeFileSync(join(folder, name), text.replace('<html ', `<html data-page="${mark}" `));
    }
    const script = join(folder, renamed, 'static/page.js');
    writeFileSync(script, `document.documentElement.dataset.script = '${mark}';\n${readFileSync(script, 'utf8')}`);
    execFileSync('node', [BUILD, folder, renamed]);
    return folder;
  }

  #answer(request, response) {
    const name = decodeURI(new URL(request.url, this.url).pathname).slice(PREFIX.length) || 'index.html';
    this.requests.push(name);
    this.left -= 1;
    if (this.left < 0) {
      request.socket.destroy();
      return;
    }
    try {
      const bytes = readFileSync(join(this.#folder, name));
      response.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream', 'Cache-Control': 'max-age=600' });
      response.end(bytes);
    } catch {
      response.writeHead(404);
      response.end();
    }
  }
}
