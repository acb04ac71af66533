// The service worker: keeps the files of one version of the site, so that a later visit needs no network.
//
// The build writes the first line, `const VERSION = {list, integrity};`: the address and the digest of the list of the
// version's files (offline.mjs). Each version has a cache of its own. It is installed whole or not at all: each file must
// have its digest from the list, and the worker becomes active only when the cache has them all. An interrupted
// installation continues at the next visit.
//
// A page gets all files from the version that it started with. An old version's cache is deleted when no page needs it.
// Files that no list contains, such as the tapes of most runs, come from the network.
const SCOPE = registration.scope;
// Other sites on the same host have caches of their own.
const PREFIX = `watchglass ${SCOPE} `;
const CACHE = PREFIX + VERSION.integrity;
// The number of files that are loaded at the same time. Fewer than browsers allow, because a page may need the others.
const LANES = 4;
// The maximum time in which a page that is opened becomes visible to `clients.matchAll`.
const OPENING_MS_MAX = 10_000;

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(removeUnused().then(() => clients.claim())));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(SCOPE) || isForeignFrame(request)) return;
  event.respondWith(respond(event));
});

// Figures in pages of others always come from the network.
function isForeignFrame({ mode, destination, referrer }) {
  return mode === 'navigate' && destination !== 'document' && !referrer.startsWith(SCOPE);
}

// --- Installing ---

async function install() {
  const list = await (await load(VERSION.list, VERSION.integrity)).json();
  const cache = await caches.open(CACHE);
  const rest = await missing(list);
  const lane = async () => {
    for (let name = rest.pop(); name; name = rest.pop()) await cache.put(addressOf(name), await load(name, list[name]));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  // Another version may have deleted the cache in the meantime.
  if ((await missing(list)).length > 0) throw new Error('the version is incomplete');
  await self.skipWaiting();
}

async function missing(list) {
  const cache = await caches.open(CACHE);
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  return Object.keys(list).filter((name) => !kept.has(addressOf(name)));
}

async function load(name, integrity) {
  const answer = await fetch(addressOf(name), { cache: 'no-cache', priority: 'low', integrity });
  if (!answer.ok) throw new Error(`${name}: status ${answer.status}`);
  // A new response, because browsers accept none for a page that was redirected. The content is unpacked, and the cache
  // refuses `Vary: *`.
  const headers = new Headers(answer.headers);
  for (const header of ['Content-Encoding', 'Content-Length', 'Vary']) headers.delete(header);
  return new Response(answer.body, { headers });
}

// --- Serving ---

async function respond({ request, clientId, resultingClientId }) {
  const address = request.url.split(/[?#]/)[0];
  const kept = request.mode === 'navigate' ? await openPage(address, resultingClientId) : await find(address, clientId);
  return kept ?? fetch(request);
}

async function openPage(address, clientId) {
  const cache = await caches.open(CACHE);
  const page = await cache.match(address === SCOPE ? addressOf('index.html') : address);
  if (page) await cache.put(recordOf(clientId), new Response(String(Date.now())));
  removeUnused();
  return page;
}

// Returns the file of the client's version. A file in a release's folder has the version in its address. Other files are
// those of the version that has a record of the client; there is no record of a page that the network has sent.
async function find(address, clientId) {
  const newest = await caches.match(address, { cacheName: CACHE });
  if (newest && address.startsWith(addressOf('release-'))) return newest;
  const all = await Promise.all((await versions()).map((name) => caches.open(name)));
  const own = await first(all, async (cache) => await cache.match(recordOf(clientId)) && cache.match(address));
  return own ?? newest ?? first(all, (cache) => cache.match(address));
}

async function first(all, look) {
  for (const cache of all) {
    const found = await look(cache);
    if (found) return found;
  }
  return undefined;
}

// --- Versions and the pages that use them ---

// Returns the names of the caches of all versions, the oldest first.
async function versions() {
  return (await caches.keys()).filter((name) => name.startsWith(PREFIX));
}

// Deletes the older versions that no page uses. A newer version is being installed.
async function removeUnused() {
  const open = new Set((await clients.matchAll({ includeUncontrolled: true, type: 'all' })).map(({ id }) => id));
  const names = await versions();
  for (const name of names.slice(0, names.indexOf(CACHE) + 1)) {
    const isUsed = await removeRecords(await caches.open(name), open);
    if (!isUsed && name !== CACHE) await caches.delete(name);
  }
}

// Removes the records of closed pages. Returns true if a page of this version is open.
async function removeRecords(cache, open) {
  let isUsed = false;
  for (const record of await cache.keys()) {
    if (!record.url.startsWith(recordOf(''))) continue;
    const since = Number(await (await cache.match(record)).text());
    if (open.has(record.url.slice(recordOf('').length)) || Date.now() - since < OPENING_MS_MAX) isUsed = true;
    else await cache.delete(record);
  }
  return isUsed;
}

// Returns the address of the record in a version's cache that a page of this version is open.
function recordOf(clientId) {
  return addressOf(`.open/${clientId}`);
}

function addressOf(name) {
  return new URL(name, SCOPE).href;
}
