# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables in CSV: every number comes back; cells that are too many or too few are named."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screw_dynamics.common.csv_rows import csv_numbers, csv_rows, header_found
from screw_dynamics.errors import InputError, TrajectoryError

CELLS = st.text(st.characters(codec='utf-8', exclude_characters='\0\r'), max_size=6)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3).filter(any), min_size=1, max_size=4))
def test_cells_of_any_text_come_back(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / 'cells.csv'
    with path.open('w', encoding='utf-8', newline='') as file:
        csv.writer(file).writerows(rows)
    header, found = csv_rows(path.read_text(encoding='utf-8'), InputError)
    assert [header, *(row for _, row in found)] == rows


def test_numbers_of_a_file(tmp_path):
    (tmp_path / 'a.csv').write_text('\ufefftime,a\r\n\r\n0,1e-3\r\n1,\r\n', encoding='utf-8')
    header, table = csv_numbers(tmp_path / 'a.csv')
    assert header == ['time', 'a']
    np.testing.assert_array_equal(table, [[0.0, 1e-3], [1.0, np.nan]])


@pytest.mark.parametrize(
    ('text', 'error'),
    [
        ('a,b\n1,2\n\n3\n', '^in a file: row 4: expected 2 cells, got 1$'),
        ('a,b\n0,5,1,2\n', 'row 2: expected 2 cells, got 4: write numbers with a point$'),
        ('a,b\n"1"2,3,4\n', 'row 2: expected 2 cells, got 3$'),
        (f'a,b\n1,{"2" * 200_000}\n', 'row 2: field larger than field limit'),
    ],
)
def test_rows_that_do_not_fit_are_named(text, error):
    _, rows = csv_rows(text, TrajectoryError, 'in a file: ')
    with pytest.raises(TrajectoryError, match=error):
        list(rows)


def test_what_is_no_header_is_named():
    for row, text in (
        ([], 'an empty file'),
        (['time;a'], "'time;a': separate columns by commas, and write numbers with a point"),
        (['0', '1e3'], "the numbers '0,1e3': write the header above them"),
        (['t', 'a'], "'t,a'"),
    ):
        assert header_found(row) == text


def test_a_text_of_another_encoding_is_named(tmp_path):
    (tmp_path / 'a.csv').write_bytes('time,hüfte\n0,1\n'.encode('latin-1'))
    with pytest.raises(InputError, match=r"a\.csv: expected a table in CSV: 'utf-8' codec"):
        csv_numbers(tmp_path / 'a.csv')
