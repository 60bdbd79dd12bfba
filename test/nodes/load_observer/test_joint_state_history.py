# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The newest samples are kept, in order."""

from __future__ import annotations

import math

import numpy as np
import pytest

from screw_dynamics.nodes.load_observer.observed_loads import JointStateHistory


@pytest.mark.parametrize('count', [0, 1, 4, 5, 6, 9, 10, 11, 23])
def test_the_newest_are_kept_in_order(count):
    states = JointStateHistory(2, 5)
    for i in range(count):
        states.add(float(i), np.array([i, -i]), np.array([10.0 * i, 0.5]))
    times, positions, efforts = states.latest(math.inf)
    expected = np.arange(max(0, count - 5), count, dtype=float)
    np.testing.assert_array_equal(times, expected)
    np.testing.assert_array_equal(positions, np.column_stack((expected, -expected)))
    np.testing.assert_array_equal(efforts[:, 0], 10.0 * expected)
    assert efforts.shape == (len(expected), 2)


def test_a_part_is_counted_from_the_newest():
    states = JointStateHistory(1, 100)
    for i in range(50):
        states.add(0.1 * i, np.zeros(1), np.zeros(1))
    times, _, _ = states.latest(1.0)
    np.testing.assert_allclose(times[[0, -1]], [3.9, 4.9])


def test_what_is_returned_stays_as_it_is():
    states = JointStateHistory(1, 3)
    states.add(0.0, np.ones(1), np.ones(1))
    _, positions, _ = states.latest(1.0)
    states.add(1.0, np.full(1, 2.0), np.ones(1))
    states.clear()
    states.add(0.0, np.full(1, 3.0), np.ones(1))
    assert positions.tolist() == [[1.0]]
