// Finds the texts of a page that are not in the pseudo-language.
import { existsSync, readFileSync } from 'node:fs';

// The folders with the files of runs.
const RUNS = ['engine/tests/behaviour/', 'engine/tests/behaviour/stories/', 'engine/src/scenario/lessons/'];

// Elements whose texts are data: commands, their output, keys and values. The poster is static HTML.
const DATA = '.is-code, .cl-call-name, .loom-svg text:not([class]), code, kbd, pre, samp, script, style, noscript, #poster';
// Elements with the formatted texts of stories and lessons, which are files of their own, and with the help of commands.
const CONTENT = [
  'body [lang]', '.wg-beat', '.wg-ways', '.lesson-goal', '.lesson-say', '.lesson-note', '.lesson-task', '.lesson-parts',
  '.lesson-predict', '.lesson-end', '.wg-lesson > [role=status]',
].join(', ');
// Attributes that a person hears or sees.
const ATTRIBUTES = ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'placeholder', 'alt'];
// Names in the interfaces of etcd and of Kubernetes.
const NAMES = ['Any', 'Exact', 'NotOlderThan', 'Put', 'Range', 'DeleteRange', 'Txn', 'LeaseGrant'];

// Returns the texts of a run's file: its titles, each comment, and each line of a command or its output. An empty run has
// no file.
export function textsOf(run) {
  const file = RUNS.map((folder) => new URL(`../../${folder}${run}.txt`, import.meta.url)).find((name) => existsSync(name));
  if (!file) return [];
  const lines = readFileSync(file, 'utf8').replaceAll(/(?<=^# .*)\n# /gm, ' ').split('\n');
  return lines.map((line) => line.replace(/^#(?:! \w+:|: \w+) /, ''));
}

// Returns the parts of texts with at least two plain words in a row, and the single words that begin with a capital
// letter, each with the element that contains the text. `known` has the texts of the run and its commands. These texts
// are content, also as a part of an accented text.
export function plainTexts(page, known = []) {
  return page.evaluate(([known, data, attributes, names]) => {
    // Removes digits, punctuation and spaces at both ends, and the quotes of pipes in commands.
    const trim = (text) => text.replaceAll("'|'", '|').replace(/^[^\p{L}/]+|[^\p{L}\p{N}]+$/gu, '');
    const knownTexts = new Set(known.map(trim));
    // An element that must not be translated contains a command or a name, and has a command as its title.
    const isUntranslated = (element) => element.closest('[translate]')?.getAttribute('translate') === 'no';
    const isData = (element) => element.closest(data) || isUntranslated(element);
    // A request to an API server, and a change of an object: `LIST pods -n default rv=0`, `put pods/default/web-1`.
    const isRequest = (text) => /^(?:[A-Z]{3,} [a-z]+|(?:put|delete) [a-z]+\/)\S*(?: -\S+| (?<=-n )\S+| [a-z-]+=\S+| continue)*$/.test(text);
    // An error text of etcd or of Kubernetes.
    const isError = (text) => /^(?:etcdserver: |Timeout: Too large |context deadline exceeded$|storage is \(re\)initializing$)/.test(text);
    const isKnown = (part) => {
      const text = trim(part);
      if (knownTexts.has(text) || isRequest(text) || isError(text)) return true;
      return part.endsWith('…') && [...knownTexts].some((known) => known.startsWith(text));
    };
    const isPlain = (part) => /[A-Za-z]{2,} [a-z]{2,}/.test(part) && !isKnown(part);
    const plainPart = (text) => {
      if (/^\s*[A-Z][a-z]{2,}\s*$/.test(text)) return names.includes(text.trim()) ? undefined : text;
      const parts = text.split(/[\u00c0-\u02af\u1e00-\u1eff]+/);
      return parts.filter(isPlain).find((part) => part.split(/[,.:] /).some(isPlain));
    };
    const found = new Set();
    const note = (element, text) => {
      const part = plainPart(text);
      if (!part) return;
      const name = [element.tagName.toLowerCase(), ...element.classList].join('.');
      found.add(`${name}: ${part.trim().slice(0, 100)}`);
    };
    const all = [];
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
      const [element, text] = [nodes.currentNode.parentElement, nodes.currentNode.data];
      if (isData(element)) knownTexts.add(trim(text));
      else all.push([element, text]);
    }
    for (const name of attributes) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        const text = element.getAttribute(name);
        if (name === 'title' && isUntranslated(element)) knownTexts.add(trim(text));
        else if (!element.closest(data)) all.push([element, text]);
      }
    }
    for (const [element, text] of all) note(element, text);
    return [...found].sort();
  }, [known, `${DATA}, ${CONTENT}`, ATTRIBUTES, NAMES]);
}
