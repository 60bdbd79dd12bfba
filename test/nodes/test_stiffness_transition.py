# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""How the stiffness of variable joints gets from one value to another."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.nodes.outputs.stiffness_transition import StiffnessTransition

START = 1_700_000_000 * 10**9


@pytest.mark.parametrize('begin', [0, START])
def test_stiffness_of_a_start_and_after_the_clock_has_been_set_back(begin):
    stiffness = StiffnessTransition(['joint_2'], np.array([120.0]))
    stiffness.set_target([200.0], 0.5)
    assert stiffness.sample(begin)['joint_2'].tolist() == [200.0, 0.0, 0.0]
    stiffness.sample(begin + 30 * 10**9)
    stiffness.set_target([100.0], 0.5)
    assert 100.0 < stiffness.sample(begin + 30 * 10**9 + 10**8)['joint_2'][0] < 200.0
    stiffness.forget()
    assert stiffness.sample(begin)['joint_2'].tolist() == [100.0, 0.0, 0.0]
    stiffness.set_target([250.0], 0.5)
    assert 100.0 < stiffness.sample(begin + 10**8)['joint_2'][0] < 250.0
    assert stiffness.sample(begin + 10**9)['joint_2'].tolist() == [250.0, 0.0, 0.0]


def test_the_rows_are_derivatives_of_each_other_and_zero_at_both_ends():
    stiffness = StiffnessTransition(['joint_2'], np.array([100.0]))
    stiffness.sample(START)
    stiffness.set_target([220.0], 0.5)
    times = np.linspace(0.0, 0.5, 5001)
    rows = np.array([stiffness.sample(START + round(1e9 * t))['joint_2'].copy() for t in times])
    np.testing.assert_allclose(rows[[0, -1]], [[100.0, 0.0, 0.0], [220.0, 0.0, 0.0]], atol=1e-9)
    for d in (0, 1):
        central = (rows[2:, d] - rows[:-2, d]) / (times[2:] - times[:-2])
        largest = np.abs(rows[:, d + 1]).max()
        np.testing.assert_allclose(rows[1:-1, d + 1], central, rtol=0, atol=1e-5 * largest)
