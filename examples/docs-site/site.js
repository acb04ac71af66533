// What a page may do with its figures: follow them, drive them, and have its own theme.
const root = document.documentElement;
const theme = document.querySelector('#theme');
theme.onclick = () => {
  const dark = root.dataset.theme !== 'dark';
  root.dataset.theme = dark ? 'dark' : 'light';
  theme.textContent = dark ? 'Light' : 'Dark';
};

const figure = document.querySelector('#generations');
const told = document.querySelector('#told');
figure.addEventListener('step', ({ detail }) => {
  told.textContent = `the first figure stands at step ${detail.step} of ${detail.steps}, revision ${detail.revision}.`;
});
