# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inertial efforts beside Lagrange's equations of the material points, differentiated automatically.

Neither side has the rounding of a Cauchy circle or of a difference, hence the bounds are some
units of the last place of the largest effort.
"""

import numpy as np
import pytest

import screw_dynamics as sd
from soft_study import arcs
from soft_study.arcs import lagrange_efforts
from soft_study.hybrid import LINKS

SOFT = sd.soft
UNITS = np.array([1.0, 1.0, 10.0, 1.0, 10.0, 1.0, 0.01, 0.01])  # of the coordinates of a LVP body
STRAINS = np.array([0.6, 0.6, 0.1])  # angles [rad], elongation [m]


def rigid_arm():
    modules = []
    for place, turn, mass, vector, radius in LINKS:
        pose = np.eye(4)
        pose[:3, :3] = sd.lie.exp_so3(np.array([turn, 0.0, 0.0]))
        pose[:3, 3] = place
        inertia = mass * (radius**2 + np.dot(vector, vector) / 12.0) * np.eye(3)
        modules.append(SOFT.Joint('revolute', pose=pose))
        modules.append(SOFT.RigidBody(mass, 0.5 * np.array(vector), inertia))
    return modules


def lvp():
    return SOFT.VolumePreserving(0.1, 0.02, 0.12, nodes=(2, 4, 4))


def strain_basis(s):
    """Return linear curvature, twist and elongation, in multiples of the length."""
    basis = np.zeros((6, 4))
    basis[0, 0], basis[0, 1], basis[2, 2], basis[5, 3] = 3.0, 10.0 * s, 3.0, 1.0
    return basis


def rod():
    return SOFT.VariableStrain(0.3, 0.02, 0.4, strain_basis, nodes=6)


def spatial_arc():
    return SOFT.ConstantCurvature(0.3, 0.02, 0.4)


CASES = {
    'two spatial arcs': (lambda: [spatial_arc()] * 2, np.tile(STRAINS, 2)),
    'two rods': (lambda: [rod()] * 2, np.full(8, 0.5)),
    'one LVP body': (lambda: [lvp()], UNITS),
    'two LVP bodies': (lambda: [lvp()] * 2, np.tile(UNITS, 2)),
    '6R': (rigid_arm, np.ones(6)),
    'hybrid of 17 coordinates': (
        lambda: [*rigid_arm(), spatial_arc(), lvp()],
        np.concatenate([np.ones(6), STRAINS, UNITS]),
    ),
}


@pytest.mark.parametrize('count', arcs.CHECKED)
def test_planar_arcs_have_the_efforts_of_lagrange_at_the_samples_of_the_paper(count):
    """Simulation 3: a hundred motions, angles to pi, rates to 10, accelerations to 100."""
    robot = arcs.chain(count)
    jets = np.random.default_rng(count).uniform(-1.0, 1.0, (arcs.SAMPLES, 3, count))
    jets *= arcs.RANGES[:, np.newaxis]
    errors = []
    for jet, got in zip(jets, sd.inverse_dynamics(robot, jets)[:, 0], strict=True):
        accelerating = sd.mass_matrix(robot, jet[0]) @ jet[2]
        velocity = sd.bias_forces(robot, *jet[:2])
        size = max(abs(accelerating).max(), abs(velocity).max())  # their sum may cancel
        errors.append(abs(got - arcs.lagrange_efforts(robot, jet)).max() / size)
    assert np.mean(errors) <= 2e-15 and np.max(errors) <= 2.5e-14


@pytest.mark.parametrize('name', CASES)
def test_inertial_efforts_and_mass_matrix_are_those_of_lagrange(name):
    modules, units = CASES[name]
    robot = SOFT.SoftRobot(modules(), (0.0, 0.0, 0.0))
    assert robot.n == len(units)
    rng = np.random.default_rng(robot.n)
    for _ in range(3):
        jet = rng.uniform(-1.0, 1.0, (3, robot.n)) * units
        jet[0] *= 0.5
        expected = lagrange_efforts(robot, jet) * units
        got = sd.inverse_dynamics(robot, jet)[0] * units
        assert abs(got - expected).max() <= 3e-15 * abs(expected).max()
    none = np.zeros(robot.n)
    columns = [
        lagrange_efforts(robot, np.array([jet[0], none, column])) for column in np.eye(robot.n)
    ]
    scales = np.outer(units, units)
    matrix = np.array(columns).T * scales
    found = sd.mass_matrix(robot, jet[0]) * scales
    assert abs(found - matrix).max() <= 3e-15 * abs(matrix).max()
    plain = found / scales
    assert abs(plain - plain.T).max() <= 3e-16 * abs(plain).max()
