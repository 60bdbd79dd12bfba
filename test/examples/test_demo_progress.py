# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress of the demo without a terminal: whole lines."""

from __future__ import annotations

import pytest

from ros_demo import stages
from ros_demo.stages import Stage


def test_lines_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, 'LOG_INTERVAL', 0.0)
    with Stage('Simulate', 3) as bar:
        bar.update(0, 'node: fitting 2 of 11')
        for _ in range(3):
            bar.update()
    lines = capsys.readouterr().err.split('\n')
    assert lines.pop() == ''
    assert all(line.startswith('Simulate') and line.isprintable() for line in lines)
    assert [line.split()[1] for line in lines] == ['0/3', '1/3', '2/3', '3/3', '3/3']
    assert lines[0].endswith('s, node: fitting 2 of 11')
    assert lines[-1].endswith(' s')


def test_a_short_stage_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with Stage('Draw') as bar:
        bar.update(0)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.split()[0] == 'Draw'
