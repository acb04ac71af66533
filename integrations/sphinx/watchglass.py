"""Figures of Watchglass in Sphinx and in mdBook, from fenced blocks:

    ```watchglass
    scenario: slow-client
    at: beat:6
    ```

Imported, this file is an extension of Sphinx with the directive `watchglass`; run, it is a preprocessor of mdBook.
Neither needs another package. The file reads only `watchglass/figures.json` of the author's own folder: the name of
each run, and the text and the commands of each of its beats. A block becomes a `<watch-glass>` element; inside is what
readers without scripts see. A mistake in a block ends the build, with the file and the line.
"""

import difflib
import html
import json
import os
import re
import sys

# The attributes of the element, in the order in which they are written.
ATTRIBUTES = ('scenario', 'at', 'view', 'controls', 'theme', 'loading', 'height', 'readonly', 'group')
FENCE = re.compile(r'(\s*)(`{3,}|~{3,})\s*([\w-]*)\s*(.*)')


class BlockError(ValueError):
    """A mistake of the author: what is wrong, and how to fix it."""


def read_block(text):
    """Returns the attributes of a fenced block, one in each line: `at: beat:6`."""
    pairs = (line.partition(':') for line in text.splitlines() if line.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def figure_html(attributes, figures):
    """Returns the element, with the text and the commands of its beat for readers without scripts."""
    beat = check(attributes, figures)
    names = [name for name in ATTRIBUTES if name in attributes]
    values = {name: '' if name == 'readonly' else f'="{html.escape(attributes[name])}"' for name in names}
    written = ''.join(f' {name}{value}' for name, value in values.items())
    # A blank line would end the HTML in a Markdown page.
    commands = html.escape(beat['commands']).strip('\n').replace('\n', '&#10;')
    text = re.sub(r'`([^`]+)`', r'<code>\1</code>', html.escape(beat['text']))
    return '\n'.join((
        f'<watch-glass{written}>',
        '<figure>',
        f'<p>{text}</p>',
        *([f'<pre><code>{commands}</code></pre>'] if commands else []),
        f'<figcaption>{html.escape(figures[attributes["scenario"]]["title"])}</figcaption>',
        '</figure>',
        '</watch-glass>',
    ))


def check(attributes, figures):
    """Returns the beat that the attributes name."""
    for name in attributes:
        if name not in ATTRIBUTES:
            raise BlockError(f'the attribute `{name}` does not exist; use {", ".join(ATTRIBUTES)}')
    name = attributes.get('scenario')
    if not name:
        raise BlockError('the block names no run; add a line such as `scenario: slow-client`')
    if name not in figures:
        near = difflib.get_close_matches(name, figures, 3, 0) or ['no run']
        raise BlockError(f'the run `{name}` does not exist; the nearest names are {", ".join(near)}')
    if not re.fullmatch(r'\d+', attributes.get('height', '450')):
        raise BlockError(f'the height `{attributes["height"]}` is no number; write pixels, such as `height: 520`')
    if attributes.get('readonly') not in (None, '', 'true'):
        raise BlockError('`readonly` takes no value; remove the line if the figure accepts commands')
    beats, at = figures[name]['beats'], attributes.get('at', 'start')
    if not re.fullmatch(r'(beat|step|revision|time_us):\d+|start|end', at):
        raise BlockError(f'the position `{at}` does not exist; write `at: beat:N`, `at: start` or `at: end`')
    unit, _, number = at.partition(':')
    if unit == 'beat' and int(number) >= len(beats):
        raise BlockError(f'the run `{name}` has no beat {number}; its last beat is `at: beat:{len(beats) - 1}`')
    # Only the simulator knows the text of a step, a revision or a time: readers without scripts see the introduction.
    return beats[-1 if unit == 'end' else int(number) if unit == 'beat' else 0]


# mdBook


def replace_blocks(content, figures, loader, place):
    """Returns the Markdown of a page with elements instead of its blocks. `place` is the name of the file."""
    lines, fence, start, opened, has_loader = [], None, 0, 0, False
    for number, line in enumerate(content.split('\n'), 1):
        match = FENCE.fullmatch(line)
        lines.append(line)
        if fence is None:
            # An inline code span also begins with backquotes.
            if match and not ('`' in match[2] and '`' in match[4]):
                fence, start, opened = match, len(lines), number
        elif match and not match[3] + match[4] and match[2].startswith(fence[2]):
            if fence[3] == 'watchglass':
                try:
                    element = figure_html(read_block('\n'.join(lines[start:-1])), figures)
                except BlockError as error:
                    raise BlockError(f'{place}:{opened}: {error}') from None
                script = [] if has_loader else [f'<script type="module" src="{loader}"></script>', '']
                lines[start - 1:] = [fence[1] + part for part in ['', *script, *element.split('\n'), '']]
                has_loader = True
            fence = None
    return '\n'.join(lines)


def preprocess(context, book):
    """Replaces the blocks in all chapters of a book."""
    source = context['config']['book'].get('src', 'src')
    figures = load(os.path.join(context['root'], source, 'watchglass'))

    def visit(items):
        for item in items:
            chapter = item.get('Chapter') if isinstance(item, dict) else None
            if not chapter:
                continue
            # A draft has no file.
            if chapter.get('path'):
                path = chapter['path'].replace('\\', '/')
                loader = '../' * path.count('/') + 'watchglass/watch-glass.js'
                place = f'{source}/{chapter.get("source_path") or path}'
                chapter['content'] = replace_blocks(chapter['content'], figures, loader, place)
            visit(chapter['sub_items'])

    # Before mdBook 0.5, the items are called sections.
    visit(book['items'] if 'items' in book else book['sections'])
    return book


def load(folder):
    """Returns the runs of the folder `watchglass`."""
    try:
        with open(os.path.join(folder, 'figures.json'), encoding='utf-8') as file:
            return json.load(file)
    except FileNotFoundError:
        raise BlockError(f'there is no {folder}/figures.json; copy the folder of Watchglass there') from None


# Sphinx


def setup(app):
    """Adds the directive `watchglass`, and the script to the pages that use the directive."""
    from docutils import nodes
    from docutils.parsers.rst import directives
    from sphinx.addnodes import only
    from sphinx.util import logging
    from sphinx.util.docutils import SphinxDirective

    logger = logging.getLogger(__name__)

    class AnyOption(dict):
        """Accepts every option, so that `check` reports unknown ones like the other mistakes."""

        def __missing__(self, name):
            return directives.unchanged

    class Watchglass(SphinxDirective):
        optional_arguments = 1
        has_content = True
        option_spec = AnyOption.fromkeys(ATTRIBUTES, directives.unchanged)

        def run(self):
            named = {'scenario': self.arguments[0]} if self.arguments else {}
            attributes = {**named, **self.options, **read_block('\n'.join(self.content))}
            folder = os.path.join(self.env.app.confdir, '_static', 'watchglass')
            try:
                figures = load(folder)
                text = figure_html(attributes, figures)
                beat, title = check(attributes, figures), figures[attributes['scenario']]['title']
            except BlockError as error:
                logger.error('%s', error, location=self.get_location())
                self.env.metadata[self.env.docname]['watchglass'] = 'error'
                self.env.note_reread()
                return []
            self.env.note_dependency(os.path.join(folder, 'figures.json'))
            # Formats other than HTML print the same text.
            other = only('', expr='not html')
            other += nodes.paragraph('', '', nodes.strong(text=f'{title}.'), nodes.Text(f' {beat["text"]}'))
            if beat['commands']:
                other += nodes.literal_block(text=beat['commands'].rstrip(), language='none')
            return [nodes.raw('', text, format='html', watchglass=True), other]

    def add_loader(app, page, template, context, doctree):
        if doctree is not None and any(node.get('watchglass') for node in doctree.findall(nodes.raw)):
            app.add_js_file('watchglass/watch-glass.js', type='module')

    def fail(app, exception):
        if any(data.get('watchglass') == 'error' for data in app.env.metadata.values()):
            app.statuscode = 1

    app.add_directive('watchglass', Watchglass)
    app.connect('html-page-context', add_loader)
    app.connect('build-finished', fail)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}


if __name__ == '__main__':
    if sys.argv[1:2] == ['supports']:
        sys.exit(0 if sys.argv[2:] == ['html'] else 1)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding='utf-8')
    try:
        json.dump(preprocess(*json.load(sys.stdin)), sys.stdout)
    except BlockError as error:
        sys.exit(f'watchglass: {error}')
