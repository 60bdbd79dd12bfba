# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""README and documents as texts: sections, blocks of code, links."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / 'docs'
PAGES = [
    *(ROOT / name for name in ('README.md', 'CONTRIBUTING.md')),
    *(page for page in sorted(DOCS.rglob('*.md')) if '_build' not in page.parts),
]
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding='utf-8') for path in PAGES}


def section(text: str, heading: str) -> str:
    """Return the text below a heading, up to the next one of its level or above."""
    level, below = re.split(rf'^(#+) {re.escape(heading)}\n', text, flags=re.MULTILINE)[1:3]
    return re.split(rf'^#{{1,{len(level)}}} ', below, flags=re.MULTILINE)[0]


def block(text: str, heading: str, language: str) -> str:
    """Return the only block of a language below a heading."""
    (code,) = re.findall(rf'```{language}\n(.*?)```', section(text, heading), re.DOTALL)
    return code


def python_blocks(text: str, heading: str) -> str:
    """Return all Python below a heading."""
    return '\n'.join(re.findall(r'```python\n(.*?)```', section(text, heading), re.DOTALL))


def commands(text: str, program: str) -> list[str]:
    """Return the lines of blocks of bash that begin with a program; continued lines are one."""
    blocks = re.findall(r'```bash\n(.*?)```', text, re.DOTALL)
    lines = '\n'.join(blocks).replace('\\\n', ' ').splitlines()
    return [line for line in lines if line.startswith(f'{program} ')]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as hosts of code make them."""
    headings = re.findall(r'^#+ (.+)$', page.read_text(encoding='utf-8'), re.MULTILINE)
    return {re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in headings}
