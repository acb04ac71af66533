"""Tests of ../sphinx/watchglass.py without Sphinx and without mdBook."""

import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, '../sphinx/watchglass.py')
sys.path.insert(0, os.path.dirname(SCRIPT))

import watchglass  # noqa: E402

with open(os.path.join(HERE, 'figures.json'), encoding='utf-8') as file:
    FIGURES = json.load(file)

BLOCK = '```watchglass\nscenario: slow-client\nat: beat:7\n```'


def replaced(text):
    return watchglass.replace_blocks(text, FIGURES, '../watchglass/watch-glass.js', 'src/a.md')


class Figures(unittest.TestCase):
    def test_a_block_becomes_an_element_with_the_text_and_the_commands_of_its_beat(self):
        html = watchglass.figure_html({'readonly': '', 'at': 'beat:7', 'scenario': 'slow-client'}, FIGURES)
        self.assertTrue(html.startswith('<watch-glass scenario="slow-client" at="beat:7" readonly>\n<figure>\n<p>The'))
        self.assertIn('<pre><code>$ put /jobs/7 queued&#10;OK</code></pre>', html)
        self.assertTrue(html.endswith('<figcaption>A slow client</figcaption>\n</figure>\n</watch-glass>'))

    def test_texts_are_escaped_and_no_line_is_blank(self):
        html = watchglass.figure_html({'scenario': 'lease/the_timeline_of_an_expiry', 'at': 'beat:3'}, FIGURES)
        self.assertNotIn('\n\n', html)
        beat = {'text': '<b> & `x<y`', 'commands': '$ get "a<b"\n'}
        html = watchglass.figure_html({'scenario': 'x'}, {'x': {'title': 'A & B', 'beats': [beat]}})
        self.assertIn('<p>&lt;b&gt; &amp; <code>x&lt;y</code></p>', html)
        self.assertIn('$ get &quot;a&lt;b&quot;', html)
        self.assertIn('<figcaption>A &amp; B</figcaption>', html)

    def test_without_a_position_the_introduction_is_shown_and_at_the_end_the_last_beat(self):
        beats = FIGURES['slow-client']['beats']
        self.assertIs(watchglass.check({'scenario': 'slow-client'}, FIGURES), beats[0])
        self.assertIs(watchglass.check({'scenario': 'slow-client', 'at': 'end'}, FIGURES), beats[12])

    def test_mistakes_say_how_to_fix_them(self):
        for attributes, words in [
            ({'at': 'end'}, 'names no run'),
            ({'scenario': 'slow-clyent'}, 'the nearest names are slow-client'),
            ({'scenario': 'slow-client', 'hight': '3'}, 'the attribute `hight` does not exist; use scenario, at'),
            ({'scenario': 'slow-client', 'at': 'beat:13'}, 'has no beat 13; its last beat is `at: beat:12`'),
            ({'scenario': 'slow-client', 'at': '6'}, 'the position `6` does not exist'),
            ({'scenario': 'slow-client', 'height': 'tall'}, 'the height `tall` is no number'),
            ({'scenario': 'slow-client', 'readonly': 'no'}, '`readonly` takes no value'),
        ]:
            with self.subTest(words), self.assertRaises(watchglass.BlockError) as caught:
                watchglass.check(attributes, FIGURES)
            self.assertIn(words, str(caught.exception))


class MdBook(unittest.TestCase):
    def test_the_loader_comes_once_and_the_text_around_stays(self):
        page = replaced(f'# Title\n\n{BLOCK}\n\nText.\n\n- item\n\n  {BLOCK.replace(chr(10), chr(10) + "  ")}\n\nEnd.\n')
        self.assertEqual(page.count('<script type="module" src="../watchglass/watch-glass.js"></script>'), 1)
        self.assertEqual(page.count('<watch-glass '), 2)
        self.assertIn('\n  <watch-glass ', page)
        self.assertTrue(page.startswith('# Title\n') and page.endswith('\nEnd.\n'))

    def test_a_block_inside_another_block_is_an_example_of_the_syntax(self):
        page = f'````markdown\n{BLOCK}\n````\n\n```rust\nlet a;\n```\n'
        self.assertEqual(replaced(page), page)

    def test_a_mistake_names_the_file_and_the_line(self):
        with self.assertRaises(watchglass.BlockError) as caught:
            replaced('# Title\n\n' + BLOCK + '\n\n' + BLOCK.replace('beat:7', 'beat:70'))
        self.assertTrue(str(caught.exception).startswith('src/a.md:8: the run `slow-client` has no beat 70'))

    def test_chapters_of_both_versions_of_mdbook(self):
        for name in ('items', 'sections'):
            chapter = {'path': 'a/b.md', 'source_path': 'a/b.md', 'content': BLOCK, 'sub_items': []}
            book = {name: ['Separator', {'PartTitle': 'One'}, {'Chapter': chapter}]}
            figures, watchglass.load = watchglass.load, lambda folder: FIGURES
            try:
                watchglass.preprocess({'root': '.', 'config': {'book': {}}}, book)
            finally:
                watchglass.load = figures
            self.assertIn('src="../watchglass/watch-glass.js"', chapter['content'])

    def test_the_program_supports_html_and_names_a_missing_folder(self):
        run = lambda *args, text='': subprocess.run(
            [sys.executable, '-B', SCRIPT, *args], input=text, capture_output=True, text=True, encoding='utf-8'
        )
        self.assertEqual(run('supports', 'html').returncode, 0)
        self.assertEqual(run('supports', 'markdown').returncode, 1)
        failed = run(text=json.dumps([{'root': HERE, 'config': {'book': {}}}, {'items': []}]))
        self.assertEqual(failed.returncode, 1)
        self.assertIn('figures.json; copy the folder of Watchglass there', failed.stderr)


if __name__ == '__main__':
    unittest.main()
