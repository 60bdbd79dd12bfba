# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The quick run of `make verification`, and the page that the long one wrote."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from oracles.comparison import TOLERANCE

import screw_dynamics as sd
from verification import (
    hybrid_checks,
    integrator_checks,
    measures,
    motion_checks,
    soft_checks,
    symbolic_checks,
)
from verification.algorithms import ROOT, algorithms
from verification.checks import Result
from verification.costs import cost
from verification.report import INTEGRATORS, ORDER_ROOM, Extra, Row, markdown, rooms, terminal
from verification.run import judge
from verification.scenes import random_scene, robot_scenes

ROOM_OF = {
    'Elastic joints': 'elastic',
    'Uncertainty': 'estimation',
    'Rigid motions': 'lie',
}
PAGE = ROOT / 'docs' / 'verification.md'
MEASURED = {*measures.SUBJECTS.values(), INTEGRATORS}
# of those that take less than some seconds
QUICK = (
    motion_checks.of_samples,
    motion_checks.of_filters,
    motion_checks.of_linear_models,
    soft_checks.of_rigid_chains,
    soft_checks.of_one_arc,
    soft_checks.of_statics,
    hybrid_checks.of_hybrids,
    hybrid_checks.of_tensions,
    symbolic_checks.of_expressions,
)


def parts_of_page():
    for part in PAGE.read_text(encoding='utf-8').split('\n## ')[1:]:
        heading, *lines = part.splitlines()
        yield heading, lines


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
    for heading, lines in parts_of_page():
        if heading in MEASURED:
            continue
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


@pytest.mark.parametrize('subject', QUICK, ids=lambda subject: subject.__name__)
def test_measures_are_within_their_bounds(subject):
    found = list(subject())
    assert found
    for measure in found:
        assert 0.0 <= measure.residual <= measure.bound, measure


def test_an_integrator_has_its_order():
    (found,) = integrator_checks.of_elastic_robots()
    extra = Extra(integrations=[found])
    assert not extra.broken
    extra.integrations[0] = replace(found, order=found.nominal - 1.0)
    assert extra.broken == ['simulation.elastic_robot.ElasticRobot.step, classical']


def test_the_page_has_what_is_measured_beside_the_trees():
    """The committed page has the tables, with residuals below their bounds and orders met."""
    tables = {
        heading: [
            [cell.strip() for cell in line.strip('|').split('|')]
            for line in lines
            if line.startswith('| `')
        ]
        for heading, lines in parts_of_page()
        if heading in MEASURED
    }
    assert set(tables) == MEASURED
    for cells in tables.pop(INTEGRATORS):
        assert abs(float(cells[4]) - int(cells[3])) < ORDER_ROOM, cells
    for cells in (cells for table in tables.values() for cells in table):
        assert float(cells[3]) <= float(cells[4]), cells
    soft = {cells[0] for cells in tables['Soft-rigid robots']}
    assert {f'`functions.{name}`' for name in ('inverse_dynamics', 'mass_matrix')} <= soft


def test_page_of_a_run(rows):
    for row in rows.values():
        row.cost = None
    rows['dynamics.mass_matrix.mass_matrix'].cost = cost(sd.mass_matrix)
    ordered = {name: rows[name] for name in algorithms()}
    text = markdown(ordered, range(2), ['planar_2r'])
    assert text.count('\n| `') == len(rows) == sum(len(part) for _, _, part in rooms(ordered))
    assert re.search(r'\| `mass_matrix.mass_matrix` \| MK2021 \(20\).*\|\s*[\d.]+ \|', text)
    assert max(map(len, terminal(ordered).splitlines())) <= 100
