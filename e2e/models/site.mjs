// A server for the tests of visits without a network: it serves versions of the site in turn, and it can refuse requests.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';

export const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const BUILD = fileURLToPath(new URL('../../xtask/src/site/offline/offline.mjs', import.meta.url));
const TYPES = {
  '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.png': 'image/png',
  '.svg': 'image/svg+xml', '.txt': 'text/plain', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json',
};
// The same policy as in xtask/src/server.rs.
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src 'self'; "
  + "connect-src 'self'; img-src 'self' data:; base-uri 'self'; form-action 'none'";
const PREFIX = '/docs/watchglass/';
// The address of an empty page on the same host, outside of the site.
const OUTSIDE = '/docs/page.html';

export class Site {
  // The names of the files that were requested.
  requests = [];
  // The number of requests until all further requests fail.
  left = Infinity;
  #folder = DIST;
  #others = {};
  #server = createServer((request, response) => this.#answer(request, response));

  async start() {
    await new Promise((resolve) => { this.#server.listen(0, '127.0.0.1', resolve); });
    this.url = `http://127.0.0.1:${this.#server.address().port}${PREFIX}`;
    this.outside = new URL(OUTSIDE, this.url).href;
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  // Serves a folder, but some files from other folders, as a cache before the server may do: `{name: folder}`.
  serve(folder, others = {}) {
    this.#folder = folder;
    this.#others = others;
    this.left = Infinity;
  }

  // Returns another version of the site, without most runs and tapes: each page, and the script that each page runs first, have
  // the mark `mark`. Tests share the versions.
  version(mark) {
    if (!versions.has(mark)) versions.set(mark, this.#version(mark));
    return versions.get(mark);
  }

  #version(mark) {
    const folder = folderUntilExit();
    const isLeftOut = (file) => /\.(br|gz)$|offline-\w+\.json$|\/sw\.js$|\/watchglass\.(html|zip)$|scenarios\/(?!cache)\w+\/|tapes\/(?!front)\w+\//.test(file);
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

  // Unpacks a zip file. Returns the folder.
  unpack(file) {
    const folder = folderUntilExit();
    const zip = readFileSync(file);
    const end = zip.lastIndexOf('PK\x05\x06');
    let entry = zip.readUInt32LE(end + 16);
    for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
      const [packed, length] = [zip.readUInt32LE(entry + 20), zip.readUInt16LE(entry + 28)];
      const name = join(folder, String(zip.subarray(entry + 46, entry + 46 + length)));
      const content = zip.readUInt32LE(entry + 42) + 30 + length;
      mkdirSync(dirname(name), { recursive: true });
      writeFileSync(name, inflateRawSync(zip.subarray(content, content + packed)));
      entry += 46 + length;
    }
    return folder;
  }

  #answer(request, response) {
    if (request.url === OUTSIDE) {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end('<!doctype html><title>Docs</title>');
      return;
    }
    const name = decodeURI(new URL(request.url, this.url).pathname).slice(PREFIX.length) || 'index.html';
    this.requests.push(name);
    this.left -= 1;
    if (this.left < 0) {
      request.socket.destroy();
      return;
    }
    try {
      const bytes = readFileSync(join(this.#others[name] ?? this.#folder, name));
      response.writeHead(200, {
        'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
        'Content-Security-Policy': POLICY,
        'Cache-Control': 'max-age=600',
      });
      response.end(bytes);
    } catch {
      response.writeHead(404);
      response.end();
    }
  }
}

const versions = new Map();

// Makes a folder for as long as this process runs.
function folderUntilExit() {
  const folder = mkdtempSync(join(tmpdir(), 'watchglass-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
