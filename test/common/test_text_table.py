# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of any content fit the width and lose nothing."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screw_dynamics.common.text_table import NO_BREAK, styled_tables, text_table

WORDS = st.text('ab/_(),.-5', min_size=1, max_size=12)
CELLS = st.lists(WORDS, max_size=8).map(' '.join)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """Draw rows of equal lengths."""
    count = draw(st.integers(1, 6))
    row = st.lists(CELLS, min_size=count, max_size=count)
    return draw(st.lists(row, min_size=1, max_size=6))


@given(tables(), st.integers(26, 120))
def test_every_table_fits_and_keeps_its_words(rows, width):
    text = text_table(rows, width)
    # two columns of words of 12 fit 26 columns
    assert max(map(len, text.splitlines()), default=0) <= width
    shown = text.split()
    for row in rows:
        for cell in row:
            for word in cell.split():
                assert word in shown


def test_a_table_that_fits_stays_as_it_is():
    rows = [('joint', 'a value'), ('j', f'1{NO_BREAK}N m')]
    assert text_table(rows, 14) == 'joint  a value\nj      1 N m'
    assert text_table(rows, 13) == 'joint  a\n       value\nj      1 N m'


def test_more_columns_than_have_room_make_several_tables():
    rows = [('name', 'x', 'first', 'second'), ('n', 'y', '111', '222')]
    assert text_table(rows, 14) == 'name  x  first\nn     y  111\n\nname  second\nn     222'
    assert text_table(rows, 16, keys=2) == (
        'name  x  first\nn     y  111\n\nname  x  second\nn     y  222'
    )


@pytest.mark.parametrize('width', [0, 1, 5])
def test_words_stay_whole_where_nothing_fits(width):
    assert text_table([('joint_1', 'effort')], width) == 'joint_1  effort'


def test_a_terminal_gets_the_same_cells_below_a_line(monkeypatch):
    pytest.importorskip('rich')
    rows = [('quantity', 'value [N m]'), ('> effort', '-1 [a]'), ('other', 'x\N{NO-BREAK SPACE}y')]
    plain = text_table(rows, 30)
    monkeypatch.setattr(sys.stdout, 'isatty', lambda: True)
    monkeypatch.setenv('TERM', 'xterm-256color')
    with styled_tables():
        drawn = text_table(rows, 30)
    assert text_table(rows, 30) == plain
    header, line, *cells = re.sub(r'\x1b\[[0-9;]*m', '', drawn).splitlines()
    assert set(line) == {'─'} and [row.rstrip() for row in (header, *cells)] == plain.splitlines()
    assert '\x1b[1;33m> effort' in drawn
