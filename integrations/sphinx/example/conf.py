"""An example site. In your own site, put the copied file into a folder of `sys.path`, such as `_ext`."""

import os
import sys

sys.path.insert(0, os.path.abspath('../'))

project = 'Watchglass in Sphinx'
extensions = ['watchglass', 'myst_parser']
html_static_path = ['_static']
# Pages in Markdown: the same block as in the other systems.
myst_fence_as_directive = ['watchglass']
