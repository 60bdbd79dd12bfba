# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What the README promises: its library examples run, its links and references exist."""

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


def test_numbers_of_the_comparison_are_those_of_its_document():
    document = (ROOT / 'docs' / 'demo_sea.md').read_text(encoding='utf-8')
    table = README.split('| largest joint error in 2 s', 1)[1].split('\n\n', 1)[0]
    rows = [
        line for line in table.splitlines() if line.startswith(('| rigid', '| diff', '| exact'))
    ]
    numbers = re.findall(r'\d\.\de-\d\d', '\n'.join(rows))
    assert len(numbers) == 24
    assert not set(numbers) - set(re.findall(r'\d\.\de-\d\d', document))


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
