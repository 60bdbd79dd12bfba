# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensions of the threads of hybrid robots: conditions of optimality, time derivatives, limits."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.soft.segments.thread_jets import ThreadJets

SOFT = sd.soft
TRUNK = """
segments:
  - {name: trunk, type: TYPE, length: 0.3, radius: 0.02, mass: 0.4, youngs_modulus: 1.0e+6}
threads:
  - {name: a, offsets: {trunk: [0.015, 0.0]}, least_tension: 2.0}
  - {name: b, offsets: {trunk: [-0.008, 0.013]}, least_tension: 2.0}
  - {name: c, offsets: {trunk: [-0.007, -0.013]}, least_tension: 2.0}
"""
ARC = 'constant_curvature, elongation: false'
STRAIN = 'variable_strain, strains: {bend_x: 1, bend_y: 1}'


def trunk(kind, *, youngs=True):
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    text = TRUNK if youngs else TRUNK.replace(', youngs_modulus: 1.0e+6', '')
    return SOFT.append_segments(arm, text.replace('TYPE', kind))


def motion(t, order=5):
    """Return a jet of the four coordinates, of sines."""
    speeds, places = np.array([1.0, 1.3, 0.7, 0.9]), np.array([0.2, 0.4, 1.4, 0.5])
    rows = [
        speeds**d * places * np.sin(speeds * t + 0.5 * np.pi * d + [0, 1, 2, 3])
        for d in range(order)
    ]
    return np.array(rows)


def tensions_at(robot, t, rows=3):
    jet = motion(t)
    efforts = sd.inverse_dynamics(robot, jet)
    values, errors = robot.threads.tensions(jet, efforts[:rows])
    return jet, efforts, values, errors


@pytest.mark.parametrize('kind', [ARC, STRAIN])
def test_tensions_realise_the_efforts_with_the_least_norm(kind):
    robot = trunk(kind)
    for t in np.linspace(0.0, 3.0, 7):
        jet, efforts, values, errors = tensions_at(robot, t)
        matrix = np.array(
            [
                SOFT.Thread(robot, {'trunk': offset}).effort_jet(jet[:1])[0, 2:]
                for offset in ([0.015, 0.0], [-0.008, 0.013], [-0.007, -0.013])
            ]
        ).T
        np.testing.assert_allclose(matrix @ values[0], efforts[0, 2:], atol=1e-8)
        assert errors.max() < 1e-8
        assert values[0].min() >= 2.0
        # of least norm: tau - least = max(A^T y, 0) for some y (Karush, Kuhn, Tucker)
        above = values[0] - 2.0
        pulling = above > 1e-6
        multipliers = np.linalg.lstsq(matrix[:, pulling].T, above[pulling], rcond=None)[0]
        optimal = np.maximum(matrix.T @ multipliers, 0.0)
        np.testing.assert_allclose(above, optimal, rtol=0, atol=1e-6 * (1.0 + above.max()))


@pytest.mark.parametrize('kind', [ARC, STRAIN])
def test_derivatives_of_tensions_are_those_along_the_motion(kind):
    robot, step = trunk(kind), 1e-4
    for t in (0.3, 1.1, 2.2):
        values = tensions_at(robot, t)[2]
        around = [tensions_at(robot, t + k * step)[2] for k in (-2, -1, 1, 2)]
        weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * step)
        for d in (0, 1):
            slope = sum(w * rows[d] for w, rows in zip(weights, around, strict=True))
            # rounding of the tensions (1e-10 by the least-norm term) over the step
            scale = 1.0 + np.abs(values).max()
            np.testing.assert_allclose(values[d + 1], slope, rtol=0, atol=2e-5 * scale)


def test_a_tension_above_its_limit_is_refused_by_name():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    text = TRUNK.replace('TYPE', ARC).replace('least_tension: 2.0}', 'most_tension: 0.1}', 1)
    robot = SOFT.append_segments(arm, text)
    jet = np.zeros((3, 4))
    jet[0, 2] = 0.5
    with pytest.raises(InputError, match="thread 'a': expected a tension of at most 0.1 N"):
        robot.threads.tensions(jet, sd.inverse_dynamics(robot, jet))


def test_efforts_that_need_a_push_leave_an_error():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    one = TRUNK.replace('TYPE', ARC).split('  - {name: b')[0]
    robot = SOFT.append_segments(arm, one)
    efforts = np.zeros((1, 4))
    efforts[0, 2:] = -0.3, 0.2
    tensions, errors = robot.threads.tensions(np.zeros((3, 4)), efforts)
    # the thread cannot push: only the least tension is left
    np.testing.assert_allclose(tensions, [[2.0]])
    np.testing.assert_allclose(errors, [0.3 + 2.0 * 0.015, 0.2])


@pytest.mark.parametrize('kind', [ARC, STRAIN, 'volume_preserving'])
def test_jets_of_threads_are_those_by_series(kind, rng):
    robot = trunk(kind, youngs=kind != 'volume_preserving')
    offsets = {'trunk': (0.01, -0.004)}
    jet = 0.05 * rng.normal(size=(4, robot.n))
    expected = SOFT.Thread(robot, offsets).effort_jet(jet)
    got = ThreadJets(robot, offsets).effort_jet(jet)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * (1.0 + np.abs(expected).max()))
