// The advice in a page that was opened from a folder: browsers run the programs of Watchglass only in pages from a server
// (modules and workers), or in one file that contains them all (xtask/src/site/offline/single.js).
(function () {
  var isBuilt = /\/release-\w+\/static\//.test(document.currentScript.src);
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', advise);
  else advise();

  function advise() {
    document.documentElement.className = 'is-plain is-front';
    document.title = 'Opened from a folder · Watchglass';
    // With this class, static/arrivals.js shows no message.
    var main = make('main', 'wg-lost wg-failure', make('h1', '', 'This page was opened from a folder.'));
    if (isBuilt) {
      var file = make('a', '', 'watchglass.html');
      file.href = 'watchglass.html';
      main.append(
        make('p', '', 'Browsers do not run its programs there. There are two other ways. Neither needs a network.'),
        make('p', '', 'Open ', file, ', which contains the programs, the lessons, the stories and the runs.'),
        make('p', '', 'Or serve the folder: run ', make('code', '', 'python3 -m http.server'), ' in it, and open ',
          make('code', '', 'http://localhost:8000'), '.')
      );
    } else {
      main.append(make('p', '', 'This folder contains the sources. Run ', make('code', '', 'cargo xtask serve'),
        ', which builds the page, serves it and opens it.'));
    }
    document.body.replaceChildren(main);
  }

  function make(name, className) {
    var element = document.createElement(name);
    element.className = className;
    element.append.apply(element, Array.prototype.slice.call(arguments, 2));
    return element;
  }
})();
