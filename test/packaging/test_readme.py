# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""README: it is short, and its examples run as printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from documents import ROOT, Session, python_blocks

README = (ROOT / 'README.md').read_text(encoding='utf-8')


def test_length():
    assert len(README.splitlines()) <= 120


def test_as_a_library(session: Session):
    code = python_blocks(README, 'As a library')
    session.run(code)
    for name in ('jets', 'efforts'):
        assert f'{session.names[name].shape}: ' in code
    (line,) = (line for line in code.splitlines() if line.startswith('print('))
    shown, expected = line.removeprefix('print(').split(')  ')
    np.testing.assert_array_equal(
        eval(shown, session.names), np.array(expected.strip(' #[]').split(), dtype=float)
    )


@pytest.mark.long
def test_as_a_library_has_right_types(tmp_path: Path):
    """As a type checker sees it, also with a wrong word in place of one of few."""
    api = pytest.importorskip('mypy.api', reason='types need mypy')
    code = python_blocks(README, 'As a library')
    snippet = tmp_path / 'snippet.py'
    for line, text, status in (
        ('', 'Success: no issues', 0),
        ("sd.frame_jacobian(model, q0, 'tool', 'hybird')", '"Literal[\'hybird\']"', 1),
    ):
        snippet.write_text(f'{code}\n{line}\n', encoding='utf-8')
        options = ['--config-file', str(ROOT / 'pyproject.toml'), '--cache-dir', str(tmp_path)]
        out, err, found = api.run([*options, str(snippet)])
        assert text in out and found == status, out + err
