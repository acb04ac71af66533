// Tests of ../remark/watchglass.mjs without Docusaurus.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { check, readBlock, default as watchglass } from '../remark/watchglass.mjs';

const FIGURES = JSON.parse(readFileSync(new URL('figures.json', import.meta.url), 'utf8'));
const FILE = { cwd: import.meta.dirname, path: '', toString: () => '' };
const block = (value, line = 1) => ({ type: 'code', lang: 'watchglass', value, position: { start: { line } } });

function transformed(...children) {
  const tree = { type: 'root', children };
  watchglass({ folder: '.', url: '/docs/watchglass/' })(tree, FILE);
  return tree.children;
}

test('a block becomes an element with the text and the commands of its beat', () => {
  const [loader, { data }] = transformed(block('scenario: slow-client\nat: beat:7\nreadonly'));
  assert.deepEqual(loader.data.hProperties, { type: 'module', async: true, src: '/docs/watchglass/watch-glass.js' });
  assert.equal(data.hName, 'watch-glass');
  assert.deepEqual(data.hProperties, { scenario: 'slow-client', at: 'beat:7', readOnly: true });
  const [text, commands, title] = data.hChildren[0].children;
  assert.match(text.children[0].value, /^The channel is full/);
  assert.equal(commands.children[0].children[0].value, '$ put /jobs/7 queued\nOK\n');
  assert.equal(title.children[0].value, 'A slow client');
});

test('the loader comes once, also for blocks in other nodes; other code stays', () => {
  const other = { type: 'code', lang: 'rust', value: 'let a;' };
  const item = { type: 'listItem', children: [block('scenario: slow-client')] };
  const [list, figure, code] = transformed(item, block('scenario: slow-client'), other);
  assert.deepEqual(list.children.map(({ data }) => data.hName), ['script', 'watch-glass']);
  assert.equal(figure.data.hName, 'watch-glass');
  assert.equal(code, other);
});

test('without a position the introduction is shown, and at the end the last beat', () => {
  const { beats } = FIGURES['slow-client'];
  assert.equal(check({ scenario: 'slow-client' }, FIGURES, ''), beats[0]);
  assert.equal(check(readBlock('scenario: slow-client\r\nat: end\r'), FIGURES, ''), beats[12]);
});

test('mistakes name the place and say how to fix them', () => {
  for (const [text, words] of [
    ['at: end', 'names no run'],
    ['scenario: slow-clyent', 'the nearest names are slow-client'],
    ['scenario: slow-client\nhight: 3', 'the attribute `hight` does not exist; use scenario, at'],
    ['scenario: slow-client\nat: beat:13', 'has no beat 13; its last beat is `at: beat:12`'],
    ['scenario: slow-client\nat: 6', 'the position `6` does not exist'],
    ['scenario: slow-client\nheight: tall', 'the height `tall` is no number'],
    ['scenario: slow-client\nreadonly: no', '`readonly` takes no value'],
  ]) {
    assert.throws(() => transformed(block(text, 3)), ({ message }) => message.startsWith('line 3: ') && message.includes(words), text);
  }
});

test('a missing folder is named', () => {
  const tree = { children: [block('scenario: slow-client')] };
  assert.throws(() => watchglass({ folder: 'nowhere' })(tree, FILE), /there is no .*nowhere.figures.json; copy/);
});
