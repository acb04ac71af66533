// Turns a picture of the page into one SVG that looks the same without the page's style sheets: for a file, and for the
// HTML of a figure. Boxes and texts of HTML become shapes; shapes of SVG keep theirs. Styles become attributes, because a
// strict Content-Security-Policy forbids `style`. Controls are left out.

const SVG = 'http://www.w3.org/2000/svg';
// The properties that an element gets from its parent, and all others with their initial values.
const INHERITED = [
  'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'paint-order',
  'font-family', 'font-size', 'font-style', 'font-weight', 'letter-spacing', 'text-anchor', 'dominant-baseline',
];
const OWN = { opacity: '1', 'text-decoration-line': 'none', 'clip-path': 'none', 'vector-effect': 'none' };
const TEXT = ['font-family', 'font-size', 'font-style', 'font-weight', 'letter-spacing'];
const LOOKS = /^(class|style|id|tabindex|role|data-.*|aria-.*|on.*|transform|xmlns)$/;
const CONTROLS = '.wg-button, select, input';
// The number of pixels of a PNG per CSS pixel.
const SCALE = 2;
const INLINE_HEIGHT = 380;

const round = (number) => Math.round(number * 100) / 100;
const isClear = (colour) => /^(transparent|rgba\(.*, 0\))$/.test(colour);

// Returns a picture as a blob. `label` is its text alternative. The format is `svg` or `png`, or `inline`: SVG for the
// HTML of a figure, which is as wide as its place and leaves room for a caption.
export async function draw(element, format, label) {
  const svg = new Drawing(element, label).text(format === 'inline' ? { width: '100%', height: INLINE_HEIGHT } : {});
  if (format !== 'png') return new Blob([svg], { type: 'image/svg+xml' });
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width * SCALE, height: image.height * SCALE });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve); });
}

class Drawing {
  #root; #left; #top; #zoom; #defs;
  #prefix = `wg${Math.random().toString(36).slice(2, 8)}-`;
  #count = 0;
  // The ids of the defs that are in the drawing.
  #known = new Set();
  #pen = document.createElement('canvas').getContext('2d');
  #base;

  constructor(element, label) {
    const { left, top } = element.getBoundingClientRect();
    [this.#left, this.#top, this.#zoom] = [left, top, zoomOf(element)];
    const style = getComputedStyle(element);
    const { width, height } = this.#place(element);
    this.#root = make('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label || element.closest('[aria-label]')?.ariaLabel });
    this.#base = Object.fromEntries(INHERITED.map((name) => [name, getComputedStyle(this.#root).getPropertyValue(name)]));
    for (const name of TEXT) this.#base[name] = set(this.#root, name, style.getPropertyValue(name));
    this.#defs = make('defs');
    this.#root.append(this.#defs, make('rect', { width: '100%', height: '100%', fill: groundOf(element) }));
    this.#box(element, style, this.#root);
    this.#inside(element, this.#clipped(element, style, this.#root));
    if (!this.#defs.childNodes.length) this.#defs.remove();
  }

  text(size) {
    Object.entries(size).forEach(([name, value]) => this.#root.setAttribute(name, value));
    return new XMLSerializer().serializeToString(this.#root);
  }

  // --- HTML ---

  #inside(element, place) {
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) this.#lines(node, place);
      else if (node.nodeType === Node.ELEMENT_NODE) this.#element(node, place);
    }
  }

  #element(element, place) {
    if (element.matches(CONTROLS) || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return;
    const style = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    // Texts for screen readers have one pixel.
    if (width <= 1 && height <= 1) return;
    if (element instanceof SVGSVGElement) this.#svg(element, style, place);
    else if (element instanceof HTMLCanvasElement) place.append(make('image', { ...this.#place(element), href: element.toDataURL() }));
    else {
      let inner = place;
      if (style.opacity !== '1') place.append(inner = make('g', { opacity: style.opacity }));
      this.#box(element, style, inner);
      this.#inside(element, this.#clipped(element, style, inner));
    }
  }

  #place(element) {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: this.#across(left), y: this.#down(top), width: round(width / this.#zoom), height: round(height / this.#zoom) };
  }

  #across(left) { return round((left - this.#left) / this.#zoom); }

  #down(top, more = 0) { return round((top - this.#top) / this.#zoom + more); }

  // Draws the background of a box, its border, its outline, and the lines that a shadow draws inside the box.
  #box(element, style, place) {
    const { x, y, width, height } = this.#place(element);
    const radius = Math.min(Number.parseFloat(style.borderTopLeftRadius) || 0, height / 2);
    const add = (left, top, across, down, looks) => place.append(make('rect', {
      x: round(left), y: round(top), width: round(Math.max(across, 0)), height: round(Math.max(down, 0)), rx: radius ? round(radius) : null, ...looks,
    }));
    const ring = (by, line, stroke, looks) => add(x + by, y + by, width - 2 * by, height - 2 * by, { fill: 'none', stroke, 'stroke-width': round(line), ...looks });
    const fill = isClear(style.backgroundColor) ? 'none' : style.backgroundColor;
    const sides = ['Top', 'Right', 'Bottom', 'Left'].map((side) => ({
      line: style[`border${side}Style`] === 'none' ? 0 : Number.parseFloat(style[`border${side}Width`]),
      colour: style[`border${side}Color`],
    }));
    const [first, right, bottom] = sides;
    if (first.line > 0 && sides.every((side) => side.line === first.line && side.colour === first.colour)) {
      const dash = { dashed: 3, dotted: 1 }[style.borderTopStyle];
      ring(first.line / 2, first.line, first.colour, { fill, 'stroke-dasharray': dash && round(dash * first.line) });
    } else {
      if (fill !== 'none') add(x, y, width, height, { fill });
      sides.forEach(({ line, colour }, at) => {
        if (line === 0 || isClear(colour)) return;
        const [left, top] = [at === 1 ? x + width - right.line : x, at === 2 ? y + height - bottom.line : y];
        add(left, top, at % 2 ? line : width, at % 2 ? height : line, { fill: colour, rx: null });
      });
    }
    const outline = style.outlineStyle === 'none' || element.matches(':focus') ? 0 : Number.parseFloat(style.outlineWidth);
    if (outline > 0) ring(-Number.parseFloat(style.outlineOffset) - outline / 2, outline, style.outlineColor);
    const shadow = /^(rgba?\(.*?\)) ([\d.]+)px 0px 0px ([\d.]+)px inset$/.exec(style.boxShadow);
    if (!shadow) return;
    const [, colour, bar, line] = shadow;
    if (Number(line) > 0) ring(line / 2, Number(line), colour);
    else add(x, y, Number(bar), height, { fill: colour, rx: null });
  }

  // Returns the place of an element's content, which a scrolled or full element cuts off at its edges.
  #clipped(element, style, place) {
    const isFull = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
    if (!isFull || (style.overflowX === 'visible' && style.overflowY === 'visible')) return place;
    const id = `${this.#prefix}${this.#count += 1}`;
    const clip = make('clipPath', { id });
    clip.append(make('rect', this.#place(element)));
    this.#defs.append(clip);
    const inner = make('g', { 'clip-path': `url(#${id})` });
    place.append(inner);
    return inner;
  }

  // Draws a text, one element for each of its lines.
  #lines(node, place) {
    if (!node.data.trim()) return;
    const style = getComputedStyle(node.parentElement);
    const isPlain = style.whiteSpaceCollapse === 'collapse';
    const range = document.createRange();
    const lines = [];
    for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
      for (const { from, to, rect } of pieces(range, node, index, index + word.length)) {
        const line = lines.at(-1);
        if (line && Math.abs(line.top - rect.top) < 2 && rect.left >= line.right - 1) Object.assign(line, { to, right: rect.right });
        else lines.push({ from, to, top: rect.top, left: rect.left, right: rect.right });
      }
    }
    this.#pen.font = style.font;
    const { fontBoundingBoxAscent: ascent } = this.#pen.measureText('x');
    for (const { from, to, top, left, right } of lines) {
      let text = node.data.slice(from, to);
      text = isPlain ? text.replace(/\s+/g, ' ') : text.replace(/\s/g, '\u00a0');
      if (style.textTransform === 'uppercase') text = text.toUpperCase();
      const drawn = make('text', {
        x: this.#across(left), y: this.#down(top, ascent), fill: style.color, textLength: round((right - left) / this.#zoom), lengthAdjust: 'spacingAndGlyphs',
      });
      this.#style(drawn, style, TEXT, this.#base);
      if (style.textDecorationLine !== 'none') set(drawn, 'text-decoration', style.textDecorationLine);
      drawn.append(text);
      place.append(drawn);
    }
  }

  // --- SVG ---

  #svg(element, style, place) {
    const svg = make('svg', { ...this.#place(element), overflow: style.overflowX === 'visible' ? 'visible' : null });
    const { width, height } = element.getBoundingClientRect();
    const [across, down] = [width, height].map((size) => round(size / zoomOf(element)));
    svg.setAttribute('viewBox', element.getAttribute('viewBox') ?? `0 0 ${across} ${down}`);
    if (element.hasAttribute('preserveAspectRatio')) svg.setAttribute('preserveAspectRatio', element.getAttribute('preserveAspectRatio'));
    const base = this.#style(svg, style, INHERITED, this.#base);
    this.#own(svg, style);
    place.append(svg);
    this.#shapes(element, svg, base);
  }

  #shapes(from, to, base) {
    for (const node of from.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
      if (node.nodeType !== Node.ELEMENT_NODE || node.matches('title, desc, defs')) continue;
      const style = getComputedStyle(node);
      if (style.display === 'none' || (style.visibility === 'hidden' && !node.childElementCount) || style.opacity === '0') continue;
      to.append(this.#shape(node, style, base));
    }
  }

  #shape(node, style, base) {
    const copy = document.createElementNS(SVG, node.localName);
    for (const { name, value } of node.attributes) {
      if (!LOOKS.test(name) && !INHERITED.includes(name) && !(name in OWN)) copy.setAttribute(name, value);
    }
    if (style.transform !== 'none' && node.getCTM) {
      const { a, b, c, d, e, f } = node.parentNode.getCTM().inverse().multiply(node.getCTM());
      copy.setAttribute('transform', `matrix(${[a, b, c, d, e, f].map((number) => Number(number.toFixed(5))).join(' ')})`);
    }
    const inner = this.#style(copy, style, INHERITED, base);
    this.#own(copy, style);
    this.#shapes(node, copy, inner);
    return copy;
  }

  // Writes the properties whose values differ from those of the parent; returns the values for the children.
  #style(copy, style, names, base) {
    const values = { ...base };
    for (const name of names) {
      const value = style.getPropertyValue(name);
      if (value !== base[name]) set(copy, name, this.#local(value));
      values[name] = value;
    }
    return values;
  }

  #own(copy, style) {
    for (const [name, initial] of Object.entries(OWN)) {
      const value = style.getPropertyValue(name);
      if (value && value !== initial) set(copy, name === 'text-decoration-line' ? 'text-decoration' : name, this.#local(value));
    }
  }

  // Takes the pattern or clip of a value into the drawing, and returns the value with its new address.
  #local(value) {
    return value.replace(/url\("?[^"#)]*#([^")]+)"?\)/g, (_, id) => {
      const found = document.getElementById(id);
      if (found && !this.#known.has(id)) {
        this.#known.add(id);
        const copy = this.#shape(found, getComputedStyle(found), this.#base);
        copy.id = this.#prefix + id;
        this.#defs.append(copy);
      }
      return `url(#${this.#prefix}${id})`;
    });
  }
}

function make(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  return made;
}

function set(element, name, value) {
  element.setAttribute(name, value.replace(/(\d)px\b/g, '$1'));
  return value;
}

// Returns the factor by which `zoom` (presenter mode, large pictures) enlarges an element.
const zoomOf = (element) => element.currentCSSZoom ?? 1;

// Returns the colour behind an element.
function groundOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (!isClear(backgroundColor)) return backgroundColor;
  }
  return getComputedStyle(document.documentElement).colorScheme === 'dark' ? '#000' : '#fff';
}

// Returns the pieces of a word that are on a line each, with their places.
function pieces(range, node, from, to) {
  const rectOf = (start, end) => {
    range.setStart(node, start);
    range.setEnd(node, end);
    return range.getClientRects();
  };
  const whole = rectOf(from, to);
  if (whole.length === 0) return [];
  if (whole.length === 1) return [{ from, to, rect: whole[0] }];
  return Array.from({ length: to - from }, (_, at) => ({ from: from + at, to: from + at + 1, rect: rectOf(from + at, from + at + 1)[0] }))
    .filter(({ rect }) => rect);
}
