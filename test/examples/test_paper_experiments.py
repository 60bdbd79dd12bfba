# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The experiments of MK2021, KM2021 and N2021: print, figures, theory and kernel agree."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd
from paper_experiments import cost, fanuc, planar_2r
from paper_experiments.arms import DURATION, FORMS, Experiment, iiwa, panda
from screw_dynamics.theory.closed_form import nth_derivatives

pytestmark = pytest.mark.processes

# Some hundred rounded operations in a row lose at most three of the sixteen digits.
BOUND = 1e-12

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'theory' / 'experiments.md'


def test_printed_expressions_are_those_of_the_closed_form_identically() -> None:
    pytest.importorskip('sympy')
    parameters = planar_2r.Parameters(L1=0.5, L2=0.25, m1=2.0, m2=0.75, g=9.5)
    assert planar_2r.symbolic_difference(nth_derivatives.inverse_dynamics, parameters) == [0] * 6


def test_printed_expressions_hold_for_any_parameters(rng: np.random.Generator) -> None:
    for _ in range(5):
        parameters = planar_2r.Parameters(*rng.uniform(0.2, 3.0, 5))
        gaps = planar_2r.differences(parameters, rng.normal(size=(4, 5, 2)))
        assert set(gaps) == {*FORMS, 'kernel'}
        assert max(gap.max() for gap in gaps.values()) < BOUND


def test_the_robot_of_the_print_is_the_urdf() -> None:
    robot = sd.read_urdf(
        sd.share_path('urdf/planar_2r.urdf'), base_link='plane', gravity=(0.0, -9.81, 0.0)
    )
    jets = planar_2r.motion(np.linspace(0.0, 1.0, 5))
    ours = sd.inverse_dynamics(planar_2r.model(planar_2r.Parameters()), jets)
    np.testing.assert_allclose(sd.inverse_dynamics(robot, jets), ours, rtol=0, atol=1e-10)


@pytest.mark.parametrize('experiment', [iiwa(), panda()], ids=['iiwa', 'panda'])
def test_arms(experiment: Experiment) -> None:
    gaps = experiment.differences(np.linspace(0.0, DURATION, 5))
    assert set(gaps) == set(FORMS) and all(
        len(gap) == experiment.order + 1 for gap in gaps.values()
    )
    assert max(gap.max() for gap in gaps.values()) < BOUND
    assert experiment.published
    for order, points in experiment.published.items():
        efforts = experiment.efforts(np.ascontiguousarray(points[:, 0]))[:, order]
        # coordinates in the published graphics are rounded to a thousandth of a pixel
        error = np.abs(efforts - points[:, 1:]).max()
        assert error < experiment.resolution[order] < 1e-4 * np.ptp(points[:, 1:])


def test_one_joint_of_a_fanuc_arm() -> None:
    """(99) to (101): energies, recursion, closed form and kernel against the inertia printed."""
    gaps = fanuc.differences(fanuc.motion(np.linspace(0.0, fanuc.DURATION, 7)))
    assert set(gaps) == {'energies', 'body-fixed', 'closed form', 'kernel'}
    assert max(gap.max() for gap in gaps.values()) < BOUND
    jets = fanuc.motion(np.linspace(0.0, fanuc.DURATION, 3001))
    largest = np.abs(fanuc.printed(jets)).max(axis=0)
    rows = re.findall(
        r'^\| \((?:99|10[01])\) \| order (\d) \|.*?\| ([\d.]+) N', PAGE.read_text('utf-8'), re.M
    )
    assert [int(order) for order, _ in rows] == [0, 1, 2]
    np.testing.assert_allclose([float(value) for _, value in rows], largest, rtol=1e-3)


def test_inertias_as_the_text_says_are_not_those_of_the_figure() -> None:
    experiment = iiwa(as_printed=True)
    points = experiment.published[0]
    efforts = experiment.efforts(np.ascontiguousarray(points[:, 0]))[:, 0]
    assert np.abs(efforts - points[:, 1:]).max() > 1.0  # N m


def test_times_are_measured_and_recorded_of_all_forms() -> None:
    rows = cost.measure(joints=(2,), orders=(0, 2), rounds=1)
    assert {row[0] for row in rows} == {*FORMS, 'kernel', 'closed form, explicit'}
    assert all(seconds > 0 for *_, seconds in rows)
    for n in cost.JOINTS:
        for order in cost.ORDERS:
            assert all(cost.recorded()[form, n, order] > 0 for form in (*FORMS, 'kernel'))


def test_explicit_matrices_are_those_of_any_order() -> None:
    model, jets = cost.chain(7)
    expected = nth_derivatives.inverse_dynamics(model, jets[:5])
    gap = np.abs(cost.second_order(model, jets[:5]) - expected).max(axis=1)
    assert (gap < BOUND * np.abs(expected).max(axis=1)).all()


def test_the_page_has_the_peaks_and_times() -> None:
    times = np.linspace(0.0, DURATION, 5001)
    peaks = {
        name: np.abs(experiment.efforts(times)).max(axis=0)
        for name, experiment in (('MK2021', iiwa()), ('KM2021', panda()))
    }
    row = re.compile(
        r'^\| (MK2021|KM2021) figure \S+ \| order (\d) \| ours \|(.*)\|$', re.MULTILINE
    )
    rows = row.findall(PAGE.read_text(encoding='utf-8'))
    assert len(rows) == 7  # orders 0 to 2 of the iiwa, 0 to 3 of the Panda
    for paper, order, cells in rows:
        printed = np.array([float(cell) for cell in cells.split('|')])
        np.testing.assert_allclose(printed, peaks[paper][int(order)], rtol=1e-3, atol=1e-3)
    assert cost.table() in PAGE.read_text(encoding='utf-8')
