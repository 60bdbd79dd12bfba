# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Feedback around position servos, which carry it, as every effort, in their positions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.feedback_loop import GAINS, KD, KP, MS, POINTS, START, UNLIMITED, UPRIGHT, steps_of
from helpers.planar_sea import NAMES, STIFFNESS, gravity_efforts, integrate, motor_feedforward

import screw_dynamics as sd

SERVO_KP, SERVO_D = np.array([150.0, 80.0]), np.array([6.0, 2.0])
SERVOS = {
    'command_fields': ('position',),
    'servo_stiffness': tuple(SERVO_KP),
    'servo_damping': tuple(SERVO_D),
    'servo_offset_limit': 1.0,
    'max_joint_state_age': 1.0,
}
HOME = UPRIGHT - [0.3, -0.1]


def test_the_servo_has_the_effort_with_feedback(loop):
    """The effort Kp (c - theta) - d theta' of a servo on its path is that of the same law."""
    one = loop(**SERVOS, **{**GAINS, **UNLIMITED})
    for k in range(300):
        jet = one.jet(one.now - START)
        theta, rate, _, _ = motor_feedforward(jet)
        off, fast = 0.01 * np.sin([k, 2 * k]), 0.1 * np.cos([k, 3 * k])
        one.measure(theta + off, rate + fast)
        one.measure_links(jet[0], jet[1])
        (command,) = one.rows()
        if k > 150:
            carried = SERVO_KP * (command - theta) - SERVO_D * rate
            expected = one.feedforward - KP * off - KD * fast
            # by differences: 1e-6 rad/s, 1e-9 rad
            np.testing.assert_allclose(carried, expected, rtol=0, atol=1e-3)


def test_velocities_do_not_contain_the_feedback(loop):
    rigid = sd.ElasticJoints({name: sd.ElasticJoint(motor=sd.Motor(0.1)) for name in NAMES})
    moving = {**SERVOS, 'command_fields': ('position', 'velocity')}
    commands = []
    for gains in ({}, GAINS):
        one = loop(rigid, **moving, **gains)
        for _ in range(300):
            jet = one.jet(one.now - START)
            if gains:
                one.measure(jet[0] - 0.01, jet[1])
            one.measure_links(jet[0], jet[1])
            rows = one.rows()
        commands.append(rows)
    np.testing.assert_allclose(commands[1][0] - commands[0][0], KP / SERVO_KP * 0.01, atol=1e-6)
    np.testing.assert_array_equal(commands[1][1], commands[0][1])


def test_feedback_begins_with_the_commands(loop):
    """It is not there in full when they begin after it could have."""
    one = loop(points=POINTS[:1], ramp_time=0.25, **SERVOS, **GAINS)
    weight = gravity_efforts(UPRIGHT)
    off = UPRIGHT + weight / STIFFNESS - 0.02
    for _ in range(200):  # no joint_states: they wait
        one.measure(off, [0.0, 0.0])
        one.tick()
    assert not one.pipeline.commands.driven
    commands = []
    for _ in range(200):
        one.measure(off, [0.0, 0.0])
        one.measure_links(UPRIGHT - 0.02, [0.0, 0.0])
        commands.append(one.rows()[0])
    begin = UPRIGHT - 0.02 + weight / STIFFNESS + weight / SERVO_KP
    np.testing.assert_allclose(commands[0], begin, rtol=0, atol=1e-12)
    added = KP / SERVO_KP * 0.02
    expected = begin + 0.02 + added
    np.testing.assert_allclose(commands[-1], expected, rtol=0, atol=1e-12)
    steepest = 1.875 * 2e-3 / 0.25 * (0.02 + added)
    assert (steps_of(commands) <= steepest * (1.0 + 1e-9)).all()


def test_the_limit_of_the_offset_holds_for_the_sum(loop):
    one = loop(points=POINTS[:1], **{**SERVOS, 'servo_offset_limit': 0.1}, **GAINS)
    for k in range(300):
        one.measure(UPRIGHT - (0.5 if k > 100 else 0.0), [0.0, 0.0])
        one.measure_links(UPRIGHT, [0.0, 0.0])
        last = one.rows()[0]
    report = one.pipeline.commands.report()
    assert report.level == b'\x01'
    assert 'joint_1: offset of the servo 0.1' in report.message
    assert (np.abs(last - UPRIGHT - gravity_efforts(UPRIGHT) / STIFFNESS) <= 0.1).all()


def rest(one, ticks=2000, period=2 * MS):
    """Return the state in which servos with this stiffness and damping leave the plant."""
    theta = HOME + gravity_efforts(HOME) / STIFFNESS
    state = np.concatenate([HOME, np.zeros(2), theta, np.zeros(2)])
    for _ in range(ticks):
        one.measure(state[4:6], state[6:])
        one.measure_links(state[:2], state[2:4])
        (command,) = one.rows(period)
        state = integrate(
            state, lambda t, r, c=command: SERVO_KP * (c - t) - SERVO_D * r, 1e-9 * period
        )
    return state


@pytest.mark.parametrize('gain', [0.0, 1.0], ids=['servos alone', 'with feedback'])
def test_a_load_that_is_not_known(loop, light, gain):
    """Feedback is a stiffness beside that of the servo: the arm leans by what both carry."""
    gains = {name: tuple(gain * np.array(values)) for name, values in GAINS.items()}
    one = loop(model=light, points=[(0.0, HOME)], **SERVOS, **gains)
    state = rest(one)
    q, theta = state[:2], state[4:6]
    lean = theta - (HOME + gravity_efforts(HOME) / 1.1 / STIFFNESS)
    # of 0.5 N m that the model does not know; the slowest oscillation has not decayed further
    np.testing.assert_allclose(STIFFNESS * (theta - q), gravity_efforts(q), atol=5e-3)
    carried = gravity_efforts(HOME) / 1.1 - (SERVO_KP + gain * KP) * lean
    np.testing.assert_allclose(carried, gravity_efforts(q), atol=5e-3)
    # less than half as far as without feedback: 150 and 350 N m/rad in the first joint
    bounds = {0.0: (4e-3, 6e-3), 1.0: (1e-3, 3e-3)}
    least, most = bounds[gain]
    assert least < np.abs(q - HOME).max() < most
