# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The quick run of `make verification`, and the page that the long one wrote."""

from __future__ import annotations

import re

import numpy as np
import pytest
from oracles.comparison import TOLERANCE

import screw_dynamics as sd
from verification.algorithms import ROOT, algorithms
from verification.checks import Result
from verification.costs import cost
from verification.report import Row, markdown, rooms, terminal
from verification.run import judge
from verification.scenes import random_scene, robot_scenes

ROOM_OF = {
    'Elastic joints': 'elastic',
    'Uncertainty': 'estimation',
    'Rigid motions': 'lie',
}
PAGE = ROOT / 'docs' / 'verification.md'


@pytest.fixture(scope='module')
def rows():
    found: dict[str, Row] = {}
    judge(found, 'trees', map(random_scene, (3, 4)), None)
    judge(found, 'robots', [scene for scene in robot_scenes() if scene.name == 'planar_2r'], None)
    return found


def test_every_algorithm_is_judged(rows):
    assert set(rows) == set(algorithms())


def test_residuals(rows):
    assert not [name for name, row in rows.items() if row.broken]


def test_random_trees_have_all_joints():
    scenes = [random_scene(seed) for seed in range(60)]
    types = {kind for scene in scenes for kind in scene.model.joint_types}
    assert types == {'revolute', 'prismatic', 'helical'}
    assert any(scene.model.n < scene.model.body_count for scene in scenes)


def test_an_error_is_seen():
    exact = np.array([[1.0, 2.0], [1e-6, 0.0]])
    wrong = exact + [[0.0, 0.0], [1e-15, 0.0]]
    assert Result(cost, wrong, exact).residual < TOLERANCE
    assert Result(cost, wrong, exact, np.zeros(2)).residual > 1e-10
    assert Result(cost, wrong, exact, np.ones(2)).residual == pytest.approx(1e-12, rel=1e-3)
    assert np.isnan(Result(cost, [np.nan], [1.0]).residual)
    assert Row(trees=np.nan, robots=0.0).broken and Row(robots=0.0).broken


def test_the_page_is_complete():
    """The committed page has a row for every algorithm, with residuals below the bound."""
    listed = {}
    for part in PAGE.read_text(encoding='utf-8').split('\n## ')[1:]:
        heading, *lines = part.splitlines()
        room = ROOM_OF.get(heading, heading.lower().replace(': ', '.').replace(' ', '_'))
        for line in lines[3:]:
            if line:
                cells = [cell.strip() for cell in line.strip('|').split('|')]
                listed[f'{room}.{cells[0].strip("`")}'] = cells
    assert set(listed) == set(algorithms())
    for name, cells in listed.items():
        assert cells[2], f'{name}: no oracle'
        assert all(float(cell) <= TOLERANCE for cell in cells[3:5]), name
        assert float(cells[5]) > 0.0, name


def test_page_of_a_run(rows):
    for row in rows.values():
        row.cost = None
    rows['dynamics.mass_matrix.mass_matrix'].cost = cost(sd.mass_matrix)
    ordered = {name: rows[name] for name in algorithms()}
    text = markdown(ordered, range(2), ['planar_2r'])
    assert text.count('\n| `') == len(rows) == sum(len(part) for _, _, part in rooms(ordered))
    assert re.search(r'\| `mass_matrix.mass_matrix` \| MK2021 \(20\).*\|\s*[\d.]+ \|', text)
    assert max(map(len, terminal(ordered).splitlines())) <= 100
