# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the simulation for unusable numbers and records."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import two_links

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.simulation import ElasticRobot, natural_frequencies


@pytest.fixture(scope='module')
def robot():
    return ElasticRobot(two_links.robot())


@pytest.mark.parametrize(
    'h', [-1e-3, np.nan, np.inf, 'a', '0', True, np.True_, np.complex128(1e-3), None, [1e-3]]
)
def test_length_of_a_step(robot, h):
    state = robot.state(two_links.START)
    with pytest.raises(InputError, match='h: expected a finite number of 0 or more, got'):
        robot.step(state, np.zeros(2), h)
    assert np.array_equal(state, robot.state(two_links.START))


@pytest.mark.parametrize('steps', [-3, 2.5, 'a', True, None])
def test_number_of_steps(robot, steps):
    with pytest.raises(InputError, match='steps: expected a whole number of 0 or more, got'):
        robot.step(robot.state(two_links.START), np.zeros(2), 1e-3, steps=steps)


def test_numbers_of_any_kind_are_taken(robot):
    one, other = (robot.state(two_links.START) for _ in range(2))
    robot.step(one, np.zeros(2), np.float64(0.001), steps=np.int64(2))
    robot.step(other, np.zeros(2), 0.001, steps=2)
    assert np.array_equal(one, other) and not np.array_equal(one, robot.state(two_links.START))
    for options in ({'h': 0}, {'h': 1e-3, 'steps': 0}):
        assert np.array_equal(robot.step(one, np.zeros(2), **options), other)


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'rtol': -1.0}, 'rtol: expected a finite number above 0, got -1.0'),
        ({'rtol': 0.0}, 'rtol: expected a finite number above 0, got 0.0'),
        ({'rtol': np.nan}, 'rtol: expected a finite number above 0, got nan'),
        ({'rtol': 'fine'}, "rtol: expected a finite number above 0, got 'fine'"),
        ({'atol': -1.0}, 'atol: expected a finite number of 0 or more, got -1.0'),
        ({'atol': np.nan}, 'atol: expected a finite number of 0 or more, got nan'),
    ],
)
def test_tolerances(robot, options, message):
    with pytest.raises(InputError, match=message):
        robot.integrate(
            [0.0, 0.1], lambda t, y: np.zeros(2), robot.state(two_links.START), **options
        )


def test_where_a_motion_begins(robot):
    jet = two_links.reference(0.2)
    feedforward = sd.elastic_feedforward(robot.robot, jet)
    start = robot.initial_state(jet, feedforward)
    expected = [*jet[:2].ravel(), *feedforward.motor_jet[:2].ravel()]
    np.testing.assert_array_equal(start, expected)
    empty = sd.elastic_feedforward(robot.robot, np.zeros((0, 5, 2)))
    for jets, motors, error, message in (
        (jet, None, InputError, 'feedforward: expected a MotorFeedforward, got NoneType'),
        (jet, empty, InputError, 'feedforward: expected at least one sample, got none'),
        ('abc', feedforward, InputError, 'joint_jet: expected real numbers'),
        (jet[0], feedforward, ShapeError, r'joint_jet: expected shape \(rows, 2\) with rows >= 2'),
    ):
        with pytest.raises(error, match=message):
            robot.initial_state(jets, motors)


def test_natural_frequencies_name_what_is_no_record():
    with pytest.raises(InputError, match='robot: expected one with drives, .* got none'):
        natural_frequencies(two_links.model(), two_links.START)
    with pytest.raises(InputError, match='model: expected a ScrewModel, got str'):
        natural_frequencies('robot', two_links.START)
