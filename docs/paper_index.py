# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Sphinx directive `paper-index`: the source files that cite a paper, from their docstrings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import download_reference
from sphinx.util.docutils import SphinxDirective

PACKAGE = Path(__file__).resolve().parents[1] / 'screw_dynamics'


def citing_files(key: str) -> list[str]:
    """Return the modules that name the paper of a key, by path below the package."""
    return [
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob('*.py'))
        if re.search(rf'\b{key}\b', path.read_text(encoding='utf-8'))
    ]


class PaperIndex(SphinxDirective):
    """Insert a list of the files that cite the paper, with links to them."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the list; it is an error if no file cites the paper."""
        files = citing_files(self.arguments[0])
        if not files:
            raise self.error(f'no file cites {self.arguments[0]}')
        items = nodes.bullet_list(bullet='-')
        for file in files:
            link = download_reference(
                '',
                '',
                nodes.literal('', file),
                refdoc=self.env.docname,
                reftarget=f'/../{PACKAGE.name}/{file}',
            )
            items += nodes.list_item('', nodes.paragraph('', '', link))
        return [items]


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive('paper-index', PaperIndex)
    return {'version': '1', 'parallel_read_safe': True}
