# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress of long work: bars of terminals, lines of logs."""

import io
import re
import sys

import pytest

from screw_dynamics.common.progress import counting, progress, silent


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


class Terminal(io.StringIO):
    isatty = staticmethod(lambda: True)


@pytest.mark.parametrize('redrawn', [0.0, 1e9])
def test_a_terminal_shows_a_bar(monkeypatch, redrawn):
    pytest.importorskip('rich')
    monkeypatch.setattr('screw_dynamics.common.progress._REDRAWN', redrawn)
    monkeypatch.setattr(sys, 'stderr', Terminal())
    monkeypatch.setenv('TERM', 'xterm')
    monkeypatch.setenv('COLUMNS', '90')
    monkeypatch.delenv('JPY_PARENT_PID', raising=False)
    assert list(progress('abcd', 'letters', unit='letter')) == ['a', 'b', 'c', 'd']
    with silent():
        assert list(progress('ab', 'hidden')) == ['a', 'b']
    shown = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', sys.stderr.getvalue()).replace('\r', '\n')
    states = re.findall(r'letters: [━╸╺ ]+ +(\d+)% (\d) letters \d+ s(.*)', shown)
    percents = [int(state[0]) for state in states]
    assert percents[-1] == 100 and states[-1][1] == '4' and 'hidden' not in shown
    assert ({25, 50, 75} <= {*percents}) == (redrawn == 0.0)
    assert any(re.match(r', \S+ letters/s, \d+ s left', rate) for *_, rate in states) == (
        redrawn == 0.0
    )


def test_notebooks_show_lines(monkeypatch):
    monkeypatch.setattr('screw_dynamics.common.progress.LOG_INTERVAL', 0.0)
    monkeypatch.setattr(sys, 'stderr', Terminal())
    monkeypatch.setenv('JPY_PARENT_PID', '1')
    assert list(progress('a', 'letters')) == ['a']
    assert sys.stderr.getvalue() == 'letters: 1 of 1, 0 s\n'
