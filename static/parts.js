// In presenter mode and in a figure, each part of a view is shown completely or not at all, because nobody scrolls
// during a presentation, and because the mouse wheel over a figure should scroll the page around the figure.

// A part that the picture can do without.
const PART = '.wg-part';
// The guarantees below a picture can be left out, too.
const FOOT = '.wg-view-foot:has(.watch-lamps)';
// A part that is not shown, and a foot that shows only the names of the parts that are not shown.
const LEFT_OUT = 'is-left-out';
const ONLY_NAMES = 'has-only-names';
// The fraction of a pixel by which rounded heights may exceed the room.
const ROUNDING = 0.9;

// Leaves out the parts of the view in `root` that do not fit whole, also each time the height of the view or of its
// content changes. `say` returns the sentence about the parts that are left out: it gets pairs of a name and the number
// of rows, which is 0 for a part that is no table. Returns a function that stops.
export function keepWhole(root, say) {
  let stop = keepViewWhole(root, say);
  // The code of a view can arrive later than the page is drawn.
  const arrivals = new MutationObserver(() => {
    stop();
    stop = keepViewWhole(root, say);
  });
  arrivals.observe(root.querySelector('.wg-picture') ?? root, { childList: true });
  return () => {
    arrivals.disconnect();
    stop();
  };
}

function keepViewWhole(root, say) {
  const scroller = root.querySelector('.wg-view-scroll');
  if (!scroller) return () => {};
  const leave = () => leaveOut(scroller, say);
  leave();
  let next = 0;
  const observer = new ResizeObserver(() => {
    leave();
    // Once more, because this change can also change the heights of parts that are not shown, which cannot be observed.
    cancelAnimationFrame(next);
    next = requestAnimationFrame(leave);
  });
  observer.observe(scroller);
  if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
  return () => {
    observer.disconnect();
    cancelAnimationFrame(next);
  };
}

// Shows all parts of the view in `root`.
export function showAll(root) {
  const scroller = root.querySelector('.wg-view-scroll');
  if (scroller) restore(scroller);
}

function restore(scroller) {
  const foot = scroller.parentElement.querySelector(FOOT);
  const parts = [...scroller.querySelectorAll(PART)];
  for (const part of foot ? [...parts, foot] : parts) part.classList.remove(LEFT_OUT, ONLY_NAMES);
  // Without the names of earlier parts, the legend may need fewer lines.
  scroller.parentElement.querySelector('.wg-view-foot')?.removeAttribute('data-left-out');
  return { parts, foot };
}

// Leaves out the parts that end below the lower edge of `scroller`. If the rest is still too high, the foot shows only
// the names of these parts, or is hidden if there are no names. If a part is left out and a lower part then fits, the
// lower part is shown.
function leaveOut(scroller, say) {
  const { parts, foot } = restore(scroller);
  const content = scroller.firstElementChild;
  if (!content) return;
  const room = () => scroller.getBoundingClientRect().height + ROUNDING;
  const bottom = content.getBoundingClientRect().top + room();
  // The picture can name a part that it leaves out itself.
  const omitted = scroller.querySelector('[data-omitted]')?.dataset.omitted;
  const names = omitted ? [[omitted, 0]] : [];
  const tables = new Map();
  for (const part of parts) {
    // A table needs room for its first row; its other rows are parts of their own.
    const shown = part.querySelector(PART) ?? part;
    if (shown.getBoundingClientRect().bottom <= bottom) continue;
    part.classList.add(LEFT_OUT);
    const table = part.parentElement.closest(PART)?.ariaLabel;
    if (table) tables.set(table, (tables.get(table) ?? 0) + 1);
    else if (part.ariaLabel) names.push([part.ariaLabel, 0]);
  }
  names.push(...tables);
  if (names.length > 0) scroller.parentElement.querySelector('.wg-view-foot')?.setAttribute('data-left-out', say(names));
  if (foot && content.getBoundingClientRect().height > room()) foot.classList.add(names.length > 0 ? ONLY_NAMES : LEFT_OUT);
}
