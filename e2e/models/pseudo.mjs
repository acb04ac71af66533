// Finds the texts of a page that are not in the pseudo-language.

// Elements whose texts are data: commands, their output, keys and values.
const DATA = '.is-code, code, kbd, pre, samp, script, style, noscript';
// Elements with the texts of runs and lessons, which are files of their own, and with the help of commands.
const CONTENT = [
  '.wg-run-title', '.wg-story-title', '.wg-beat', '.wg-ways', '.lesson-goal', '.lesson-say', '.lesson-note', '.lesson-task',
  '.lesson-parts', '.lesson-predict', '.lesson-end', '.wg-choice[lang]',
  '.wg-lesson > [role=status]', '.wg-entry', '.wg-late', '.wg-figure h1', '.lesson-card-text > :not(small)',
  '.wg-marks title', '.cl-call-name',
].join(', ');
// Commands and requests in a text, at its start or after other words: they are data.
const COMMANDS = new RegExp(`(^|[^ -~]:? |: |, )(${[
  '(apiserver|clock|cost|crash|delete|fault|kubectl|load|net|pause|put|qos|resume|set|stop|watch) [^,]*',
  '(CREATE|DELETE|GET|LIST|PATCH|UPDATE|WATCH) pods[^,:]*?(?= [^ -~]|$)',
].join('|')})`, 'gm');
// Values of the Kubernetes API, and operations of etcd's API.
const VALUES = /^(Any|Exact|NotOlderThan|Put|Range|DeleteRange|Txn|LeaseGrant)$/;
// Attributes that a person hears or sees.
const ATTRIBUTES = ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'placeholder', 'alt'];

// Returns the texts with at least two plain words in a row, and the single words that begin with a capital letter, each
// with the element that contains the text.
export function plainTexts(page) {
  return page.evaluate(([data, attributes, commands, values]) => {
    const isSentence = (text) => /[A-Za-z]{2,} [a-z]{2,}/.test(text) || /^\s*[A-Z][a-z]{2,}\s*$/.test(text);
    const isPlain = (text) => !values.test(text.trim()) && isSentence(text.replace(commands, '$1'));
    const found = new Set();
    const note = (element, text) => {
      if (!isPlain(text) || element.closest(data)) return;
      const name = [element.tagName.toLowerCase(), ...element.classList].join('.');
      found.add(`${name}: ${text.trim().slice(0, 100)}`);
    };
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) note(nodes.currentNode.parentElement, nodes.currentNode.data);
    for (const name of attributes) {
      for (const element of document.querySelectorAll(`[${name}]`)) note(element, element.getAttribute(name));
    }
    return [...found].sort();
  }, [`${DATA}, ${CONTENT}`, ATTRIBUTES, COMMANDS, VALUES]);
}
