# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LimitTable`: which limits joints and motors have, and what is beyond them."""

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError
from screw_dynamics.limits.table import ABSURD, ABSURD_RATE, LimitTable

INF = np.inf


@pytest.fixture(scope='module')
def robot():
    """A joint behind a spring, and a rigid one."""
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    limits = sd.JointLimits(
        *np.array([[-3.0, -2.0], [1.0, 2.5], [4.0, 0.0], [60.0, 20.0], [INF, 9.0]])
    )
    motor = sd.Motor(gear_ratio=50.0, max_effort=1.4, max_velocity=150.0)
    drives = {
        'joint_1': sd.JointDrive(sd.LinearSpring(500.0), motor, max_deflection=0.1),
        'joint_2': sd.JointDrive(motor=motor, max_effort_rate=700.0),
    }
    return sd.Robot(replace(arm, limits=limits), sd.Drives(drives))


def test_rows_of_joints_and_motors(robot):
    expected = {
        'effort': [60.0, 20.0],
        'position': [1.0, 2.5],
        'velocity': [4.0, INF],
        'acceleration': [INF, 9.0],
        'jerk': [INF, INF],
        'effort rate': [INF, 700.0],
        'motor effort': [70.0, 70.0],
        'motor position': [1.1, 2.5],
        'motor velocity': [3.0, 3.0],
        'motor effort rate': [INF, INF],
        'deflection': [0.1, INF],
    }
    rows = LimitTable.of(robot).rows
    assert list(rows) == list(expected)
    for quantity, upper in expected.items():
        row = rows[quantity]
        np.testing.assert_allclose(row.upper, upper, rtol=1e-15)
        lower = {'position': [-3.0, -2.0], 'motor position': [-3.1, -2.0]}.get(quantity)
        np.testing.assert_allclose(row.lower, -row.upper if lower is None else lower, rtol=1e-15)
    limited = LimitTable.of(robot.with_limited_motors()).rows
    np.testing.assert_array_equal(limited['motor effort'].upper, [70.0, 20.0])
    np.testing.assert_array_equal(limited['motor effort rate'].upper, [INF, 700.0])
    assert LimitTable.of(robot).limited_derivatives() == [(1, 'velocity'), (2, 'acceleration')]
    assert not any('motor' in name for name in LimitTable.of(sd.Robot(robot.model)).rows)


def test_the_order_of_samples(robot):
    table = LimitTable.of(robot)
    joints = table.of_samples(['joint_2', 'joint_1'])
    assert list(joints.rows) == list(table.rows)[:6]
    assert joints.rows['position'].upper.tolist() == [2.5, 1.0]
    both = table.of_samples(['joint_1'], ['joint_2', 'joint_1'])
    assert both.rows['motor position'].names == ('joint_2', 'joint_1')
    assert both.rows['velocity'].names == ('joint_1',)
    for names, text in (((['elbow'],), 'joint_names'), ((['joint_1'], ['elbow']), 'motor_names')):
        with pytest.raises(InputError, match=f"{text}: unknown name 'elbow', expected some of jo"):
            table.of_samples(*names)


def test_the_value_farthest_beyond_is_named(robot):
    table = LimitTable.of(robot)
    q = np.array([1.0 + 0.5e-6, -2.0])  # a motion may be planned to touch a limit
    assert table.violation(('position', q), ('velocity', None), ('effort', q)) == ''
    q[0] = 1.0 + 2e-6
    assert table.violation(('position', q)) == 'joint_1: position 1.000002 rad, limit 1 rad'
    q[1] = -2.2
    text = 'joint_2: position -2.2 rad, limit -2 rad'
    assert table.violation(('velocity', np.zeros(2)), ('position', q)) == text
    assert table.violation(('effort', np.array([0.0, np.nan]))).startswith('joint_2: effort nan')
    huge = np.array([2.0 * ABSURD, 0.0])
    free = table.without_limits()
    assert free.violation(('position', huge), ('effort rate', 1e3 * huge)) == ''
    bounded = free.against_absurd()
    assert f'limit {ABSURD:g} rad' in bounded.violation(('position', huge))
    assert bounded.violation(('effort rate', huge)) == ''
    assert f'limit {ABSURD_RATE:g} N m/s' in bounded.violation(('effort rate', 1e3 * huge))


def test_steps_within_a_time(robot):
    """With the rounding of two samples, a millionth and a nanoradian."""
    steps = LimitTable.of(robot).steps('velocity', 0.01)
    np.testing.assert_allclose(steps, [0.04, INF], rtol=2e-6)
    assert steps[0] > 0.04
