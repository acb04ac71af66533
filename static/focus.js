// Marks the parts of a picture that belong to the focus of a beat, scrolls to them, and dims all other parts.
//
// The drawing area has the names of the focus in `data-focus`, one per line: identities of parts (`data-mark`), such as
// `spot:12`, or identities without their kinds, such as `api-1`. A part outside the pictures has its name in `data-of`.
// The style sheet dims the parts without `data-focused`, except the axis.

// The distance between the top of the drawing area and the focus, in pixels; leaves room for sticky headers.
const MARGIN = 64;

// Marks the parts that belong to the focus of the drawing area `stage`; scrolls to the first of them if `isNew`. Returns
// true if there are such parts.
export function focus(stage, isNew) {
  for (const part of stage.querySelectorAll('[data-focused]')) part.removeAttribute('data-focused');
  const names = (stage.dataset.focus ?? '').split('\n').filter(Boolean);
  const parts = names.length > 0 ? [...stage.querySelectorAll('[data-mark]:not([data-order="0"]), [data-of]')] : [];
  const focused = parts.filter(({ dataset }) => belongs(dataset.mark ?? dataset.of, names));
  for (const part of focused) part.setAttribute('data-focused', '');
  stage.toggleAttribute('data-has-focus', focused.length > 0);
  if (isNew && focused.length > 0) scrollTo(stage, focused[0]);
  return focused.length > 0;
}

// Returns true if the identity of a part, such as `event:api-1/5`, has one of the names.
function belongs(identity, names) {
  const id = identity.slice(identity.indexOf(':') + 1);
  return names.some((name) => identity === name || (id.startsWith(name) && /^$|^[/: ]/.test(id.slice(name.length))));
}

function scrollTo(stage, part) {
  const [room, it] = [stage, part].map((element) => element.getBoundingClientRect());
  const above = it.top - room.top - MARGIN;
  const below = it.bottom - room.bottom + MARGIN / 2;
  if (above < 0 || below > 0) stage.scrollTop += Math.trunc(above);
}
