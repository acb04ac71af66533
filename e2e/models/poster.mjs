// The picture of a figure, drawn by the program or taken from a tape.

// Returns the visible texts of a figure, with their positions.
export const texts = (root) => root.evaluate((element) => {
  const found = [];
  for (const part of element.querySelectorAll('.wg-figure-head > :first-child, .wg-picture *, .wg-figure-caption *')) {
    const own = [...part.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join('').trim();
    if (!own || part.closest('.wg-unseen, title, option') || !part.checkVisibility({ visibilityProperty: true })) continue;
    const { x, y } = part.getBoundingClientRect();
    found.push(`${own} ${Math.round(x)} ${Math.round(y)}`);
  }
  return found.sort();
});
