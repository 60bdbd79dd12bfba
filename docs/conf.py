# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx for the documentation; `make docs` builds it without ROS 2."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / 'docs'))

import screw_dynamics  # noqa: E402

project = 'screw_dynamics'
author = 'screw_dynamics contributors'
copyright = author  # noqa: A001
version = release = screw_dynamics.__version__

extensions = [
    'myst_nb',
    'numpydoc',
    'sphinx.ext.autodoc',
    'sphinx.ext.autosummary',
    'sphinx.ext.viewcode',
    'sphinx_copybutton',
    'sphinx_design',
    'mathml',
]
templates_path = ['_templates']
exclude_patterns = ['_build', '_templates']

# headings have the anchors that they have on code hosting sites
myst_heading_anchors = 4
myst_enable_extensions = ['colon_fence', 'dollarmath']

# the tutorials are notebooks, which run in a folder of their own
nb_execution_mode = 'force'
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # s, of a cell
nb_merge_streams = True

# a name in single backquotes is an object of the package, or text in the font of code
default_role = 'py:obj'
smartquotes = False  # tau' is a derivative
# |e| in docstrings is a norm, no substitution
rst_prolog = '.. |e| replace:: \\|e\\|\n'
autosummary_generate = True
autodoc_typehints = 'signature'
autodoc_typehints_format = 'short'
autodoc_type_aliases = {name: name for name in ('ArrayLike', 'Array', 'Jets')}
python_maximum_signature_line_length = 90
suppress_warnings = ['ref.python']  # `type` in a signature is none of the attributes `type`
autodoc_member_order = 'bysource'
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False


def plain_aliases(app, what, name, obj, options, signature, returns):
    """Write the names of type aliases in unions, which autodoc shows as forward references."""
    if signature is None:
        return None
    alias = r"TypeAliasForwardRef\('(\w+)'\)"
    return re.sub(alias, r'\1', signature), re.sub(alias, r'\1', returns or '') or None


def setup(app):
    """Connect what changes signatures."""
    app.connect('autodoc-process-signature', plain_aliases)


html_math_renderer = 'mathml'
html_theme = 'furo'
html_title = f'screw_dynamics {release}'
html_static_path = ['_static']
html_css_files = ['style.css']
html_show_sphinx = False
pygments_style = 'friendly'
copybutton_exclude = '.linenos, .gp, .go'  # prompts and output of examples
