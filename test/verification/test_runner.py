# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The runner of benchmarks finds every subject, and their pages what is missed."""

from __future__ import annotations

import pytest

from benchmarks import report
from benchmarks.__main__ import SUBJECTS, main


@pytest.mark.parametrize('subject', SUBJECTS)
def test_subjects_have_options(subject, capsys):
    with pytest.raises(SystemExit) as end:
        main([subject, '--help'])
    assert end.value.code == 0
    assert '--output' in capsys.readouterr().out


def test_missed_requirements_are_noted(tmp_path):
    page = report.Report('speed', 'Speed')
    page.requirements()
    met = report.Requirement('fast', 1.0, 1.0, unit=' s')
    page.require(met, report.Requirement('a | b', 1.0, 2.0, aimed=3.0, at_least=True))
    assert page.missed == ['a | b: expected >= 2, got 1.00']
    (file,) = page.write(tmp_path)
    assert file.read_text(encoding='utf-8').splitlines()[2:] == [
        '| figure | measured | required | aimed at |  |',
        '|---|---|---|---|---|',
        '| fast | 1.00 s | <= 1 s |  | met |',
        '| a \\| b | 1.00 | >= 2 | >= 3 | 🔴 **missed** |',
    ]
    assert not report.Requirement('broken', float('nan'), 1.0).met
