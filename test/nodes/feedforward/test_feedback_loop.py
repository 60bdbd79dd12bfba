# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Feedback around the motor feedforward: closed loops with a plant."""

from __future__ import annotations

import numpy as np
from helpers.feedback_loop import GAINS, KD, KP, LIMIT, MS, POINTS, UPRIGHT, steps_of
from helpers.planar_sea import STIFFNESS, gravity_efforts, integrate, motor_feedforward


def closed(one, position, ticks, period=2 * MS, lost=()):
    """Return errors of the links and the commands; the plant is that of `planar_sea`."""
    theta = position + gravity_efforts(position) / STIFFNESS
    state = np.concatenate([position, np.zeros(2), theta, np.zeros(2)])
    states, commands = [], []
    for k in range(ticks):
        if one.feedback is not None and k not in lost:
            one.measure(state[4:6], state[6:])
        states.append(state)
        commands.append(one.tick(period))
        state = integrate(state, commands[-1], 1e-9 * period)
        if np.abs(state[:2] - UPRIGHT).max() > 1.0:
            break  # it has fallen
    return np.array(states), np.array(commands)


def independent(one, position, ticks, period=2 * MS, ramp=0.25):
    """Return states of the same loop with a law of its own: reference by differences."""
    theta = position + gravity_efforts(position) / STIFFNESS
    state = np.concatenate([position, np.zeros(2), theta, np.zeros(2)])
    states = []
    for k in range(ticks):
        wanted, rate, _, effort = motor_feedforward(one.jet(k * period))
        s = min(1.0, k * period * 1e-9 / ramp)
        feedback = KP * (wanted - state[4:6]) + KD * (rate - state[6:])
        blend = 10.0 * s**3 - 15.0 * s**4 + 6.0 * s**5
        states.append(state)
        state = integrate(state, effort + blend * np.clip(feedback, -LIMIT, LIMIT), 1e-9 * period)
    return np.array(states)


def test_an_upright_arm_falls_without_and_stands_with_feedback(loop):
    """0.02 rad off its reference at the start; the closed loop is that of another simulation."""
    begin = UPRIGHT + 0.02
    states, _ = closed(loop(), begin, 1250)
    assert len(states) < 1000  # it has fallen within 2 s
    one = loop(**GAINS)
    states, _ = closed(one, begin, 1250)
    expected = independent(one, begin, 1250)
    # differences of the reference are good for 1e-6 rad/s and 1e-4 N m
    np.testing.assert_allclose(states, expected, rtol=0, atol=1e-5)
    errors = np.abs([x[:2] - one.jet(2 * MS * k)[0] for k, x in enumerate(states)])
    assert errors.max() < 0.025
    # what is left is the command of the tick instead of that of the middle
    assert errors[-1].max() < 1e-4


HOME = UPRIGHT - [0.3, -0.1]


def test_a_payload_that_is_not_known(loop, light):
    """It leans by what Kp carries."""
    points = [(0.0, UPRIGHT), (1.0, HOME)]
    states, _ = closed(loop(model=light, points=points), UPRIGHT, 1500)
    assert len(states) < 1500
    states, _ = closed(loop(model=light, points=points, **GAINS), UPRIGHT, 2500)
    q, theta = states[-1, :2], states[-1, 4:6]
    lean = theta - (HOME + gravity_efforts(HOME) / 1.1 / STIFFNESS)
    # balance: the springs carry the true weight, feedforward and Kp the motors
    np.testing.assert_allclose(STIFFNESS * (theta - q), gravity_efforts(q), atol=1e-3)
    np.testing.assert_allclose(
        gravity_efforts(HOME) / 1.1 - KP * lean, gravity_efforts(q), atol=1e-3
    )
    assert 1e-3 < np.abs(q - HOME).max() < 0.02


def test_it_stands_although_measurements_are_lost_now_and_then(loop):
    lost = {k for begin in range(200, 2000, 400) for k in range(begin, begin + 25)}
    states, commands = closed(loop(points=POINTS[:1], **GAINS), UPRIGHT + 0.02, 2000, lost=lost)
    assert len(states) == 2000
    assert np.abs(states[-1, :2] - UPRIGHT).max() < 1e-3
    assert (steps_of(commands) < 1.5).all()
