# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories that take over from streams."""

import numpy as np
import pytest
from helpers.receiving_node import MS, NOW, Node

from screw_dynamics.errors import TrajectoryError
from screw_dynamics.trajectory.reference.streamed_reference import Stream

SECOND = 10**9
JET = np.arange(10.0).reshape(5, 2) - 4.0


@pytest.fixture
def node(planar):
    return Node(planar, input_timeout=0.1)


def add(node, stream):
    if stream is Stream.SAMPLES:
        return node.streamed.add_sample(JET, 5, node.now, node.now)
    return node.streamed.add_positions(np.array([0.1, 0.2]), node.now, node.now)


@pytest.mark.parametrize('stream', Stream)
def test_a_trajectory_takes_over_and_the_rest_of_the_stream_is_ignored(node, stream):
    add(node, stream)
    node.now += 10 * MS
    before = node.streamed.state(node.now, node.now)
    node.follow([0.1, 0.2], [0.3, 0.4], times=[1.0, 2.0])
    np.testing.assert_allclose(node.jet(node.now), before, rtol=1e-9, atol=1e-9)
    for _ in range(30):
        node.now += 10 * MS
        assert not add(node, stream) and node.streamed.followed is None
        assert np.isfinite(node.jet(node.now)).all()
    # after a pause the stream begins anew, which makes it the newest command
    node.now += 101 * MS
    assert add(node, stream)
    assert node.streamed.followed is stream and node.reference.empty


def test_a_rejected_trajectory_changes_nothing(node):
    add(node, Stream.POSITIONS)
    with pytest.raises(TrajectoryError):
        node.follow([np.nan, 0.0])
    assert node.streamed.followed is Stream.POSITIONS


def test_a_trajectory_that_starts_later_cannot_take_over(node):
    add(node, Stream.SAMPLES)
    with pytest.raises(
        TrajectoryError,
        match='~/joint_reference is followed and where it will be at header.stamp, 2.000 s',
    ):
        node.follow([0.0, 0.0], [1.0, 1.0], stamp=NOW + 2 * SECOND)
    assert node.streamed.followed is Stream.SAMPLES
    node.now += 200 * MS  # the stream is over
    node.follow([0.0, 0.0], [1.0, 1.0], stamp=NOW + 2 * SECOND)
    assert node.streamed.followed is None


@pytest.mark.parametrize(('speed', 'rows'), [(0.5, 5), (1e-90, 1)])
def test_a_slower_trajectory_takes_over_in_its_own_time(node, speed, rows):
    """One that all but stands still as one that does: the derivatives have no finite scale."""
    node.reference.set_speed(speed, NOW)
    add(node, Stream.SAMPLES)
    with np.errstate(over='raise', invalid='raise', divide='raise'):
        node.follow([0.0, 0.0], times=[3.0])
    np.testing.assert_allclose(node.jet(node.now)[:rows], JET[:rows], rtol=1e-9, atol=1e-9)
