# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The reference filter on the clock of the node, with numbers that are too large."""

from __future__ import annotations

import numpy as np

from screw_dynamics.trajectory.reference.reference_filter import FilteredPositions

MS = 1_000_000


def test_a_filter_that_cannot_go_on_where_the_old_one_is_rests_at_its_input():
    filtered = FilteredPositions(np.zeros(2, dtype=bool), 8, 200.0)
    filtered.start(np.array([1e305, 0.0]), 0, None)
    filtered.follow(np.array([-1e305, 0.5]), 0)
    filtered.retune(8, 0.1, 1 * MS)
    state = filtered.sample(2 * MS, np.empty((5, 2)))
    np.testing.assert_array_equal(state, [[-1e305, 0.5], *np.zeros((4, 2))])
    assert filtered.delay > 3.0


def test_a_position_that_arrives_with_an_earlier_time_turns_nothing_back():
    """It counts from the latest instant on, at which the output is continuous."""
    filtered = FilteredPositions(np.zeros(1, dtype=bool), 5, 40.0)
    filtered.start(np.array([0.0]), 0, None)
    filtered.follow(np.array([1.0]), 10 * MS)
    filtered.follow(np.array([1.2]), 30 * MS)
    before = filtered.sample(30 * MS, np.empty((5, 1)))
    filtered.follow(np.array([1.4]), 20 * MS)
    after = filtered.sample(30 * MS, np.empty((5, 1)))
    np.testing.assert_allclose(after, before, rtol=1e-12)
