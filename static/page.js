// Runs before the page is drawn: decides between front door and app, sets the theme, and has the right program fetched.
// A bare address is the front door; anything asked for (`?…`), or a link to a moment (`#v1.…`), goes straight to the app.
(function () {
  var root = document.documentElement;
  var app = location.search.length > 1 || /^#v\d+\./.test(location.hash);
  root.className = app ? 'is-app' : 'is-front';
  try {
    var theme = /(?:^| )theme=(\w+)/.exec(localStorage.getItem('watchglass.1.prefs') || '');
    if (theme && theme[1] !== 'auto') root.setAttribute('data-theme', theme[1]);
    // The run that was open last, or the one that an earlier version kept (frontend/src/keep).
    ['watchglass.2.last.run', 'watchglass.1.run', 'watchglass.1.tail'].forEach(function (key) {
      if (localStorage.getItem(key)) root.classList.add('has-run');
    });
  } catch (refused) {
    // Without storage there is nothing to go on with.
  }
  var folder = new URL('..', document.currentScript.src).href;
  var program = app ? 'app' : 'embed';
  function fetchEarly(rel, file, as) {
    var link = document.createElement('link');
    link.rel = rel;
    if (as) link.as = as;
    link.crossOrigin = 'anonymous';
    link.href = folder + file;
    document.head.appendChild(link);
  }
  fetchEarly('modulepreload', program + '.js');
  fetchEarly('preload', program + '_bg.wasm', 'fetch');
})();
