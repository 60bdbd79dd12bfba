# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of springs from measured deflections, and loads on robots with springs."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import random_joint_jet

import screw_dynamics as sd
from screw_dynamics.drives import transmitted_efforts
from screw_dynamics.errors import NotFiniteError, ShapeError, SpringRangeError

MOTOR = sd.Motor(rotor_inertia=1e-5, gear_ratio=100.0)
FRICTION = sd.JointFriction(viscous=1.5, coulomb=0.7, load=0.1)
SPRINGS = {
    'linear': sd.LinearSpring(4000.0),
    'damped': sd.LinearSpring(4000.0, damping=20.0),
    'cubic': sd.CubicSpring(4000.0, 5e5),
    'pair': sd.AntagonisticPair('exponential', 4000.0, spring_stiffness=50.0, rate=20.0),
}


@pytest.fixture(scope='module')
def arm():
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


@pytest.mark.parametrize('kind', SPRINGS)
@pytest.mark.parametrize('seed', range(3))
def test_efforts_are_those_that_the_springs_transmit(arm, kind, seed):
    rng = np.random.default_rng(seed)
    # every other joint is rigid
    drives = sd.Drives(
        {
            name: sd.JointDrive(SPRINGS[kind] if i % 2 else None, MOTOR, friction=FRICTION)
            for i, name in enumerate(arm.joint_names)
        }
    )
    jet = random_joint_jet(rng, arm.n, 2)
    feedforward = sd.elastic_feedforward(sd.Robot(arm, drives), jet)
    efforts = sd.inverse_dynamics(arm, jet[:4].copy())
    expected = transmitted_efforts(sd.Robot(arm, drives), jet, efforts)[0]
    found = sd.measured_spring_efforts(
        sd.Robot(arm, drives), jet[:2], feedforward.motor_jet[:2], expected
    )
    scale = abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * scale)


def test_whole_turns_of_continuous_joints_are_left_out(arm):
    model = sd.read_urdf(
        sd.share_path('urdf/planar_2r.urdf').read_bytes().replace(b'"revolute"', b'"continuous"')
    )
    springs = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(100.0))})
    found = sd.measured_spring_efforts(
        sd.Robot(model, springs),
        [[0.1, 0.0], [0, 0]],
        [[0.12 + 4 * np.pi, 0.0], [0, 0]],
        [0.0, 0.0],
    )
    np.testing.assert_allclose(found, [2.0, 0.0], atol=1e-10)


def test_a_push_is_found_by_the_deflection_of_springs(arm):
    drives = sd.Drives(
        {name: sd.JointDrive(sd.LinearSpring(4000.0), MOTOR) for name in arm.joint_names}
    )
    q, rest = np.full(7, 0.4), np.zeros(7)
    push = sd.frame_jacobian(arm, q, 'flange').T @ [0.5, -1.0, 0.3, 20.0, -30.0, 15.0]
    held = sd.gravity_forces(arm, q) - push
    observer = sd.LoadObserver(sd.Robot(arm, drives), bandwidth=100.0)
    for i in range(100):
        motors = [q + held / 4000.0, rest]
        effort = sd.measured_spring_efforts(sd.Robot(arm, drives), [q, rest], motors, rest)
        found = observer.update(0.005 * i, q, rest, effort)
    np.testing.assert_allclose(found, push, atol=1e-9)


def test_bad_arguments_are_named(arm):
    table = sd.TabulatedSpring(deflections=[-0.1, 0.0, 0.1], efforts=[-10.0, 0.0, 10.0])
    drives = sd.Drives({'joint_2': sd.JointDrive(table)})
    links, motors = np.zeros((2, 7)), np.zeros((2, 7))
    motors[0, 1] = 0.3
    with pytest.raises(SpringRangeError, match='joint_2'):
        sd.measured_spring_efforts(sd.Robot(arm, drives), links, motors, np.zeros(7))
    with pytest.raises(ShapeError, match=r'motor_jet: expected shape \(2, 7\)'):
        sd.measured_spring_efforts(sd.Robot(arm, drives), links, motors[:1], np.zeros(7))
    with pytest.raises(NotFiniteError, match='joint_jet'):
        sd.measured_spring_efforts(sd.Robot(arm, drives), links + np.nan, motors, np.zeros(7))
