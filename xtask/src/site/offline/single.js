// The page in one file (watchglass.html), which a browser can open from a disk or a USB stick: no request leaves the tab.
//
// The file contains all files of the site (offline.mjs), packed, in the element `files`. This script unpacks them and
// offers each as a blob with an address of its own. A script, a style sheet or a page gets the addresses of the blobs in
// the places where it names other files, relative to itself. All other addresses, such as those of the texts of runs,
// lead into the folder of this page, where no file need exist: `fetch` and `Worker` look up the files here.
//
// The policy of the file, in its head, allows this script and blobs, and nothing else.
//
// A page from a file and its workers have different origins, so a worker cannot load a blob of the page. Each worker
// runs this script and gets the files in its first message.
(() => {
  const SOURCE = globalThis.document?.currentScript.textContent;
  const TYPES = {
    css: 'text/css', html: 'text/html', js: 'text/javascript', json: 'application/json', png: 'image/png', svg: 'image/svg+xml',
    txt: 'text/plain', wasm: 'application/wasm', webmanifest: 'application/manifest+json',
  };
  // Of each tape, there is only the one with this width.
  const TAPE = /\/tapes\/\d+\//;

  // The names of the files, each with its content, and the folder in which they seem to be.
  let files;
  let folder;
  const blobs = new Map();

  // --- Files ---

  function addressOf(name) {
    if (!blobs.has(name)) {
      const type = TYPES[name.split('.').pop()] ?? 'application/octet-stream';
      const isText = /javascript|css|html/.test(type);
      const content = isText ? linked(name) : files.get(name);
      blobs.set(name, URL.createObjectURL(new Blob([content], { type: `${type}${type.startsWith('text/') ? ';charset=utf-8' : ''}` })));
    }
    return blobs.get(name);
  }

  // Returns the name of the file at an address; undefined if there is none.
  function nameOf(address) {
    const [path] = String(address).split(/[?#]/);
    if (!path.startsWith(folder)) return undefined;
    const name = decodeURI(path.slice(folder.length)).replace(TAPE, '/tapes/560/');
    return files.has(name) ? name : undefined;
  }

  // Returns a text with the addresses of the blobs of the files that it names. Pages have no blobs: see `follow`.
  function linked(name) {
    const here = new URL(name, folder);
    const text = new TextDecoder().decode(files.get(name));
    const blobOf = (relative) => {
      const found = nameOf(new URL(relative, here));
      return found && !found.endsWith('.html') ? addressOf(found) : undefined;
    };
    if (name.endsWith('.html')) {
      return text.replace(/ (href|src)="([^"#?]+)"/g, (all, attribute, relative) => {
        const blob = blobOf(relative);
        return blob ? ` ${attribute}="${blob}"` : all;
      });
    }
    return text
      .replace(/new URL\((['"])([^'"]+)\1, import\.meta\.url\)/g, (all, quote, relative) => {
        const blob = blobOf(relative);
        return blob ? `'${blob}'` : all;
      })
      // A name with a colon is that of an import of a program.
      .replace(/(['"])(\.\.?\/[^'"]+\.js)\1(?!:)/g, (all, quote, relative) => {
        const blob = blobOf(relative);
        return blob ? `'${blob}'` : all;
      })
      .replace(/import\.meta\.url|document\.currentScript\.src/g, () => JSON.stringify(here.href));
  }

  // --- The worker ---

  if (!SOURCE) {
    const early = [];
    const begin = async ({ data }) => {
      removeEventListener('message', begin);
      addEventListener('message', keep);
      [files, folder] = data.files;
      await import(addressOf(data.name));
      removeEventListener('message', keep);
      for (const message of early) dispatchEvent(new MessageEvent('message', { data: message }));
    };
    const keep = (event) => {
      event.stopImmediatePropagation();
      early.push(event.data);
    };
    addEventListener('message', begin);
    return;
  }

  // --- The page ---

  folder = new URL('.', location.href).href;
  // Read by page.js and by the page's program: workers are possible, although the page may come from a file.
  window.watchglassSingleFile = true;

  const { fetch, Worker } = window;
  window.fetch = (address, options) => {
    const name = nameOf(address.url ?? address);
    return fetch.call(window, name ? addressOf(name) : address, options);
  };
  window.Worker = function (address, { name } = {}) {
    const worker = new Worker(URL.createObjectURL(new Blob([SOURCE], { type: TYPES.js })), { name });
    worker.postMessage({ files: [files, folder], name: nameOf(address) });
    return worker;
  };
  window.Worker.prototype = Worker.prototype;
  // Links to files that the page will need soon.
  const { get, set } = Object.getOwnPropertyDescriptor(HTMLLinkElement.prototype, 'href');
  Object.defineProperty(HTMLLinkElement.prototype, 'href', {
    get,
    set(address) { set.call(this, addressOf(nameOf(address))); },
  });

  // Pages are not blobs, because links from a blob lead nowhere: the address of this file names them, `?page=NAME`.
  function follow(event) {
    const link = event.composedPath().find((element) => element instanceof HTMLAnchorElement && element.href);
    if (!link?.href.startsWith(folder)) return;
    const url = new URL(link.href);
    const name = url.pathname.slice(new URL(folder).pathname.length);
    const isMain = name === '' || name === 'index.html';
    if (!isMain && !files.has(name)) return;
    link.href = location.pathname + (isMain ? url.search : `?page=${name}`) + url.hash;
  }

  async function unpack(text) {
    const packed = atob(text);
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i += 1) bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const all = new Uint8Array(await new Response(stream).arrayBuffer());
    // A line with the names and lengths, and then the contents.
    let at = all.indexOf(10) + 1;
    const sizes = JSON.parse(new TextDecoder().decode(all.subarray(0, at)));
    return new Map(sizes.map(([name, length]) => [name, all.slice(at, at += length)]));
  }

  unpack(document.querySelector('#files').textContent).then((unpacked) => {
    files = unpacked;
    const wanted = new URLSearchParams(location.search).get('page');
    const page = linked(files.has(wanted) ? wanted : 'index.html');
    // Removes all listeners.
    document.open();
    for (const type of ['click', 'auxclick', 'contextmenu']) window.addEventListener(type, follow, true);
    document.write(page);
    document.close();
  }).catch((error) => {
    document.body.textContent = `This file could not be opened: ${error.message}. It needs a current Firefox, Chrome, Edge or Safari.`;
  });
})();
