# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The quick run of `make verification`, and the page that the long one wrote."""

from __future__ import annotations

import inspect
import re
import shutil
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from oracles.comparison import TOLERANCE

import screw_dynamics as sd
from benchmarks import report
from benchmarks.__main__ import SUBJECTS, main
from benchmarks.verification import (
    application_checks,
    hybrid_checks,
    integrator_checks,
    measures,
    motion_checks,
    soft_checks,
    symbolic_checks,
)
from benchmarks.verification.algorithms import ROOT, algorithms
from benchmarks.verification.checks import Result
from benchmarks.verification.costs import cost
from benchmarks.verification.report import INTEGRATORS, ORDER_ROOM, Extra, Row, page, short_name
from benchmarks.verification.run import judge
from benchmarks.verification.scenes import random_scene, robot_scenes

ROOM_OF = {'Drives': 'drives', 'Uncertainty': 'estimation', 'Rigid motions': 'lie'}
PUBLIC = (
    'codegen.robot', 'drives', 'dynamics', 'estimation', 'estimation.identification',
    'estimation.observers', 'lie', 'limits', 'limits.retiming', 'series', 'simulation', 'soft',
    'symbolic', 'trajectory', 'trajectory.cartesian',
)  # fmt: skip
PAGE = ROOT / 'docs' / 'measurements' / 'verification.md'
MEASURED = {*measures.SUBJECTS.values(), INTEGRATORS}
# of those that take less than some seconds
QUICK = (
    motion_checks.of_samples,
    motion_checks.of_filters,
    motion_checks.of_linear_models,
    application_checks.of_poses,
    application_checks.of_fastest_motions,
    application_checks.of_limits,
    application_checks.of_measured_springs,
    application_checks.of_measured_motions,
    application_checks.of_identified_parameters,
    pytest.param(
        application_checks.of_generated_code,
        marks=pytest.mark.skipif(not shutil.which('cc'), reason='no C compiler'),
    ),
    application_checks.of_actuators,
    soft_checks.of_rigid_chains,
    soft_checks.of_one_arc,
    soft_checks.of_statics,
    soft_checks.of_rods,
    hybrid_checks.of_hybrids,
    hybrid_checks.of_external_forces,
    hybrid_checks.of_tensions,
    symbolic_checks.of_expressions,
)
# public functions that have no row, by the reason
WITHOUT_ROW = {
    'reads, checks or prepares what a user sends': {
        'append_segments.append_segments', 'append_segments.read_segments',
        'check_recording.check_recording', 'materials.circular_section',
        'dispatch.register_kind', 'joint_limits.read_joint_limits', 'joint_order.joint_order',
        'kernel.kernel_form', 'load.load',
        'parsed_objects.from_parsed_urdf', 'paths.share_path',
        'pose_files.parse_poses', 'pose_files.read_poses', 'read_urdf.read_urdf',
        'trajectory_files.parse_trajectory', 'trajectory_files.read_trajectory',
        'trajectory_start.check_position_limits', 'trajectory_start.nearest_turn',
        'trajectory_start.require_end_in_future', 'limited_quantities.limits_by_name',
        'strain_bases.strain_basis', 'waypoints.waypoints_from_points',
    },
    'arranges numbers: the rows of what uses it judge it': {
        'effort_uncertainty.propagate_uncertainty', 'evaluation.evaluate',
        'jets.jet_of_coefficients',
        'jets.jet', 'jets.leibniz_terms', 'jets.taylor_coefficients', 'jets.taylor_shifted',
        'taylor.jet_of_series', 'taylor.series_of_jet', 'last_slowing.retimed_waypoints',
        'spline.overshoot_bound', 'spline.through',
        'screw.pose_on_axis', 'screw.rotation_and_translation_rate', 'screw.screw_pitch',
        'screw.screw_type', 'se3.hat', 'se3.inverse_pose', 'se3.is_pose', 'se3.pose',
        'so3.axis_angle_rotation', 'so3.is_rotation', 'so3.quaternion_rotation',
        'so3.rotation_onto_z', 'so3.rpy_rotation', 'so3.skew', 'so3.vee',
    },
    'converts: the page of accuracy compares it': {
        'from_pinocchio.from_pinocchio', 'read_mjcf.read_mjcf', 'to_pinocchio.to_pinocchio',
    },
    'estimates: a page of its own has its bands': {
        'excitation.excitation_motion', 'identify_drives.identify_drives',
        'learn_motion.learn_motion',
    },
    'draws': {'results_plot.plot', 'view.view'},
    'its tests sum over bodies, put the solution into the equation, or drive MuJoCo': {
        'feedback_gains.motor_gains', 'feedback_gains.state_feedback',
        'winding_loads.winding_loads',
        'inverse_kinematics.inverse_kinematics', 'mass_and_energy.centre_of_mass',
        'mass_and_energy.centre_of_mass_jacobian', 'mass_and_energy.kinetic_energy',
        'mass_and_energy.potential_energy',
    },
    'writes the expressions, whose methods have rows': {
        'c_source.c_source', 'documents.latex_source', 'documents.python_source', 'terms.terms',
    },
}  # fmt: skip


def parts_of_page():
    for part in PAGE.read_text(encoding='utf-8').split('\n## ')[1:]:
        heading, *lines = part.splitlines()
        yield heading, lines


# what `make verification` runs: minutes, beside test/agreement, test/dynamics and test/theory
long = pytest.mark.long


@pytest.fixture(scope='module')
def rows():
    found: dict[str, Row] = {}
    judge(found, 'trees', map(random_scene, (3, 4)))
    judge(found, 'robots', [scene for scene in robot_scenes() if scene.name == 'planar_2r'])
    return found


@long
def test_every_algorithm_is_judged(rows):
    assert set(rows) == set(algorithms())


@long
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


def test_every_public_function_has_a_row_or_a_reason():
    public = {
        short_name(entry)
        for module in (sd, *(import_module(f'screw_dynamics.{room}') for room in PUBLIC))
        for entry in (getattr(module, name) for name in module.__all__)
        if inspect.isfunction(entry)
    }
    listed = {cells[0].strip('`') for _, lines in parts_of_page() for cells in rows_of(lines)}
    reasons = set().union(*WITHOUT_ROW.values())
    assert public - listed == reasons


def rows_of(lines):
    """Yield the cells of the rows of a table."""
    for line in lines:
        if line.startswith('| `'):
            yield [cell.strip() for cell in line.strip('|').split('|')]


@long
@pytest.mark.parametrize('subject', QUICK, ids=lambda subject: subject.__name__)
def test_measures_are_within_their_bounds(subject):
    """They are on the page, too."""
    found = list(subject())
    assert found
    lines = dict(parts_of_page())[measures.SUBJECTS[subject]]
    listed = [(cells[0], cells[2]) for cells in rows_of(lines)]
    for measure in found:
        assert 0.0 <= measure.residual <= measure.bound, measure
        name = f'`{short_name(measure.algorithm)}`'
        assert any(name == row and oracle.startswith(measure.oracle) for row, oracle in listed)


def test_an_integrator_has_its_order():
    (found,) = integrator_checks.of_elastic_robots()
    extra = Extra(integrations=[found])
    assert not extra.broken
    extra.integrations[0] = replace(found, order=found.nominal - 1.0)
    assert extra.broken == ['simulation.elastic_robot.ElasticRobot.step, classical']


def test_the_page_has_what_is_measured_beside_the_trees():
    """The committed page has the tables, with residuals below their bounds and orders met."""
    tables = {
        heading: list(rows_of(lines)) for heading, lines in parts_of_page() if heading in MEASURED
    }
    assert set(tables) == MEASURED
    for cells in tables.pop(INTEGRATORS):
        assert abs(float(cells[4]) - int(cells[3])) < ORDER_ROOM, cells
    for cells in (cells for table in tables.values() for cells in table):
        assert float(cells[3]) <= float(cells[4]), cells
    soft = {cells[0] for cells in tables['Soft-rigid robots']}
    assert {f'`functions.{name}`' for name in ('inverse_dynamics', 'mass_matrix')} <= soft


@long
def test_page_of_a_run(rows):
    for row in rows.values():
        row.cost = None
    rows['dynamics.mass_matrix.mass_matrix'].cost = cost(sd.mass_matrix)
    text = str(page({name: rows[name] for name in algorithms()}, range(2), ['planar_2r'], Extra()))
    assert text.count('\n| `') == len(rows)
    assert re.search(r'\| `mass_matrix.mass_matrix` \| MK2021 \(20\).*\|\s*[\d.]+ \|', text)


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
