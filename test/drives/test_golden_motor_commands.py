# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A planar arm with two joints whose motor commands were computed with 50 digits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles.golden import elastic_arm

import screw_dynamics as sd

JET = np.array(
    [[0.3, 0.7, 1.3, -2.1, 4.7, -3.7, 8.3], [-0.5, -1.1, 0.9, 3.3, -5.9, 7.1, -9.7]]
).T.copy()
EFFORTS = np.array(
    [
        [12.270574437934403, 2.1454845073786586],
        [-3.4728048027010598, -0.47132302893719938],
        [-5.9531713987330133, 0.72452900296655121],
        [-7.7910666500927601, 6.9492031131048919],
        [-12.467216775442859, -27.25487113127156],
    ]
)
THETA = np.array(
    [
        [0.36135287218967201, -0.47854515492621341],
        [0.6826359759864947, -1.104713230289372],
        [1.2702341430063349, 0.90724529002966551],
    ]
)
FRICTION = ('viscous_friction', 'coulomb_friction')


def commands(model: sd.ScrewModel, *drives: sd.JointDrive, **options) -> sd.MotorFeedforward:
    named = dict(zip(model.joint_names, drives, strict=True))
    rows = options.pop('rows', 5)
    return sd.elastic_feedforward(sd.Robot(model, sd.Drives(named)), JET[:rows], **options)


def assert_close(actual, expected) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-14, atol=0.0)


def without(joint: sd.JointDrive, *frictions: str) -> sd.JointDrive:
    return replace(joint, motor=replace(joint.motor, **dict.fromkeys(frictions, 0.0)))


def test_linear_springs():
    model, one, two = elastic_arm()
    motors = commands(model, one, two, rows=7)
    assert_close(motors.effort_jet, EFFORTS)
    assert_close(motors.motor_jet[:3], THETA)
    assert_close(motors.motor_effort, [13.002387703599485, 1.7199041259491941])


@pytest.mark.parametrize(
    ('frictions', 'expected'),
    [
        (FRICTION, (12.397597852235036, 2.1908467718801419)),
        (FRICTION[1:], (12.602388645030985, 1.9699041258222675)),
    ],
)
def test_less_friction(frictions, expected):
    model, one, two = elastic_arm()
    motors = commands(model, without(one, *frictions), without(two, *frictions))
    assert_close(motors.motor_effort, expected)


def test_rigid_joints():
    model, one, two = elastic_arm()
    motors = commands(model, replace(one, spring=None), replace(two, spring=None), rows=3)
    assert_close(motors.motor_effort, [13.010573772711981, 1.720484507518132])
    assert_close(motors.motor_jet, JET[:3])


def test_hardening_spring():
    model, one, two = elastic_arm()
    motors = commands(model, replace(one, spring=sd.CubicSpring(150.0, 4000.0)), two)
    expected = [0.071894314975683636, -0.01637918379550452, -0.030260862094420825]
    assert_close(motors.deflection_jet[:, 0], expected)


def test_stiffness_trajectory():
    model, one, two = elastic_arm()
    drives = one, replace(two, spring=sd.VariableStiffness(100.0))
    motors = commands(model, *drives, stiffness_jets={'joint_2': [100.0, -40.0, 300.0]})
    expected = [0.021454845073786586, 0.0038687077401426406, -0.054024278999580133]
    assert_close(motors.deflection_jet[:, 1], expected)


def test_antagonistic_pair():
    model, one, two = elastic_arm()
    pair = sd.AntagonisticPair('exponential', stiffness=1.0, spring_stiffness=20.0, rate=8.0)
    drives = one, replace(two, spring=pair)
    motors = commands(model, *drives, stiffness_jets={'joint_2': [120.0, 30.0, -50.0]})
    assert motors.motor_names == ('joint_1', 'joint_2/1', 'joint_2/2')
    first = [0.15403711655993638, 0.023903356082266172, -0.04485468214189303]
    second = [-0.11803215467306653, -0.041049028951735808, 0.081301962504941592]
    assert_close(motors.deflection_jet[:, 1], first)
    assert_close(motors.deflection_jet[:, 2], second)


def test_parallel_damper():
    model, one, two = elastic_arm()
    drives = {'joint_1': replace(one, spring=sd.LinearSpring(200.0, damping=4.0)), 'joint_2': two}
    start = {'joint_1': EFFORTS[0, 0] / 200.0}
    damper = sd.DeflectionFilter(sd.Robot(model, sd.Drives(drives)), rows=7, deflection=start)
    h = 0.01
    powers = h ** np.arange(5) / np.cumprod([1, 1, 2, 3, 4])
    later = np.array([powers[: 5 - k] @ EFFORTS[k:] for k in range(5)])
    damper.step(EFFORTS, 0.0)
    expected = [0.061315655529590283, -0.0068959195715957367, -0.53838605839280245]
    np.testing.assert_allclose(damper.step(later, h)[:3, 0], expected, rtol=1e-12)
