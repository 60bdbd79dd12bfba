# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Promises of the README: its library examples run, its links and references exist."""

from __future__ import annotations

import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InertiaWarning

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')


def block(heading: str, language: str, number: int = 0) -> str:
    """Return a block of code below a heading, counted from 0."""
    section = README.split(f'### {heading}\n', 1)[1].split('\n### ', 1)[0]
    return re.findall(rf'```{language}\n(.*?)```', section, re.DOTALL)[number]


def python_block(heading: str, number: int = 0) -> str:
    """Return a Python block below a heading, counted from 0."""
    return block(heading, 'python', number)


@pytest.fixture
def session(tmp_path, monkeypatch):
    shutil.copy(sd.share_path('urdf/iiwa14.urdf'), tmp_path / 'my_robot.urdf')
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', InertiaWarning)
        yield {'sd': sd, 'np': np}


def test_my_robot(session, capsys):
    exec(python_block('My robot'), session)
    assert 'joint_7' in capsys.readouterr().out


def test_as_a_library(session):
    exec(python_block('As a library'), session)
    assert session['tau_ddot'].shape == (7,)
    assert np.allclose(session['qdd_again'], session['qdd'])


def test_my_trajectory(session):
    model = sd.read_urdf('my_robot.urdf')
    given = {f'q{i}': np.full(7, 0.1 * i) for i in range(3)}
    session |= {'model': model, **given}
    exec(python_block('My trajectory'), session)
    assert session['efforts'].shape == (750, 3, 7)


def test_my_sea_robot(session, capsys):
    model = sd.read_urdf('my_robot.urdf')
    Path('my_springs.yaml').write_text(block('My SEA robot', 'yaml'), encoding='utf-8')
    session |= {'model': model, **{f'q{i}': np.full(7, 0.1 * i) for i in range(3)}}
    exec(python_block('My trajectory'), session)
    exec(python_block('My SEA robot'), session)
    exec(python_block('My SEA robot', 1), session)
    assert session['theta'].shape == session['tau_m'].shape == (750, 7)
    assert 'joint_2' in capsys.readouterr().out


def rows(text: str, heading: str) -> dict[str, list[str]]:
    """Return the cells of the table that begins with a heading, by the first of each row."""
    table = text.split(f'| {heading}', 1)[1].split('\n\n', 1)[0]
    cells = [[cell.strip() for cell in line.split('|')[1:-1]] for line in table.splitlines()[2:]]
    return {first: rest for first, *rest in cells}


def document(name: str) -> str:
    return (ROOT / 'docs' / f'{name}.md').read_text(encoding='utf-8')


def test_numbers_of_the_comparison_are_those_of_its_document():
    largest, arm = {}, ''
    for line in document('demo_sea').splitlines():
        cells = [cell.strip() for cell in line.split('|')[1:-1]]
        if len(cells) == 11:
            arm = cells[0] or arm
            largest[arm, cells[1]] = cells[5]  # in MuJoCo, without feedback
    shown = rows(README, 'largest joint error in 2 s')
    kinds = (
        'rigid',
        'differences, noisy',
        'exact, tick held',
        'exact, middle held',
        'exact',
    )
    places = ('stiff, hanging', 'soft, hanging', 'soft, upright')
    for kind, cells in zip(kinds, shown.values(), strict=True):
        for place, cell in zip(places, cells, strict=True):
            numbers = (largest[f'{robot}, {place}', kind] for robot in ('iiwa 14', 'Panda'))
            assert cell == ' and '.join(numbers), (kind, place)


def test_numbers_of_the_accuracy_are_those_of_its_document():
    measured = list(rows(document('accuracy'), 'quantity | robots').values())
    shown = rows(README, 'max error / max reference')
    # all but gravity and bias forces
    expected = [cells[1:3] for cells in (*measured[:7], measured[-1])]
    assert list(shown.values()) == expected
    assert {cells[0] for cells in measured} == {'189'}
    assert 'max error / max reference, 189 robot descriptions' in README


def test_numbers_of_the_speed_are_those_of_its_document():
    measured = rows(document('benchmark'), 'figure | measured')
    del measured['order 10 / order 2']
    shown = rows(README, 'figure | measured')
    for (figure, cells), (_, expected) in zip(shown.items(), measured.items(), strict=True):
        assert cells[1:] == expected[1:3] or 'batch' in figure, figure
        value, unit = re.fullmatch(r'([\d.]+)( s)?', cells[0]).groups()
        digits = len(value.partition('.')[2])
        assert value == f'{float(expected[0].removesuffix(unit or "")):.{digits}f}', figure


def test_numbers_of_the_node_are_those_of_its_document():
    text = document('benchmark_node')
    shown = rows(README, 'figure, on a 2-core machine')
    (share,) = (cells[0] for figure, cells in shown.items() if figure.startswith('our own share'))
    assert f'mean): **{share}**' in text
    lines = [re.split(r' *\| *', line)[1:-1] for line in text.splitlines()]
    for rate in ('250 Hz', '1 kHz'):
        wanted = {'250 Hz': '250 Hz', '1 kHz': '1000 Hz'}[rate]
        for column, node in enumerate(('`feedforward`', '`bare`')):
            first, second = (cells for cells in lines if cells[:2] == [node, wanted])
            assert f'({shown[f"missed ticks at {rate}"][column]})' in first[3]
            if rate == '1 kHz':
                core = shown[f'share of a core at {rate}'][column]
                assert core == f'{float(second[2].split()[0]):.0f} %'


def test_launch_lines_give_every_argument_a_value():
    """`ros2 launch` refuses an empty one, however it is quoted for the shell."""
    for text in (README, document('guides')):
        for line in re.findall(r'^ros2 launch (?:.*\\\n)*.*$', text, re.MULTILINE):
            assert not re.search(r""":=(''|""|\s|$)""", line), line


def test_relative_links_lead_somewhere():
    prose = re.sub(r'```.*?```', '', README, flags=re.DOTALL)
    for target in re.findall(r'\]\(([^)#]+)\)', prose):
        assert (ROOT / target).exists(), target


def test_every_reference_is_listed():
    keys = set()
    for path in (ROOT / 'screw_dynamics').rglob('*.py'):
        keys |= set(re.findall(r'\[([A-Z]+\d{4})\]', path.read_text(encoding='utf-8')))
    listed = set(re.findall(r'\*\*\[([A-Z]+\d{4})\]\*\*', README))
    assert keys <= listed
