// Watches over the files of a page until the page responds. A file that fails, or does not arrive for a while, is named
// in a message with a button to try again. Without this script, the page works, but such a failure has no message.
//
// Written without modules and not loaded by another script: it must run where nothing else does. The programs explain
// their own errors (static/start.js).
(function () {
  // A slow connection may need longer than this for one file. The message says so, and the page goes on.
  var LIMIT_MS = 20000;
  var BEAT_MS = 1000;
  var NEEDED = 'script[src], link[rel="stylesheet"], link[rel="modulepreload"], link[rel="preload"]';

  var root = document.documentElement;
  var folder = new URL('..', document.currentScript.src).href;
  var failed = [];
  var since = 0;
  var box;
  var ready;

  addEventListener('error', notice, true);
  beat();

  function notice(event) {
    var url = event.target.matches && event.target.matches(NEEDED) && (event.target.src || event.target.href);
    if (!url || url.indexOf(folder) !== 0) return;
    failed.push(url);
    show(nameOf(url) + ' could not be loaded. It is missing, blocked or incomplete.');
  }

  function beat() {
    // A program that fails has a message of its own.
    if (isAlive() || root.classList.contains('is-failed')) return end();
    // A figure that waits for a click loads nothing.
    since = root.classList.contains('is-held') ? performance.now() : Math.max(since, lastArrival());
    if (!failed.length && performance.now() - since > LIMIT_MS) {
      var late = named().filter(isLate);
      show((late.length ? nameOf(late[0]) : 'A file of the simulator') + ' has not arrived for ' + LIMIT_MS / 1000
        + ' s. It may be blocked, or the connection may be slow: the page starts when the file arrives.');
      late.forEach(unblock);
    }
    setTimeout(beat, BEAT_MS);
  }

  function isAlive() {
    if (window.watchglass && ready === undefined) {
      ready = false;
      var settle = function () { ready = true; };
      window.watchglass.ready().then(settle, settle);
    }
    return ready;
  }

  function end() {
    removeEventListener('error', notice, true);
    // Without a style sheet the page responds, but does not look as it should.
    var isPlain = failed.some(function (url) { return /\.css$/.test(url); });
    if (box && !isPlain) box.remove();
  }

  function lastArrival() {
    return performance.getEntriesByType('resource').reduce(function (last, entry) {
      return Math.max(last, entry.responseEnd);
    }, 0);
  }

  // Returns the addresses of the files that elements of the page name.
  function named() {
    return Array.prototype.map.call(document.querySelectorAll(NEEDED), function (element) {
      return element.src || element.href;
    });
  }

  function isLate(url) {
    return performance.getEntriesByName(url).length === 0;
  }

  function nameOf(url) {
    return 'The file ' + url.slice(folder.length);
  }

  // The browser draws nothing while it waits for a style sheet.
  function unblock(url) {
    document.querySelectorAll('link[rel="stylesheet"]').forEach(function (link) {
      if (link.href !== url) return;
      failed.push(url);
      link.remove();
    });
  }

  function show(what) {
    if (!box) {
      box = document.createElement('div');
      box.className = 'wg-boot' + (document.querySelector('.wg-skeleton') ? ' is-alone' : '');
      box.setAttribute('role', 'alert');
      var again = document.createElement('button');
      again.type = 'button';
      again.className = 'wg-button';
      again.textContent = 'Try again';
      again.onclick = function () { location.reload(); };
      box.append(document.createElement('p'), again);
    }
    box.firstChild.textContent = what + ' Check the connection, then try again.';
    if (box.isConnected) return;
    var place = document.querySelector('.wg-boot[hidden]');
    if (place) place.replaceWith(box);
    // While a script in the head is missing, there is no body.
    else (document.body || root).append(box);
  }
})();
