// Watches over the files of a page until the page responds. A file that fails, or does not arrive for a while, is named
// in a message with a button to try again. Without this script, the page works, but such a failure has no message.
//
// Written without modules and not loaded by another script: it must run where nothing else does. The programs explain
// their own errors (static/start.js).
(function () {
  // One file may need more time on a slow connection. The message says so, and the page still starts when the file
  // arrives.
  var LIMIT_MS = 20000;
  var BEAT_MS = 1000;

  // In a sandboxed frame, the browser tells no status: it is 0 for each file.
  var knowsStatus = self.origin !== 'null';
  var root = document.documentElement;
  var folder = new URL('..', document.currentScript.src).href;

  var box;
  var timer;
  var isReady = false;
  // The style sheets that were given up.
  var unblocked = [];

  // From its first response (static/start.js, static/front.js), the page needs no timer. A program that fails has a
  // message of its own.
  ['watchglass-ready', 'watchglass-failed'].forEach(function (name) {
    document.addEventListener(name, function () { isReady = true; beat(); });
  });
  beat();

  function beat() {
    clearTimeout(timer);
    // A program that fails has a message of its own, and the style sheet hides this one at once.
    if (document.querySelector('.wg-failure')) return hide();
    var failed = arrived().filter(function (entry) {
      return knowsStatus && entry.responseStatus === 0 || entry.responseStatus >= 400;
    }).map(function (entry) { return entry.name; });
    if (failed.length) {
      show(nameOf(failed[0]) + ' could not be loaded. It is missing, blocked or incomplete.');
    } else if (performance.now() - begin() > LIMIT_MS) {
      var late = unblocked.concat(named().filter(isLate));
      show((late.length ? nameOf(late[0]) : 'A file of the simulator') + ' has not arrived for ' + LIMIT_MS / 1000
        + ' s. It may be blocked, or the connection may be slow: the page starts when the file arrives.');
      late.forEach(unblock);
    }
    // Without its style sheet a page responds, but does not look as it should.
    if (isReady && !failed.concat(unblocked).some(isSheet)) return hide();
    timer = setTimeout(beat, BEAT_MS);
  }

  // Returns the timings of the scripts, style sheets and programs that have arrived or failed.
  function arrived() {
    return performance.getEntriesByType('resource').filter(function (entry) {
      return entry.name.indexOf(folder) === 0 && /\.(js|css|wasm)$/.test(entry.name);
    });
  }

  // Returns the time from which the page waits: the last arrival.
  function begin() {
    return arrived().reduce(function (last, entry) { return Math.max(last, entry.responseEnd); }, 0);
  }

  // Returns the addresses of the files that elements of the page name.
  function named() {
    var links = 'script[src]:not([nomodule]), link[rel="stylesheet"], link[rel="modulepreload"], link[rel="preload"]';
    return Array.prototype.map.call(document.querySelectorAll(links), function (element) {
      return element.src || element.href;
    });
  }

  function isLate(url) {
    return performance.getEntriesByName(url).length === 0;
  }

  function isSheet(url) {
    return /\.css$/.test(url);
  }

  function nameOf(url) {
    return 'The file ' + url.slice(folder.length);
  }

  // The browser draws nothing while it waits for a style sheet.
  function unblock(url) {
    document.querySelectorAll('link[rel="stylesheet"]').forEach(function (link) {
      if (link.href !== url) return;
      unblocked.push(url);
      link.remove();
    });
  }

  function show(what) {
    if (!box) {
      box = document.createElement('div');
      box.id = 'wg-arrival';
      box.className = 'wg-boot' + (document.querySelector('.wg-skeleton') ? ' is-alone' : '');
      box.setAttribute('role', 'alert');
      var again = document.createElement('button');
      again.type = 'button';
      again.className = 'wg-button';
      again.textContent = 'Try again';
      again.onclick = function () { location.reload(); };
      box.append(document.createElement('p'), again);
    }
    var text = what + ' Check the connection, then try again.';
    if (box.firstChild.textContent !== text) box.firstChild.textContent = text;
    if (box.isConnected) return;
    var place = document.querySelector((root.classList.contains('is-front') ? '#front-figure' : '#app') + ' > .wg-boot');
    if (place) place.replaceWith(box);
    // While a script in the head is missing, there is no body.
    else (document.body || root).prepend(box);
  }

  function hide() {
    if (box) box.remove();
  }
})();
