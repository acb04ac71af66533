// Writes the forms of a built site that need no network: node offline.mjs DIST RELEASE, the folder with the site and the
// name of the folder of its release.
//
// `sw.js` is the service worker (sw.js in this folder) of this version of the site, and the list of the version's files
// with their digests is in the release's folder. `watchglass.html` contains the files themselves (single.js).
// `watchglass.zip` is a folder with all of these for any static server.
import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zip } from './zip.mjs';

const [dist, release] = process.argv.slice(2);
const source = (name) => readFile(new URL(name, import.meta.url), 'utf8');
const integrity = (bytes) => `sha256-${createHash('sha256').update(bytes).digest('base64')}`;

// --- The files of a version: all files, but only the tapes that a page of the site shows ---

const entries = await readdir(dist, { recursive: true, withFileTypes: true });
const names = entries.filter((entry) => entry.isFile())
  .map((entry) => relative(dist, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join('/')).sort();
const files = new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(dist, name))])));
const shown = new Set();
for (const [name, bytes] of files) {
  if (!name.endsWith('.html')) continue;
  for (const [, scenario] of String(bytes).matchAll(/<watch-glass[^>]* scenario="([^"]+)"/g)) shown.add(scenario);
}
const runOf = (name) => /\/tapes\/\d+\/(.+)\.json\.gz$/.exec(name)?.[1];
for (const name of files.keys()) if (runOf(name) && !shown.has(runOf(name))) files.delete(name);

// --- The service worker ---

// Hosts may unpack a packed file on its way, so its digest is unknown.
const digests = [...files].map(([name, bytes]) => [name, name.endsWith('.gz') ? '' : integrity(bytes)]);
const list = JSON.stringify(Object.fromEntries(digests));
const hash = createHash('sha256').update(list).digest('hex').slice(0, 12);
const version = { list: `${release}/offline-${hash}.json`, integrity: integrity(list) };
const worker = `const VERSION = ${JSON.stringify(version)};\n${(await source('sw.js')).replace(/^ *\/\/.*\n/gm, '')}`;
await writeFile(join(dist, version.list), list);
await writeFile(join(dist, 'sw.js'), worker);

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
console.log(`· sw.js keeps ${files.size} files, ${megabytes([...files.values()].reduce((sum, { length }) => sum + length, 0))} MB`);

// --- The single file: of each tape, only the one for the figures in a wide window ---

const inside = [...files].filter(([name]) => !runOf(name) || name.includes('/tapes/560/'));
const sizes = JSON.stringify(inside.map(([name, { length }]) => [name, length]));
const packed = gzipSync(Buffer.concat([Buffer.from(`${sizes}\n`), ...inside.map(([, bytes]) => bytes)]), { level: 9 });
const script = await source('single.js');
const parts = { script: integrity(script), files: packed.toString('base64'), 'single.js': script };
const page = (await source('single.html')).replace(/{{(.+?)}}/g, (_, part) => parts[part]);
await writeFile(join(dist, 'watchglass.html'), page);
console.log(`· watchglass.html contains ${inside.length} files, ${megabytes(page.length)} MB`);

// --- The folder ---

const rest = { 'README.txt': await source('README.txt'), 'watchglass.html': page, 'sw.js': worker, [version.list]: list };
const folder = zip([...files, ...Object.entries(rest)].map(([name, content]) => [`watchglass/${name}`, content]));
await writeFile(join(dist, 'watchglass.zip'), folder);
console.log(`· watchglass.zip, ${megabytes(folder.length)} MB`);
