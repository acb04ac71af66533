// Moves the marks of a picture when the cursor moves. A picture is drawn by its program; this module compares the marks
// before and after, and animates the difference. It needs only the DOM, so it also serves figures without a program.
//
// A mark is an element with these attributes:
//   data-mark   its identity, such as `watcher:3`: marks with the same identity are the same mark
//   data-order  its place in the chain of causes: marks with a lower number move first, and last when time goes back
//   data-born   the same for a mark that appears or goes, if it differs
//   data-from   the identity of the mark from which a new mark comes
//   data-way    how a new mark appears: `draw` (a line draws itself, its tip travels along), `grow` (from its left end),
//               `pop` (from its middle), `none` (without an animation); otherwise the mark fades in
//
// A mark that stays moves from its old place, a mark that goes fades out, and a mark that changes without a move gets an
// outline for a moment. Readers who prefer less motion get a dashed rectangle at each old place and the outlines, both
// until the next move of the cursor. A page with the global `watchglassStill` shows no transitions.

// The name of all animations of this module.
const NAME = 'motion';
const SVG = 'http://www.w3.org/2000/svg';
const SHAPES = 'line,rect,path,text,circle';
const EASING = 'cubic-bezier(0.35, 0, 0.35, 1)';
// The duration of a transition in which all marks move at once, the time that each further order adds, and the minimum
// duration of one mark, in milliseconds.
const ONE_MS = 400;
const MORE_MS = 180;
const MARK_MS_MIN = 140;
// The part of a mark's duration after which the marks of the next order start.
const STAGGER = 0.6;
// Moves that follow each other faster than this show no transition.
const RUSH_MS = 60;
// A shorter distance is no move, in pixels.
const STILL = 0.3;
// The maximum number of old places that are drawn for readers who prefer less motion.
const GHOSTS_MAX = 40;
// The size of a mark that begins to grow, as a part of its own size.
const SMALL = 0.4;
// The distance from a mark to its outline, in pixels.
const OUTLINE = 3;

const reduced = matchMedia('(prefers-reduced-motion: reduce)');
let before = null;
let running = [];
let layers = new Map();
let lastMove = -Infinity;
// In a picture of another size, old places are wrong.
const resized = new ResizeObserver(([{ target }]) => {
  if (sizeOf(target) !== size) settle();
});
let size = '';
const sizeOf = ({ clientWidth, clientHeight }) => `${clientWidth} ${clientHeight}`;

// Ends the running transition and reads the marks of the picture in `root`. Called before the picture changes.
export function remember(root) {
  settle();
  before = globalThis.watchglassStill ? null : { root, marks: read(root) };
}

// Animates from the remembered marks to the marks of the picture in `root`, in at most `ms` milliseconds. Called after
// the picture has changed.
export function play(root, isForward, ms) {
  const now = performance.now();
  const pause = now - lastMove;
  lastMove = now;
  const old = before;
  before = null;
  if (old?.root !== root || pause < RUSH_MS) return;
  const changes = compare(old.marks, read(root));
  if (changes.length === 0) return;
  size = sizeOf(root);
  resized.observe(root);
  if (reduced.matches) show(changes);
  else animate(changes, isForward, Math.min(ms, Math.max(pause, 2 * MARK_MS_MIN)));
}

// Ends the running transition and removes everything that it has drawn.
export function settle() {
  for (const animation of running) animation.finish();
  clear();
}

function clear() {
  resized.disconnect();
  running = [];
  for (const layer of layers.values()) layer.remove();
  layers = new Map();
}

function read(root) {
  const marks = new Map();
  for (const element of root.querySelectorAll('[data-mark]')) {
    const { mark, order = '0', born = order, from, way } = element.dataset;
    const svg = element.ownerSVGElement;
    const shapes = element.matches(SHAPES) ? [element] : [...element.querySelectorAll(SHAPES)];
    marks.set(mark, {
      name: mark,
      element,
      svg,
      order: Number(order),
      born: Number(born),
      from,
      way,
      look: element.getAttribute('class'),
      at: svg ? shifted(element) : placed(element, root),
      parts: svg ? shapes.map(part) : [],
    });
  }
  return marks;
}

// Returns the translation in an element's `transform` attribute.
function shifted(element) {
  const text = element.getAttribute('transform');
  const found = text && /^translate\((\S+)[ ,]+(\S+)\)$/.exec(text);
  return found ? [Number(found[1]), Number(found[2])] : [0, 0];
}

// Returns the place of an element that is not a part of an SVG.
function placed(element, root) {
  const { x, y } = element.getBoundingClientRect();
  const area = root.getBoundingClientRect();
  return [x - area.x + root.scrollLeft, y - area.y + root.scrollTop];
}

function part(element) {
  const numbers = (...names) => names.map((name) => Number(element.getAttribute(name)));
  const tag = element.localName;
  const common = { element, tag, look: element.getAttribute('class') };
  switch (tag) {
    case 'line': return { ...common, at: numbers('x1', 'y1', 'x2', 'y2') };
    case 'rect': return { ...common, at: numbers('x', 'y', 'width', 'height') };
    case 'circle': return { ...common, at: numbers('cx', 'cy', 'r') };
    case 'text': return { ...common, at: numbers('x', 'y'), said: element.textContent };
    default: return { ...common, d: element.getAttribute('d') ?? '' };
  }
}

function compare(old, marks) {
  const changes = [];
  for (const [name, mark] of marks) {
    const was = old.get(name);
    if (!was) changes.push({ kind: 'new', mark, source: mark.from && (marks.get(mark.from) ?? old.get(mark.from)) });
    else if (was.svg ? mark.svg : !mark.svg) {
      const change = mark.svg ? changed(was, mark) : changedBox(was, mark);
      if (change) changes.push(change);
    }
  }
  for (const [name, mark] of old) {
    // An element that now shows another mark cannot show the old mark. The old numbers of an axis would be over the new.
    if (!marks.has(name) && mark.order > 0 && !mark.element.isConnected && mark.svg?.isConnected) {
      changes.push({ kind: 'gone', mark, source: mark.from && marks.get(mark.from) });
    }
  }
  return changes;
}

function changed(was, mark) {
  const own = [mark.at[0] - was.at[0], mark.at[1] - was.at[1]];
  const pairs = pairsOf(was.parts, mark.parts);
  const moves = pairs.map(([from, to]) => moveOf(from, to));
  const [first] = moves;
  const isRigid = moves.every((move) => move.shift && isSame(move.shift, first.shift));
  const shift = isRigid && first ? [own[0] + first.shift[0], own[1] + first.shift[1]] : own;
  const parts = isRigid ? [] : pairs.map(([, to], at) => ({ element: to.element, ...moves[at] })).filter(isMove);
  const isOther = was.look !== mark.look || pairs.length < mark.parts.length || was.parts.length !== mark.parts.length
    || pairs.some(([from, to]) => from.look !== to.look || from.said !== to.said);
  const hasMoved = Math.hypot(...shift) > STILL;
  if (!hasMoved && parts.length === 0 && !(isOther && mark.order > 0)) return null;
  // The axis and names need no outline.
  return { kind: 'stays', mark, shift: hasMoved ? shift : null, parts, isOther: isOther && !hasMoved && mark.order > 0 };
}

const isMove = (move) => !move.shift || Math.hypot(...move.shift) > STILL;
const isSame = (a, b) => Math.abs(a[0] - b[0]) < STILL && Math.abs(a[1] - b[1]) < STILL;

// An element that is not a part of an SVG only moves.
function changedBox(was, mark) {
  const shift = [mark.at[0] - was.at[0], mark.at[1] - was.at[1]];
  return Math.hypot(...shift) > 1 ? { kind: 'stays', mark, shift, parts: [] } : null;
}

// Pairs the shapes of a mark before and after: in their order, or if the shapes differ, by element and class.
function pairsOf(old, parts) {
  if (old.length === parts.length && old.every((was, at) => was.tag === parts[at].tag)) {
    return parts.map((to, at) => [old[at], to]);
  }
  const rest = [...old];
  return parts.flatMap((to) => {
    const at = rest.findIndex((was) => was.tag === to.tag && was.look === to.look);
    return at < 0 ? [] : [[rest.splice(at, 1)[0], to]];
  });
}

function moveOf(was, to) {
  if (to.tag === 'path') {
    if (was.d === to.d) return { shift: [0, 0] };
    const shift = pathShift(was.d, to.d);
    if (shift) return { shift };
    // Only paths with the same commands can change into each other.
    const from = form(was.d) === form(to.d) ? was.d : padded(was.d, to.d);
    return from ? { morph: [from, to.d] } : { fades: true };
  }
  const by = to.at.map((value, at) => value - was.at[at]);
  switch (to.tag) {
    case 'line': return isSame(by.slice(0, 2), by.slice(2)) ? { shift: by.slice(0, 2) } : { line: [was.at, to.at] };
    case 'rect': return Math.abs(by[2]) + Math.abs(by[3]) < STILL ? { shift: by.slice(0, 2) } : { rect: [was.at, to.at] };
    default: return { shift: by.slice(0, 2) };
  }
}

// Returns the distance between two paths of the same form; `null` if their forms differ.
function pathShift(from, to) {
  const [a, b] = [commands(from), commands(to)];
  if (a.length !== b.length) return null;
  const shift = [null, null];
  for (const [at, { letter, numbers }] of b.entries()) {
    const was = a[at];
    if (was.letter !== letter || was.numbers.length !== numbers.length) return null;
    for (const [place, number] of numbers.entries()) {
      const by = number - was.numbers[place];
      const axis = axisOf(letter, place);
      if (axis === null) {
        if (Math.abs(by) > STILL) return null;
      } else if (shift[axis] === null) shift[axis] = by;
      else if (Math.abs(shift[axis] - by) > STILL) return null;
    }
  }
  return shift.map((by) => by ?? 0);
}

// Returns the axis (0 or 1) of a number in an absolute command; `null` if the number does not depend on the place.
function axisOf(letter, place) {
  switch (letter) {
    case 'H': return 0;
    case 'V': return 1;
    case 'M': case 'L': case 'C': case 'Q': return place % 2;
    case 'A': return place % 7 > 4 ? (place % 7) - 5 : null;
    default: return null;
  }
}

// Returns a path with the commands of `to`, from the parts of a path with other commands: each part of `to` comes from a
// part at the same height, or else grows from its beginning. Returns `null` unless all commands are absolute lines.
function padded(from, to) {
  if (/[^MLHV]/.test(form(from) + form(to))) return null;
  const parts = (d) => d.match(/M[^M]*/g) ?? [];
  const old = parts(from);
  const heightOf = (d) => commands(d)[0].numbers[1];
  return parts(to).map((part) => {
    const at = old.findIndex((was) => form(was) === form(part) && Math.abs(heightOf(was) - heightOf(part)) < STILL);
    if (at >= 0) return old.splice(at, 1)[0];
    const [{ numbers: [x, y] }] = commands(part);
    return commands(part).map(({ letter }) => letter + ({ H: `${x}`, V: `${y}` }[letter] ?? `${x} ${y}`)).join('');
  }).join('');
}

const form = (d) => d.replace(/[^a-zA-Z]+/g, '');

function commands(d) {
  return [...d.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)].map(([, letter, rest]) => (
    { letter, numbers: (rest.match(/-?\d*\.?\d+/g) ?? []).map(Number) }));
}

function animate(changes, isForward, most) {
  // On an axis with another scale, all places change at once.
  const isScaled = changes.some(({ kind, mark, shift }) => kind === 'stays' && shift && mark.name.startsWith('number:'));
  const orderOf = ({ kind, mark, shift, parts }) => {
    if (kind !== 'stays') return mark.born;
    return isScaled && (shift || parts.length > 0) ? 0 : mark.order;
  };
  const orders = [...new Set(changes.map(orderOf))].sort((a, b) => (isForward ? a - b : b - a));
  const rest = orders.length - 1;
  const all = Math.min(most, ONE_MS + MORE_MS * rest);
  const duration = Math.max(all / (1 + STAGGER * rest), Math.min(MARK_MS_MIN, all));
  const step = rest > 0 ? (all - duration) / rest : 0;
  // All places are read before anything changes: a reading after a change would lay the page out again.
  const leaving = changes.filter(({ kind }) => kind === 'gone');
  for (const { mark } of leaving) takeOver(mark);
  const plan = [];
  const run = (element, frames, timing) => plan.push({ element, frames, timing });
  for (const change of changes) {
    const delay = step * orders.indexOf(orderOf(change));
    const timing = { id: NAME, duration, delay, easing: EASING, fill: 'backwards' };
    if (change.kind === 'new') bear(run, change, timing, isForward);
    else if (change.kind === 'gone') leave(run, change, timing, isForward);
    else stay(run, change, timing);
  }
  for (const { element, frames, timing } of plan) {
    const moved = typeof element === 'function' ? element() : element;
    running.push(moved.animate(frames, timing));
  }
  const mine = running;
  Promise.allSettled(mine.map((animation) => animation.finished)).then(() => {
    if (running === mine) clear();
  });
}

// Puts the element of a mark that goes into the layer of its SVG.
function takeOver({ element, svg }) {
  for (const name of Object.keys(element.dataset)) delete element.dataset[name];
  element.querySelector('title')?.remove();
  layer(svg).append(element);
}

function stay(run, { mark, shift, parts, isOther }, timing) {
  if (shift) run(mark.element, { translate: [`${-shift[0]}px ${-shift[1]}px`, '0px 0px'] }, timing);
  for (const move of parts) run(move.element, framesOf(move), timing);
  if (isOther && mark.svg) {
    if (isBox(mark)) run(outline(mark), { opacity: [0, 1, 0] }, { ...timing, fill: 'both' });
    else run(mark.element, FADING, timing);
  }
}

// The outline of a line would be a large box.
const isBox = (mark) => mark.parts.some(({ tag }) => tag === 'rect' || tag === 'text');
const hasShape = (mark) => mark.parts.some(({ tag }) => tag !== 'text' && tag !== 'line');
const FADING = { opacity: [0.15, 1] };

function framesOf(move) {
  if (move.fades) return FADING;
  if (move.shift) return { translate: [`${-move.shift[0]}px ${-move.shift[1]}px`, '0px 0px'] };
  if (move.morph) return { d: move.morph.map((d) => `path("${d}")`) };
  if (move.rect) {
    const [from, to] = move.rect;
    const names = ['x', 'y', 'width', 'height'];
    return Object.fromEntries(names.map((name, at) => [name, [`${from[at]}px`, `${to[at]}px`]]));
  }
  // A line moves as the image of its new place.
  const [[a, b, c, d], [x1, y1, x2, y2]] = move.line;
  const across = Math.abs(x2 - x1) > STILL ? (c - a) / (x2 - x1) : 1;
  const down = Math.abs(y2 - y1) > STILL ? (d - b) / (y2 - y1) : 1;
  return { translate: [`${a - across * x1}px ${b - down * y1}px`, '0px 0px'], scale: [`${across} ${down}`, '1 1'] };
}

function bear(run, { mark, source }, timing, isForward) {
  const { element, way } = mark;
  if (way === 'none') return;
  const line = way === 'draw' && mark.parts.find(({ tag }) => tag === 'line');
  if (line && isForward) drawLines(run, mark, line, timing, false);
  else if (way === 'grow' && isForward) run(element, growth(element), timing);
  else if (source && isForward) {
    const [dx, dy] = apart(source, mark);
    run(element, { translate: [`${dx}px ${dy}px`, '0px 0px'], opacity: [0, 1, 1] }, timing);
  } else if (way === 'pop' && isForward) run(element, popping(element), timing);
  else run(element, { opacity: [0, 1] }, timing);
}

function leave(run, { mark, source }, timing, isForward) {
  const { element, way } = mark;
  const lasting = { ...timing, fill: 'both' };
  const line = way === 'draw' && mark.parts.find(({ tag }) => tag === 'line');
  if (line && !isForward) drawLines(run, mark, line, lasting, true);
  else if (['grow', 'pop'].includes(way) && !isForward) {
    const frames = way === 'grow' ? growth(element) : popping(element);
    run(element, Object.fromEntries(Object.entries(frames).map(([name, values]) => [name, values.reverse()])), lasting);
  } else if (source && !isForward) {
    const [dx, dy] = apart(source, mark);
    run(element, { translate: ['0px 0px', `${dx}px ${dy}px`], opacity: [1, 1, 0] }, lasting);
  } else run(element, { opacity: [1, 0] }, lasting);
}

// Draws the lines of a mark from their beginnings; all other shapes travel along the first line.
function drawLines(run, mark, line, timing, isReversed) {
  const turn = (frames) => (isReversed ? frames.reverse() : frames);
  const [x1, y1, x2, y2] = line.at;
  for (const { element, tag, at } of mark.parts) {
    if (tag === 'line') {
      const length = Math.hypot(at[2] - at[0], at[3] - at[1]) + 1;
      run(element, { strokeDasharray: turn([`0px ${length}px`, `${length}px ${length}px`]) }, timing);
    } else run(element, { translate: turn([`${x1 - x2}px ${y1 - y2}px`, '0px 0px']) }, timing);
  }
  run(mark.element, { opacity: turn([0, 1, 1, 1, 1]) }, timing);
}

// Returns frames in which an element grows from its left end.
function growth(element) {
  const { x } = boxOf(element);
  return { translate: [`${x}px 0px`, '0px 0px'], scale: ['0 1', '1 1'] };
}

// Returns frames in which an element grows from its middle.
function popping(element) {
  const { x, y, width, height } = boxOf(element);
  const [across, down] = [x + width / 2, y + height / 2].map((middle) => middle * (1 - SMALL));
  return { translate: [`${across}px ${down}px`, '0px 0px'], scale: [`${SMALL} ${SMALL}`, '1 1'], opacity: [0, 1] };
}

// Returns the distance from the middle of a mark to the middle of its source, in the units of the mark's SVG.
function apart(source, mark) {
  if (!source.element.isConnected || !source.svg) return [0, 0];
  const [from, to] = [source, mark].map(({ element }) => element.getBoundingClientRect());
  const { a = 1, d = 1 } = mark.svg.getScreenCTM() ?? {};
  return [(from.x + from.width / 2 - to.x - to.width / 2) / a, (from.y + from.height / 2 - to.y - to.height / 2) / d];
}

const boxOf = (element) => element.getBBox();

// Returns the layer of an SVG for marks that go, for outlines and for old places.
function layer(svg) {
  let group = layers.get(svg);
  if (!group) {
    group = document.createElementNS(SVG, 'g');
    group.setAttribute('class', 'wg-motion');
    svg.append(group);
    layers.set(svg, group);
  }
  return group;
}

// Adds a rectangle around a place to the layer of an SVG.
function box(svg, name, { x, y, width, height }, grown) {
  const rect = document.createElementNS(SVG, 'rect');
  const place = { class: name, x: x - grown, y: y - grown, width: width + 2 * grown, height: height + 2 * grown, rx: 4 };
  for (const [attribute, value] of Object.entries(place)) rect.setAttribute(attribute, value);
  layer(svg).append(rect);
  return rect;
}

// Returns a function that adds the outline of a mark.
function outline({ element, svg, at }) {
  const { x, y, width, height } = boxOf(element);
  return () => box(svg, 'wg-motion-changed', { x: x + at[0], y: y + at[1], width, height }, OUTLINE);
}

// Draws old places and outlines instead of motion.
function show(changes) {
  let ghosts = 0;
  for (const { kind, mark, shift, parts, isOther } of changes) {
    // Of the axis and of texts, old places would only hide what has changed.
    if (!mark.svg || kind === 'gone' || mark.order === 0) continue;
    if (kind === 'new' || isOther) {
      if (isBox(mark)) outline(mark)();
    }
    else if (shift && hasShape(mark) && ghosts < GHOSTS_MAX) {
      const { x, y, width, height } = boxOf(mark.element);
      const [left, top] = [x + mark.at[0] - shift[0], y + mark.at[1] - shift[1]];
      box(mark.svg, 'wg-motion-ghost', { x: left, y: top, width, height }, 0);
      ghosts += 1;
    }
    for (const { rect } of parts ?? []) {
      if (!rect || ghosts >= GHOSTS_MAX) continue;
      const [[x, y, width, height]] = rect;
      box(mark.svg, 'wg-motion-ghost', { x, y, width, height }, 0);
      ghosts += 1;
    }
  }
}
