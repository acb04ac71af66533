// The button for light and dark colours on the pages without the app (index.html before a run is opened,
// scenarios.html). The app reads the choice from the same settings.
const root = document.documentElement;
const PREFS = 'watchglass.1.prefs';

const dark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches);
const button = document.querySelector('#front-theme');
const label = () => button.setAttribute('aria-label', isDark() ? 'Light colours' : 'Dark colours');
button.hidden = false;
button.onclick = () => {
  const theme = isDark() ? 'light' : 'dark';
  root.dataset.theme = theme;
  label();
  try {
    const kept = localStorage.getItem(PREFS) ?? '1';
    localStorage.setItem(PREFS, `${kept.replace(/ theme=\w+/, '')} theme=${theme}`);
  } catch {
    // Without storage, the theme lasts until the page is closed.
  }
};
label();
