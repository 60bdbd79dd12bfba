# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Measured states: in parts, fresh or old, with unusable values."""

import numpy as np
import pytest
from helpers.rig import joint_state

from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.errors import InputError

NAMES = ('a', 'b', 'c')
SECOND = 10**9
NOW = 1_700_000_000 * SECOND


@pytest.mark.parametrize('age, fresh', [(0.0, True), (0.4, True), (0.6, False), (-0.6, False)])
def test_only_samples_of_about_now_are_fresh(age, fresh):
    buffer = JointStateBuffer(['a'])
    buffer.update(joint_state(['a'], [1.0], 0), NOW - round(age * SECOND))
    positions = buffer.positions(NOW, 0.5)
    np.testing.assert_array_equal(positions, [1.0 if fresh else np.nan])
    assert (buffer.state(NOW, 0.5) is not None) == fresh


def test_a_state_may_come_in_parts():
    buffer = JointStateBuffer(NAMES)
    buffer.update(joint_state(['c', 'a'], [3.0, 1.0], 0), now=0)
    assert buffer.state(0, 1.0) is None
    buffer.update(joint_state(['b'], [2.0], 0), now=5 * 10**8)
    np.testing.assert_array_equal(
        buffer.state(5 * 10**8, 1.0), [[1.0, 2.0, 3.0], *np.zeros((4, 3))]
    )


def test_old_and_nan_values_do_not_count():
    buffer = JointStateBuffer(NAMES)
    buffer.update(joint_state(list(NAMES), [1.0, 2.0, float('nan')], 0), now=0)
    assert buffer.state(0, 1.0) is None
    buffer.update(joint_state(['c'], [3.0], 0), now=0)
    assert buffer.state(0, 1.0) is not None
    assert buffer.state(2 * 10**9, 1.0) is None
    buffer.clear()
    assert buffer.state(0, 1.0) is None


def test_a_joint_is_named_once():
    buffer = JointStateBuffer(NAMES)
    twice = joint_state(['c', 'a', 'b', 'a'], [3.0, 1.0, 2.0, 1.5], 0)
    with pytest.raises(InputError, match='joint_states: expected each of .* twice: a$'):
        buffer.update(twice, now=0)
    buffer.update(joint_state(['a', 'b', 'c', 'd', 'd'], [1.0] * 5, 0), now=0)
    assert buffer.state(0, 1.0) is not None


def test_where_no_trajectory_can_start_is_not_known():
    buffer = JointStateBuffer(['a'])
    buffer.update(joint_state(['a'], [1e308], 0, [0.0]), now=0)
    assert buffer.state(0, 1.0) is None
    buffer.update(joint_state(['a'], [1.0], 0, [-1e308]), now=0)
    assert buffer.state(0, 1.0, moving=True)[:2].tolist() == [[1.0], [0.0]]
