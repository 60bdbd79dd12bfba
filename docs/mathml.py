# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Formulas as MathML, which browsers draw without scripts of other sites."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    writer.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    writer.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer of formulas."""
    app.add_html_math_renderer('mathml', (inline, None), (block, None))
    return {'version': '1', 'parallel_read_safe': True}
