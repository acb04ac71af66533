// The filters of the catalogue (scenarios.html): words, topic, level, length, and whether this browser has opened the
// run. The address keeps the filters, so that a link can name them. Without scripts, the page has no filters.
const form = document.querySelector('#catalogue');
const status = form.querySelector('[role="status"]');
const sections = [...document.querySelectorAll('.front-list > section')].map((section) => ({
  section,
  title: section.querySelector('h2').textContent,
  cards: [...section.querySelectorAll('.front-card')].map((card) => ({
    card,
    text: card.dataset.words.concat(' ', card.textContent).toLowerCase(),
    name: [...new URL(card.href).searchParams][0].join('='),
  })),
}));
const topics = sections.filter((one) => one.cards.length > 0);
form.elements.topic.append(...topics.map(({ title }) => new Option(title)));
const all = topics.reduce((sum, { cards }) => sum + cards.length, 0);
const jumps = document.querySelector('.front-jumps');

// Returns the queries of the runs that were opened: `lesson=L04`, `scenario=slow-client`. The app appends to this list.
function opened() {
  try {
    return new Set((localStorage.getItem('watchglass.1.opened') ?? '').split('\n'));
  } catch {
    return new Set();
  }
}

function show() {
  const wanted = Object.fromEntries([...new FormData(form)].filter(([, value]) => value.trim() !== ''));
  const words = (wanted.words ?? '').toLowerCase().split(/\s+/);
  const known = wanted.fresh ? opened() : new Set();
  // Links would lead to sections that are hidden.
  const isFiltered = Object.keys(wanted).length > 0;
  jumps.hidden = isFiltered;
  let count = 0;
  for (const { section, title, cards } of sections) {
    let left = 0;
    for (const { card, text, name } of cards) {
      card.hidden = !(
        words.every((word) => text.includes(word))
        && (!wanted.topic || wanted.topic === title)
        && (!wanted.level || wanted.level === card.dataset.level)
        && (!wanted.minutes || Number(card.dataset.minutes) <= Number(wanted.minutes))
        && !known.has(name)
      );
      left += Number(!card.hidden);
    }
    section.hidden = isFiltered && left === 0;
    count += left;
  }
  status.textContent = count === 0 ? 'No run fits. Remove a filter.' : `${count} of ${all}`;
  const query = new URLSearchParams(wanted).toString();
  history.replaceState(null, '', (query ? `?${query}` : location.pathname) + location.hash);
}

for (const [name, value] of new URLSearchParams(location.search)) {
  const field = form.elements[name];
  if (field?.type === 'checkbox') field.checked = true;
  else if (field) field.value = value;
}
form.addEventListener('input', show);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('reset', () => setTimeout(show));
// Back from a run, the list of opened runs has grown.
window.addEventListener('pageshow', show);
form.hidden = false;
show();
