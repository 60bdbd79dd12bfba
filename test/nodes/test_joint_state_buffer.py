# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Which measured positions are fresh."""

from __future__ import annotations

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from screw_dynamics.nodes.inputs.joint_state_buffer import JointStateBuffer

SECOND = 10**9
NOW = 1_700_000_000 * SECOND


@pytest.mark.parametrize('age, fresh', [(0.0, True), (0.4, True), (0.6, False), (-0.6, False)])
def test_only_samples_of_about_now_are_fresh(age, fresh):
    buffer = JointStateBuffer(['a'])
    buffer.update(JointState(name=['a'], position=[1.0]), NOW - round(age * SECOND))
    positions = buffer.positions(NOW, 0.5)
    np.testing.assert_array_equal(positions, [1.0 if fresh else np.nan])
    assert (buffer.state(NOW, 0.5) is not None) == fresh
