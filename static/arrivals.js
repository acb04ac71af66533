// Watches over the files of a page until the page responds: a file that fails or does not arrive is named in a message
// with the time, the advice and a button. The build writes the files of each page into the attributes of this script:
// `data-app="app.js=SIZE …"` (xtask/src/site/needs.rs). The script is `async`, so that nothing waits for it. If this
// script itself is missing, the text `.wg-silent` in the page appears after a while by its style sheet.
//
// Written without modules: it must run where nothing else does. It sets styles only by classes, and creates the page's
// body if a script before the body hangs.
(function () {
  // A listed file that did not arrive in this time is reported. A slow connection may need longer, so the page goes on.
  var LIMIT_MS = 20000;
  // After this time, small files are checked. A script that is empty fails without an error.
  var EARLY_MS = 5000;
  var SMALL_BYTES = 16384;
  // The time for a file that is requested a second time for the check.
  var CHECK_MS = 5000;
  var BEAT_MS = 1000;

  var root = document.documentElement;
  var script = document.currentScript;
  var folder = new URL('..', script.src).href;
  var since = 0;
  var box;
  var isOver = false;
  var isChecking = false;
  var wasCheckedEarly = false;
  var checkedAt = 0;
  var suspected = false;
  // What the last check found, and the part of it that the message names.
  var checked = [];
  var shown = [];

  hideSilent();
  addEventListener('error', notice, true);
  addEventListener('unhandledrejection', suspect);
  // Called for each element of `watchglassErrors`, which `static/start.js` fills.
  window.watchglassFailed = suspect;
  if (errors().length) suspect();
  beat();

  function errors() {
    window.watchglassErrors = window.watchglassErrors || [];
    return window.watchglassErrors;
  }

  // The files that the page needs: `[{name, bytes}]`. Until `static/page.js` has run, the kind of page is unknown.
  function needed() {
    var kind = ['app', 'front', 'embed'].filter(function (kind) { return root.classList.contains('is-' + kind); })[0];
    var list = script.dataset[kind || Object.keys(script.dataset)[0]] || '';
    var files = list.split(' ').filter(Boolean).map(function (entry) {
      var at = entry.lastIndexOf('=');
      return { name: entry.slice(0, at), bytes: Number(entry.slice(at + 1)) };
    });
    // The text of the run depends on the address, so the build does not know it.
    if (window.watchglassRun) files.push({ name: 'scenarios/' + window.watchglassRun + '.txt', bytes: 0 });
    return files;
  }

  function notice(event) {
    var from = event.target && (event.target.src || event.target.href) || event.filename || '';
    if (String(from).indexOf(folder) === 0) suspect();
  }

  function suspect() {
    if (isOver) return;
    suspected = true;
    if (errors().length) show(sentence(shown), errors()[0]);
    check();
  }

  function beat() {
    if (isOver) return;
    if (isAlive()) {
      end();
      return;
    }
    var now = performance.now();
    // A figure that waits for a click loads nothing.
    if (window.watchglassHolds) since = now;
    since = Math.max(since, window.watchglassBegan || 0, lastArrival());
    if (now - since > LIMIT_MS && now - checkedAt > LIMIT_MS) check();
    else if (now > EARLY_MS && !wasCheckedEarly && !window.watchglassHolds) check(SMALL_BYTES);
    setTimeout(beat, BEAT_MS);
  }

  function lastArrival() {
    return performance.getEntriesByType('resource').reduce(function (last, entry) {
      return entry.name.indexOf(folder) === 0 ? Math.max(last, entry.responseEnd) : last;
    }, 0);
  }

  // Returns true if the page responds: the program has mounted, and its engine has sent a message or an error.
  function isAlive() {
    if (!window.watchglass) return false;
    if (!isAlive.asked) {
      isAlive.asked = true;
      var settle = function () { isAlive.isReady = true; };
      window.watchglass.ready().then(settle, settle);
    }
    return isAlive.isReady || window.watchglassEngineRuns === true;
  }

  function end() {
    // A page without its style sheet works: the message stays.
    if (isSheetBroken()) {
      isOver = Boolean(box) && checked.some(function (one) { return one.isSheet; });
      if (isOver) return;
      check();
      setTimeout(beat, BEAT_MS);
      return;
    }
    isOver = true;
    removeEventListener('error', notice, true);
    removeEventListener('unhandledrejection', suspect);
    if (box) box.remove();
    root.classList.remove('is-failed');
  }

  // The build ends each style sheet with this property: half a sheet has no error.
  function isSheetBroken() {
    return script.dataset.app !== undefined && !getComputedStyle(root).getPropertyValue('--wg-sheet');
  }

  // Requests the listed files again, mostly from the browser's cache, and shows what is wrong with them.
  function check(mostBytes) {
    if (isChecking || isOver) return;
    isChecking = true;
    var isEarly = typeof mostBytes === 'number';
    if (isEarly) wasCheckedEarly = true;
    else checkedAt = performance.now();
    var files = needed().filter(function (file) { return !isEarly || file.bytes <= mostBytes; });
    Promise.all(files.map(function (file) { return state(file, 'force-cache'); })).then(function (states) {
      isChecking = false;
      if (isOver) return;
      var found = states.filter(Boolean);
      if (!isEarly || found.length) checked = found;
      var failed = found.filter(function (one) { return !one.isLate; });
      var wasLate = performance.now() - since > LIMIT_MS;
      if (failed.length || wasLate) shown = failed.length ? failed : found;
      if (shown.length || errors().length) show(sentence(shown), errors()[0]);
      // All files are there, and the program does not run.
      else if (!isEarly && wasLate && (suspected || !window.watchglass)) show(sentence([]));
      if (shown.some(function (one) { return one.isSheet; })) unblock();
    });
  }

  // Resolves to what is wrong with a file, or to nothing. A file that the cache still writes can break off, so it is
  // requested from the server, too.
  function state(file, cache) {
    var abort = new AbortController();
    var timer = setTimeout(function () { abort.abort(); }, CHECK_MS);
    var isSheet = /\.css$/.test(file.name);
    function wrong(what) {
      return { name: file.name, what: what, isSheet: isSheet };
    }
    return fetch(folder + file.name, { cache: cache, signal: abort.signal }).then(function (response) {
      if (!response.ok) return wrong('is missing (the server answered with status ' + response.status + ')');
      return response.arrayBuffer().then(function (body) {
        if (body.byteLength === 0) return wrong('is empty');
        var type = response.headers.get('content-type') || '';
        if (/html/.test(type)) return wrong('was replaced by another page, perhaps the sign-in page of a guest network');
        if (!file.bytes || body.byteLength === file.bytes) return undefined;
        return wrong('is not complete (' + body.byteLength + ' of ' + file.bytes + ' bytes)');
      }, function (error) {
        if (abort.signal.aborted) throw error;
        return cache === 'no-store' ? wrong('broke off, or its compression is wrong') : state(file, 'no-store');
      });
    }).catch(function (error) {
      if (abort.signal.aborted) return { name: file.name, isLate: true, isSheet: isSheet };
      return wrong('is blocked, or the connection was closed');
    }).then(function (found) {
      clearTimeout(timer);
      return found;
    });
  }

  function sentence(found) {
    var reason = errors()[0] && errors()[0].reason;
    if (reason) return reason;
    var late = found.length > 0 && found[0].isLate;
    var first = late ? '' : 'The simulator could not be loaded. ';
    var advice = late
      ? ' It may be blocked, or the connection may be slow: the page goes on when the file arrives. Check the connection, then try again.'
      : ' Check the connection, then try again.';
    if (!found.length) return first + 'A file of its program is missing, blocked or incomplete.' + advice;
    var what = late
      ? ' has not arrived since ' + clock(since) + ' (' + Math.round((performance.now() - since) / 1000) + ' s)'
      : ' ' + found[0].what + ', seen at ' + clock(performance.now());
    var others = found.length > 1 ? '; ' + (found.length - 1) + ' more under Details' : '';
    return first + 'The file ' + found[0].name + what + others + '.' + advice;
  }

  function clock(ms) {
    return new Date(performance.timeOrigin + ms).toTimeString().slice(0, 8);
  }

  function details(error) {
    var lines = checked.map(function (one) {
      return one.name + ': ' + (one.isLate ? 'no response' : one.what);
    });
    if (error) lines.push(String(error));
    return lines.join('\n') || 'All files are there, and the program did not start.';
  }

  function show(text, error) {
    if (box && !box.isConnected) box = undefined;
    if (!box) make(error);
    if (!/has not arrived/.test(text)) root.classList.add('is-failed');
    if (box.querySelector('p').textContent !== text) box.querySelector('p').textContent = text;
    box.querySelector('pre').textContent = details(error);
    if (window.parent !== window && root.classList.contains('is-embed')) {
      window.parent.postMessage({ watchglass: 1, type: 'failed', error: text }, '*');
    }
  }

  // The message replaces the empty paragraph in the figure of the start page; elsewhere it is the body's first child.
  function make(error) {
    if (!document.body) replaceDocument();
    box = element('div', '', 'wg-boot');
    box.setAttribute('role', 'alert');
    if (document.querySelector('.wg-skeleton')) box.classList.add('is-alone');
    var failure = element('div', '', 'wg-failure');
    failure.append(element('p', ''));
    var more = element('details', '');
    more.append(element('summary', 'Details'), element('pre', ''));
    failure.append(more);
    var again = element('button', 'Try again', 'wg-button');
    again.type = 'button';
    again.onclick = function () { location.reload(); };
    box.append(failure, again);
    if (error && error.isOfText && root.classList.contains('is-app')) {
      root.classList.add('is-without-run');
      var list = element('a', 'All lessons, stories and runs', 'wg-button');
      list.href = 'scenarios.html';
      box.append(' ', list);
    }
    var place = root.classList.contains('is-front') && document.querySelector('#front-figure > .wg-boot');
    if (place) place.replaceWith(box);
    else document.body.prepend(box);
  }

  // A script in the head hangs, so the browser does not read the body: an empty document takes the place of the page.
  function replaceDocument() {
    var named = needed().filter(function (file) { return /\.css$/.test(file.name); })[0];
    document.open();
    document.close();
    root = document.documentElement;
    document.title = 'Watchglass';
    if (!named) return;
    var sheet = element('link', '');
    sheet.rel = 'stylesheet';
    sheet.href = folder + named.name;
    document.head.append(sheet);
  }

  function element(name, text, className) {
    var made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  // A style sheet that hangs keeps the whole page from being drawn.
  function unblock() {
    document.querySelectorAll('link[rel="stylesheet"]').forEach(function (link) {
      if (link.href.indexOf(folder) === 0 && !link.sheet) link.remove();
    });
  }

  function hideSilent() {
    var silent = document.querySelector('.wg-silent');
    if (silent) silent.remove();
    else if (!isOver) addEventListener('DOMContentLoaded', hideSilent, { once: true });
  }
})();
