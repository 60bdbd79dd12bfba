# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress of long work where no terminal shows bars."""

import re
import sys

from screw_dynamics.common.progress import counting, progress


def test_long_work_is_lines_of_a_log_where_the_output_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr('screw_dynamics.common.progress.LOG_INTERVAL', 0.0)
    assert list(progress('abc', 'counting letters', unit='letter')) == ['a', 'b', 'c']
    with counting('without an end', None) as count:
        count()
    shown = capsys.readouterr().err
    assert re.fullmatch(
        r'(counting letters: [123] of 3 letters, \d+ s, \S+ letters/s, \d s left\n){3}'
        r'without an end: 1, \d+ s\n',
        shown,
    )


def test_parts_of_work_with_a_bar_show_none(capsys):
    for _ in progress('ab', 'outer'):
        assert list(progress('cd', 'inner')) == ['c', 'd']
    with counting('after', 1) as count:
        count()
    shown = capsys.readouterr().err
    assert not shown, 'no terminal, no bars'


def test_work_goes_on_without_rich(monkeypatch):
    monkeypatch.setitem(sys.modules, 'rich.progress', None)
    monkeypatch.setattr(sys.stderr, 'isatty', lambda: True)
    assert list(progress(iter('abc'), 'letters')) == ['a', 'b', 'c']
