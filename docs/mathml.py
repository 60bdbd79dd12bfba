# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Formulas as MathML, which browsers draw without scripts of other sites."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

SPACE = 'http://www.w3.org/1998/Math/MathML'
ACCENTS = {'˙', '¨', '~', '^', '_'}
APPLICATION = '\u2061'  # behind the name of a function


def mathml(tex: str, as_block: bool) -> str:
    """Return a formula as MathML; accented letters have an index beside them, functions space."""
    ElementTree.register_namespace('', SPACE)
    text = tex2mathml(tex, as_block=as_block)
    # XML knows none of the names of characters that HTML has
    named = re.sub('&(?!lt;|gt;|amp;)\\w+;', lambda match: unescape(match[0]), text)
    root = ElementTree.fromstring(named)
    for node in root.iter(f'{{{SPACE}}}munderover'):
        letter, index, accent = node
        if accent.text in ACCENTS:
            node.tag = f'{{{SPACE}}}msub'
            node[:] = [ElementTree.Element(f'{{{SPACE}}}mover', accent='true'), index]
            node[0].extend((letter, accent))
    for row in list(root.iter()):
        for i in reversed([i for i, node in enumerate(row) if node.text == APPLICATION]):
            if i + 1 < len(row) and row[i + 1].text != '(':
                row.insert(i + 1, ElementTree.Element(f'{{{SPACE}}}mspace', width='0.17em'))
            if i > 1 and row[i - 2].tag != f'{{{SPACE}}}mo':
                row.insert(i - 1, ElementTree.Element(f'{{{SPACE}}}mspace', width='0.17em'))
    return ElementTree.tostring(root, encoding='unicode')


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    writer.body.append(mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    writer.body.append(f'<div class="math">{mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer of formulas."""
    app.add_html_math_renderer('mathml', (inline, None), (block, None))
    return {'version': '1', 'parallel_read_safe': True}
