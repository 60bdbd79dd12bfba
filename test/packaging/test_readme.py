# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""README: its examples run, and its numbers are those of the documents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documents import ROOT, Session, python_blocks

README = (ROOT / 'README.md').read_text(encoding='utf-8')


def test_length():
    assert len(README.splitlines()) <= 250


def test_as_a_library(session: Session):
    session.run(python_blocks(README, 'As a library'))
    assert session.names['efforts'].shape == (750, 3, 7)


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


def rows(text: str, heading: str) -> dict[str, list[str]]:
    """Return the cells of the table that begins with a heading, by the first of each row."""
    table = text.split(f'| {heading}', 1)[1].split('\n\n', 1)[0]
    cells = [[cell.strip() for cell in line.split('|')[1:-1]] for line in table.splitlines()[2:]]
    return {first: rest for first, *rest in cells}


def document(name: str) -> str:
    return (ROOT / 'docs' / f'{name}.md').read_text(encoding='utf-8')


def test_numbers_of_the_comparison_are_those_of_its_document():
    text = document('demo_sea')
    kinds = ('PD + gravity', 'rigid', 'differences, noisy', 'exact')
    largest = {}
    for section in text.split('\n### ')[1:]:
        arm = section.split('\n', 1)[0]
        table = rows(section, 'largest / rms [mrad]')
        (headings,) = re.findall(r'^\| largest / rms .*$', section, re.MULTILINE)
        columns = [cell.strip() for cell in headings.split('|')[2:-1]]
        for row in ('nominal', 'all 10 %, delay 2 ms: median of 7'):
            for kind in kinds:
                cell = table[row][columns.index(kind)]
                largest[arm, row.split(':')[0], kind] = cell.split(' / ')[0]
    shown = rows(README, 'largest joint error in 2 s').values()
    wanted = [('all 10 %, delay 2 ms', kind) for kind in kinds]
    wanted += [('nominal', kind) for kind in ('rigid', 'exact')]
    (ratios,) = re.findall(r'the rigid one is ([\d.]+ to [\d.]+) times', ' '.join(text.split()))
    assert f'whose error is {ratios} times as large' in ' '.join(README.split())
    places = ('stiff, hanging', 'soft, hanging', 'soft, upright')
    for (row, kind), cells in zip(wanted, shown, strict=True):
        for place, cell in zip(places, cells, strict=True):
            arms = (f'{robot}, {place}' for robot in ('iiwa 14', 'Panda'))
            assert cell == ' and '.join(largest[arm, row, kind] for arm in arms), (row, place)


def test_numbers_of_the_accuracy_are_those_of_its_document():
    measured = list(rows(document('measurements/accuracy'), 'quantity | robots').values())
    shown = rows(README, 'max error / max reference')
    # all but gravity and bias forces
    expected = [cells[1:3] for cells in (*measured[:7], measured[-1])]
    assert list(shown.values()) == expected
    assert {cells[0] for cells in measured} == {'189'}
    assert 'max error / max reference, 189 robot descriptions' in README


# figures of docs/measurements/speed.md that the README shows
SHOWN = {
    "tau, tau', tau'' in one call / P",
    '5 rnea calls alone / order-2 call',
    '5 rnea calls + differences in NumPy / order-2 call',
    "computeRNEADerivatives + tau' / order-1 call",
    'effort_partials, order 0 / computeRNEADerivatives',
    'batch of 10000, per sample / P',
    'growth exponent in joints, 28 to 112',
    'new process to first result',
}


def test_numbers_of_the_speed_are_those_of_its_document():
    figures = rows(document('measurements/speed'), 'figure | measured')
    measured = {name: figures[name] for name in figures if name in SHOWN}
    shown = rows(README, 'figure | measured')
    for (figure, cells), (_, expected) in zip(shown.items(), measured.items(), strict=True):
        assert cells[1:] == expected[1:3] or 'batch' in figure, figure
        value, unit = re.fullmatch(r'([\d.]+)( s)?', cells[0]).groups()
        digits = len(value.partition('.')[2])
        assert value == f'{float(expected[0].removesuffix(unit or "")):.{digits}f}', figure


def test_numbers_of_the_node_are_those_of_its_document():
    text = document('measurements/node')
    shown = rows(README, 'figure, on a 2-core machine')
    (share,) = (cells[0] for figure, cells in shown.items() if figure.startswith('our own share'))
    assert f'| own part of the period, with motors | {share} |' in text
    lines = [re.split(r' *\| *', line)[1:-1] for line in text.splitlines()]
    for rate in ('250 Hz', '1 kHz'):
        wanted = {'250 Hz': '250 Hz', '1 kHz': '1000 Hz'}[rate]
        for column, node in enumerate(('`feedforward`, motors', '`bare`, motors')):
            first, _, second = (cells for cells in lines if cells[:2] == [node, wanted])
            assert f'({shown[f"missed ticks at {rate}"][column]})' in first[3]
            if rate == '1 kHz':
                first, *_ = (row for row in lines if row[:2] == [f'{node}, real-time', wanted])
                (missed,) = (row for figure, row in shown.items() if 'real-time' in figure)
                assert f'({missed[column]})' in first[3]
                core = shown[f'share of a core at {rate}'][column]
                assert core == f'{float(second[2].split()[0]):.0f} %'
