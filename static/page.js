// Runs before the page is drawn: chooses the start page, the app or a figure, sets the theme, and starts to load the
// engine and the program. Plain pages (scenarios.html, 404.html) only get the theme. An address without a query shows
// the start page; an address with a query (`?…`) or a link (`#v4.…`) opens the app.
(function () {
  var root = document.documentElement;
  var folder = new URL('..', document.currentScript.src).href;
  if (location.protocol === 'file:' && !window.watchglassSingleFile) {
    var advice = document.createElement('script');
    advice.src = folder + 'static/from_file.js';
    document.head.appendChild(advice);
    return;
  }
  var query = new URLSearchParams(location.search);
  if (root.classList.contains('is-embed')) {
    // For static/poster.js. Named scenarios have tapes; an empty store and a link have none. The widths are those of
    // frontend/examples/posters/tape.rs.
    var name = query.get('scenario') || '';
    if (/^(?!empty)[a-z-]+(\/\w+)?$/.test(name) && !location.hash) {
      var width = [800, 680, 560, 358].find(function (width) { return width <= innerWidth; }) || 320;
      window.watchglassPoster = fetch(folder + 'tapes/' + width + '/' + name + '.json.gz')
        .then(function (answer) { return answer.ok ? answer : null; })
        .catch(function () { return null; });
    }
    var own = query.get('theme');
    if (own && own !== 'auto') root.setAttribute('data-theme', own);
  } else if (root.classList.contains('is-plain')) {
    try {
      setTheme(localStorage.getItem('watchglass.1.prefs') || '');
    } catch (refused) {
      // Without storage, the system setting decides.
    }
    findByKey();
    addEventListener('load', keepOffline);
    return;
  } else {
    var isApp = location.search.length > 1 || /^#v\d+\./.test(location.hash);
    root.className = isApp ? 'is-app' : 'is-front';
    if (!isApp) findByKey();
    if (query.has('lesson') || query.has('practice') || query.has('write')) root.classList.add('begins-with-lesson');
    if (/^empty/.test(query.get('scenario'))) root.classList.add('begins-with-store');
    try {
      var prefs = localStorage.getItem('watchglass.1.prefs') || '';
      setTheme(prefs);
      // The same as in frontend/src/widgets/splitter.rs. static/boot.js removes the class.
      var terminal = /(?:^| )terminal=(\w+):([1-9]\d*)?/.exec(prefs);
      if (isApp && terminal && terminal[1] !== 'open') root.classList.add('terminal-closed');
      if (isApp && terminal && terminal[2]) root.style.setProperty('--wg-terminal-height', terminal[2] + 'px');
      // The run that was open last, or the run that an earlier version saved (frontend/src/keep).
      ['watchglass.2.last.run', 'watchglass.1.run', 'watchglass.1.tail'].forEach(function (key) {
        if (localStorage.getItem(key)) root.classList.add('has-run');
      });
      // The program keeps this layout (Ui::is_reading). static/boot.js removes the class once the program has started.
      var isStory = !location.hash && !query.has('run') && !query.has('lesson') && !query.has('practice') && !query.has('write')
        && !/^lab/.test(query.get('view') || '')
        && !/^empty/.test(query.get('scenario') || (root.classList.contains('has-run') ? 'empty' : ''));
      if (isApp && isStory && !/(?:^| )bench=on/.test(prefs)) root.classList.add('is-reading');
    } catch (refused) {
      // Without storage, there is no saved run.
    }
  }

  document.addEventListener('watchglass-ready', keepOffline);

  // Loads the files for later visits without a network (xtask/src/site/offline/sw.js), when this page needs no more files
  // and its reader has had time to begin.
  function keepOffline() {
    // In a sandbox, reading `serviceWorker` is an error.
    if (window.parent !== window || self.origin === 'null' || !navigator.serviceWorker) return;
    if (navigator.connection && navigator.connection.saveData) return;
    setTimeout(function () {
      (window.requestIdleCallback || setTimeout)(function () {
        navigator.serviceWorker.register('sw.js').catch(function () {});
      });
    }, 3000);
  }

  // Ctrl+K follows the link that opens the app's palette, if the page has this link. The app handles the key itself.
  function findByKey() {
    addEventListener('keydown', function (event) {
      var isKey = event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      var link = isKey && document.querySelector('a[aria-keyshortcuts="Control+K"]');
      if (!link) return;
      event.preventDefault();
      link.click();
    });
  }

  function setTheme(prefs) {
    var theme = /(?:^| )theme=(\w+)/.exec(prefs);
    if (theme && theme[1] !== 'auto') root.setAttribute('data-theme', theme[1]);
  }

  function fetchEarly(rel, file, as) {
    var link = document.createElement('link');
    link.rel = rel;
    if (as) link.as = as;
    link.crossOrigin = 'anonymous';
    link.href = folder + file;
    document.head.appendChild(link);
  }
  function fetchText(from, name) {
    return fetch(from + name + '.txt').then(function (answer) {
      return answer.ok ? answer.text() : Promise.reject(Error(name + ': status ' + answer.status));
    }).then(function (text) {
      // A guest network may respond with a page of its own.
      return text.indexOf('#!') === 0 ? text : Promise.reject(Error(name + ': the response is not a run'));
    });
  }

  // Fetches the text of a story, a lesson or a scenario by the path of its file. A text that failed is fetched again.
  var texts = {};
  window.watchglassText = function (name) {
    if (!texts[name]) {
      texts[name] = fetchText(folder + 'scenarios/', name).catch(function (error) {
        // An author adds a lesson to the site as a file in the folder `lessons`, beside this page.
        if (name.indexOf('lessons/') !== 0) throw error;
        return fetchText(location.href.replace(/[^/]*([?#].*)?$/, ''), name).catch(function () { throw error; });
      });
      texts[name].catch(function (error) {
        error.isOfText = name;
        delete texts[name];
      });
    }
    return texts[name];
  };

  // Returns the path of the text that the address needs; empty for a saved run, a link or an empty store.
  function firstText() {
    if (location.hash || query.has('run') || query.has('practice') || query.has('write')) return '';
    var lesson = query.get('lesson');
    if (lesson !== null) return /^[\w-]+$/.test(lesson) ? 'lessons/' + lesson : '';
    var name = query.get('scenario');
    if (name === null) return root.classList.contains('has-run') ? '' : 'stories/two-generations';
    return /^[a-z]+\/\w+$/.test(name) ? name : /^(?!empty)[a-z-]+$/.test(name) ? 'stories/' + name : '';
  }

  // Called once. A figure loads its programs after its poster, because they would delay the poster on a slow
  // connection, and after the click if `loading="click"`: static/embed_boot.js calls this function.
  window.watchglassLoad = function () {
    fetchEarly('modulepreload', 'app.js');
    fetchEarly('preload', 'app_bg.wasm', 'fetch');
    startEngine();
    if (firstText()) window.watchglassText(firstText());
  };

  if (root.classList.contains('is-app')) window.watchglassLoad();

  // The engine loads at the same time as the page's program. The page fetches the engine's module, because the worker
  // could fetch it only after its own scripts have arrived. The program takes over the worker once
  // (frontend/src/host/port.rs), together with the events of the worker so far. If workers are not available, the
  // program reports this.
  function startEngine() {
    if (query.get('host') === 'inline') return;
    try {
      var worker = new Worker(folder + 'static/worker_boot.js', { type: 'module', name: 'early' });
    } catch (refused) {
      return;
    }
    sendModule(worker);
    var early = [];
    function keep(event) {
      early.push(event);
    }
    worker.addEventListener('message', keep);
    worker.addEventListener('error', keep);
    window.watchglassWorker = function () {
      delete window.watchglassWorker;
      worker.removeEventListener('message', keep);
      worker.removeEventListener('error', keep);
      // After the program has added its listeners.
      setTimeout(function () {
        early.forEach(function (event) {
          worker.dispatchEvent(new event.constructor(event.type, event));
        });
      });
      return worker;
    };
  }

  // Sends `{module}` to static/worker_boot.js. Without a module, the worker fetches it and reports what is wrong.
  function sendModule(worker) {
    function send(module) {
      worker.postMessage({ module: module });
    }
    if (typeof WebAssembly !== 'object' || !WebAssembly.compileStreaming) return send();
    WebAssembly.compileStreaming(fetch(folder + 'worker_bg.wasm')).then(send, function () {
      send();
    });
  }
})();
