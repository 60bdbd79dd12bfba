# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories that take over from streams."""

import numpy as np
import pytest
from helpers.intake import accept
from helpers.node_processes import trajectory
from helpers.streams import JET, StreamedCommands

from screw_dynamics import read_urdf
from screw_dynamics.common.times import set_stamp
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.trajectory.reference.reference import Source
from screw_dynamics.trajectory.reference.streamed_reference import Stream

SECOND = 10**9
MS = 10**6
NOW = 1_700_000_000 * SECOND


class Commands(StreamedCommands):
    """The trajectories, the streams and a clock."""

    def __init__(self, urdf):
        self.model = read_urdf(urdf)
        self.parameters = FeedforwardParameters(input_timeout=0.1, limits='off')
        super().__init__(self.parameters.stream_settings, NOW)

    def follow(self, *points, times=None, stamp=0):
        message = trajectory(self.model.joint_names, *points, times=times)
        if stamp:
            set_stamp(message.header.stamp, stamp)
        measured = JointStateBuffer(self.model.joint_names)
        accept(
            message,
            Robot(self.model),
            self.reference,
            self.streamed,
            measured,
            self.parameters,
            self.now,
        )


@pytest.fixture
def commands(planar):
    return Commands(planar)


def add(commands, stream):
    if stream is Stream.SAMPLES:
        return commands.add_sample()
    return commands.add_positions(0.1, 0.2)


@pytest.mark.parametrize('stream', Stream)
def test_a_trajectory_takes_over_and_the_rest_of_the_stream_is_ignored(commands, stream):
    add(commands, stream)
    commands.now += 10 * MS
    before = commands.streamed.state(commands.now, commands.now)
    commands.follow([0.1, 0.2], [0.3, 0.4], times=[1.0, 2.0])
    source, after = commands.sample()
    assert source is Source.TRAJECTORY
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-9)
    for _ in range(30):
        commands.now += 10 * MS
        assert not add(commands, stream)
        assert commands.sample()[0] is Source.TRAJECTORY
    # after a pause the stream begins anew, which makes it the newest command
    commands.now += 101 * MS
    assert add(commands, stream)
    assert commands.sample()[0] is Source.STREAM
    assert commands.reference.empty


def test_a_rejected_trajectory_changes_nothing(commands):
    add(commands, Stream.POSITIONS)
    with pytest.raises(TrajectoryError):
        commands.follow([np.nan, 0.0])
    assert commands.streamed.followed is Stream.POSITIONS


def test_a_trajectory_that_starts_later_cannot_take_over(commands):
    add(commands, Stream.SAMPLES)
    with pytest.raises(
        TrajectoryError,
        match='~/joint_reference is followed and where it will be at header.stamp, 2.000 s',
    ):
        commands.follow([0.0, 0.0], [1.0, 1.0], stamp=NOW + 2 * SECOND)
    assert commands.streamed.followed is Stream.SAMPLES
    commands.now += 200 * MS  # the stream is over
    commands.follow([0.0, 0.0], [1.0, 1.0], stamp=NOW + 2 * SECOND)
    assert commands.streamed.followed is None


def test_a_slower_trajectory_takes_over_in_its_own_time(commands):
    commands.reference.set_speed(0.5, NOW)
    commands.add_sample()
    commands.follow([0.0, 0.0], times=[3.0])
    np.testing.assert_allclose(commands.sample()[1], JET, rtol=1e-9, atol=1e-9)


def test_a_trajectory_that_all_but_stands_still_takes_over_like_one_that_does(commands):
    commands.reference.set_speed(1e-90, NOW)
    commands.add_sample()
    with np.errstate(over='raise', invalid='raise', divide='raise'):
        commands.follow([0.0, 0.0], times=[3.0])
    np.testing.assert_allclose(commands.sample()[1][0], JET[0], rtol=1e-9)
