# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports of limits that published samples exceed: each quantity once, with its worst value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.control.limit_watch import LimitWatch
from screw_dynamics.control.report import OK, WARN
from screw_dynamics.robot import Robot

MOTOR = sd.Motor(rotor_inertia=0.1, max_effort=20.0, max_velocity=4.0)
SPRUNG = sd.ElasticJoints(
    {
        'joint_2': sd.ElasticJoint(
            sd.LinearSpring(300.0), MOTOR, max_deflection=0.1, max_effort_rate=50.0
        )
    }
)


@pytest.fixture
def arm(planar):
    """Return a robot with different limits for all quantities, none of which is 0."""
    model = sd.read_urdf(planar)
    limits = replace(
        model.limits,
        lower=np.array([0.5, -2.0]),
        upper=np.array([1.5, 2.0]),
        velocity=np.array([3.0, 0.0]),  # 0: nobody has filled it in
        effort=np.array([40.0, 30.0]),
    )
    return replace(model, limits=limits)


def jet(q, qd=(0.0, 0.0)):
    return np.array([q, qd, (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)])


def test_the_worst_value_of_either_sign_is_told_once(arm):
    watch = LimitWatch(Robot(arm))
    assert watch.report() == (OK, 'nothing published', {})
    for q, effort in ((0.7, 10.0), (0.2, -41.0), (1.4, 39.0), (0.6, -46.0), (1.0, 0.0)):
        watch.add(jet([q, 0.0], [2.0, 1e3]), np.array([[effort, -29.0]]))
    assert watch.report() == (
        WARN,
        'limit exceeded: joint_1: position 0.2 rad, limit 0.5 rad (and 1 more)',
        {
            'joint_1: position': '0.2 rad, limit 0.5 rad',
            'joint_1: effort': '-46 N m, limit -40 N m',
        },
    )
    assert watch.report().message == 'nothing published'
    watch.add(jet([1.0, 0.0]), np.array([[39.0, 0.0]]))
    assert watch.report() == (OK, 'kept', {})


def test_another_model_begins_anew(arm):
    watch = LimitWatch(Robot(arm))
    watch.add(jet([1.0, 0.0], [3.5, 0.0]), np.zeros((1, 2)))
    limits = replace(arm.limits, velocity=np.array([1.0, 1.0]))
    watch.set_robot(Robot(replace(arm, limits=limits)))
    assert watch.report().message == 'nothing published'
    watch.add(jet([1.0, 0.0], [2.5, 0.0]), np.zeros((1, 2)))
    assert watch.report().message == 'limit exceeded: joint_1: velocity 2.5 rad/s, limit 1 rad/s'


def test_limits_that_are_none_are_told(arm):
    limits = replace(arm.limits, lower=arm.limits.upper + 1.0)
    watch = LimitWatch(Robot(replace(arm, limits=limits)))
    watch.add(jet([1.0, 0.0]), np.zeros((1, 2)))
    level, message, _ = watch.report()
    assert level == WARN
    assert "joint 'joint_1': upper limit: expected at least the lower limit 2.5" in message


@pytest.mark.parametrize('rows', [5, 6])
@pytest.mark.parametrize('published', [1, 2])
def test_springs_and_motors(arm, rows, published):
    watch = LimitWatch(Robot(arm, SPRUNG))
    motors = SPRUNG.buffers(arm, rows)
    quantities = {
        'joint_2: effort rate': (motors.effort_jet[1], -70.0, '-70 N m/s, limit -50 N m/s'),
        'joint_2: deflection': (motors.deflection_jet[0], 0.3, '0.3 rad, limit 0.1 rad'),
        'joint_2: motor velocity': (motors.motor_jet[1], -4.5, '-4.5 rad/s, limit -4 rad/s'),
        'joint_2: motor effort': (motors.motor_effort_jet[0], 21.0, '21 N m, limit 20 N m'),
    }
    still = jet([1.0, 0.0])

    def clear():
        for array in (
            motors.effort_jet,
            motors.deflection_jet,
            motors.motor_jet,
            motors.motor_effort_jet,
        ):
            array[:] = 0.0

    for name, (row, value, told) in quantities.items():
        clear()
        row[1] = value
        watch.add(still, motors.effort_jet[:published])
        watch.add_motors(motors)
        clear()
        watch.add(still, motors.effort_jet[:published])
        watch.add_motors(motors)
        assert watch.report() == (WARN, f'limit exceeded: {name} {told}', {name: told})
    # efforts count even if no motor command can be computed
    watch.add(still, np.array([[0.0, 31.0]]))
    assert watch.report().values == {'joint_2: effort': '31 N m, limit 30 N m'}
