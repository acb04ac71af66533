// For browsers from before 2018, which do not run modules. Written in old JavaScript.
(function () {
  var places = document.querySelectorAll('.wg-boot');
  for (var i = 0; i < places.length; i += 1) {
    places[i].hidden = false;
    places[i].textContent = 'This browser is too old to run Watchglass: it needs WebAssembly and JavaScript modules, ' +
      'which all browsers since 2018 have.';
  }
})();
