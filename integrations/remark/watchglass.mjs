// Figures of Watchglass in Docusaurus and in other sites that use remark, from fenced blocks:
//
//     ```watchglass
//     scenario: slow-client
//     at: beat:6
//     ```
//
// The plugin needs no package. It reads only `figures.json` of the folder of Watchglass in the author's own repository:
// the name of each run, and the text and the commands of each of its beats. A block becomes a `<watch-glass>` element;
// inside is what readers without scripts see. A mistake in a block ends the build, with the file and the line.
//
// `folder` is the folder of Watchglass below the site's source, `url` the address of this folder in the published site.
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

// The attributes of the element, in the order in which they are written.
const ATTRIBUTES = ['scenario', 'at', 'view', 'controls', 'theme', 'loading', 'height', 'readonly', 'group'];

export default function watchglass({ folder = 'static/watchglass', url = '/watchglass/' } = {}) {
  let figures;
  return (tree, file) => {
    let hasLoader = false;
    const visit = (parent) => {
      parent.children = parent.children.flatMap((node) => {
        if (node.children) visit(node);
        if (node.type !== 'code' || node.lang !== 'watchglass') return [node];
        const place = placeOf(node, file);
        figures ??= load(resolve(file.cwd, folder));
        const figure = element(readBlock(node.value), figures, place);
        // React 19 puts an `async` script into the head once, also when the reader comes from another page.
        const loader = hast('script', { type: 'module', async: true, src: `${url}watch-glass.js` });
        const added = hasLoader ? [figure] : [loader, figure];
        hasLoader = true;
        return added.map(toMdast);
      });
    };
    visit(tree);
  };
}

// Returns the attributes of a fenced block, one in each line: `at: beat:6`.
export function readBlock(text) {
  const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
  return Object.fromEntries(lines.map((line) => {
    const [, name, value] = /^([^:]*):?(.*)$/.exec(line);
    return [name.trimEnd(), value.trimStart()];
  }));
}

// Returns the element, with the text and the commands of its beat for readers without scripts.
function element(attributes, figures, place) {
  const { text, commands } = check(attributes, figures, place);
  const written = ATTRIBUTES.filter((name) => name in attributes)
    .map((name) => (name === 'readonly' ? ['readOnly', true] : [name, attributes[name]]));
  // Every second piece is code.
  const pieces = text.split(/`([^`]+)`/).map((piece, index) => (index % 2 ? hast('code', {}, [words(piece)]) : words(piece)));
  return hast('watch-glass', Object.fromEntries(written), [hast('figure', {}, [
    hast('p', {}, pieces),
    ...(commands ? [hast('pre', {}, [hast('code', {}, [words(commands)])])] : []),
    hast('figcaption', {}, [words(figures[attributes.scenario].title)]),
  ])]);
}

// Returns the beat that the attributes name.
export function check(attributes, figures, place) {
  const fail = (message) => { throw new Error(`${place}: ${message}`); };
  const unknown = Object.keys(attributes).find((name) => !ATTRIBUTES.includes(name));
  if (unknown !== undefined) fail(`the attribute \`${unknown}\` does not exist; use ${ATTRIBUTES.join(', ')}`);
  const { scenario, at = 'start', height = '450', readonly = '' } = attributes;
  if (!scenario) fail('the block names no run; add a line such as `scenario: slow-client`');
  if (!Object.hasOwn(figures, scenario)) {
    fail(`the run \`${scenario}\` does not exist; the nearest names are ${nearest(scenario, Object.keys(figures)).join(', ')}`);
  }
  if (!/^\d+$/.test(height)) fail(`the height \`${height}\` is no number; write pixels, such as \`height: 520\``);
  if (!['', 'true'].includes(readonly)) fail('`readonly` takes no value; remove the line if the figure accepts commands');
  if (!/^((beat|step|revision|time_us):\d+|start|end)$/.test(at)) {
    fail(`the position \`${at}\` does not exist; write \`at: beat:N\`, \`at: start\` or \`at: end\``);
  }
  const { beats } = figures[scenario];
  const [unit, number] = at.split(':');
  if (unit === 'beat' && Number(number) >= beats.length) {
    fail(`the run \`${scenario}\` has no beat ${number}; its last beat is \`at: beat:${beats.length - 1}\``);
  }
  // Only the simulator knows the text of a step, a revision or a time: readers without scripts see the introduction.
  return unit === 'end' ? beats.at(-1) : beats[unit === 'beat' ? Number(number) : 0];
}

// Returns the three names that share the most pairs of letters with `name`.
function nearest(name, names) {
  const pairs = (text) => new Set([...text].slice(1).map((letter, index) => text[index] + letter));
  const wanted = pairs(name);
  const score = (other) => {
    const found = pairs(other);
    return [...found].filter((pair) => wanted.has(pair)).length / (found.size + wanted.size);
  };
  return names.sort((a, b) => score(b) - score(a)).slice(0, 3);
}

function load(folder) {
  const path = `${folder}/figures.json`;
  if (!existsSync(path)) throw new Error(`there is no ${path}; copy the folder of Watchglass there`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

// Returns the file and the line of a block. Docusaurus removes the front matter before it counts the lines.
function placeOf(node, file) {
  if (!file.path || !existsSync(file.path)) return `line ${node.position.start.line}`;
  const source = readFileSync(file.path, 'utf8').replaceAll('\r\n', '\n');
  const removed = source.slice(0, Math.max(source.indexOf(String(file)), 0)).split('\n').length - 1;
  return `${relative(file.cwd, file.path)}:${node.position.start.line + removed}`;
}

const words = (value) => ({ type: 'text', value });
const hast = (tagName, properties, children = []) => ({ type: 'element', tagName, properties, children });

// Returns a node of Markdown that MDX and remark-rehype write as this element.
const toMdast = ({ tagName, properties, children }) => ({
  type: 'watchglass',
  data: { hName: tagName, hProperties: properties, hChildren: children },
});
