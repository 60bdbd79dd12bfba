# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a node that receives trajectories, without processes and DDS."""

from dataclasses import replace

import numpy as np

from helpers.node_processes import trajectory
from screw_dynamics import read_urdf
from screw_dynamics.common.times import set_stamp
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.fit import fit, summary
from screw_dynamics.control.forwarding import sampled
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.control.tasks import Fit, Running, TrajectoryMessage
from screw_dynamics.control.trajectory_join import Pending, joined
from screw_dynamics.control.trajectory_plan import fit_delay, plan
from screw_dynamics.drives.robot import Robot
from screw_dynamics.trajectory.reference.interpolation import INTERPOLATIONS
from screw_dynamics.trajectory.reference.reference import Reference
from screw_dynamics.trajectory.reference.streamed_reference import StreamedReference

MS = 10**6
NOW = 1_700_000_000_000 * MS
NAMES = ('joint_1', 'joint_2')


class Node:
    """The state of a node that receives trajectories, and a clock that advances during fits."""

    def __init__(self, urdf, drives=None, others=None, **parameters):
        self.parameters = FeedforwardParameters(**{'limits': 'off', **parameters})
        self.robot = Robot(read_urdf(urdf), drives)
        self.names = self.robot.joint_names
        n = len(self.names)
        self.reference = Reference(n, INTERPOLATIONS[self.parameters.interpolation])
        self.streamed = StreamedReference(
            self.reference, np.zeros(n, dtype=bool), self.parameters.stream_settings
        )
        self.measured = JointStateBuffer(self.names)
        self.now, self.others = NOW, others or {}

    def receive(self, *points, times=None, stamp=0):
        message = trajectory(self.names, *points, times=times)
        set_stamp(message.header.stamp, stamp)
        self.take(message)

    def take(self, message, *, poses=False):
        """Receive a JointTrajectory, or a Path of poses."""
        self.message, self.ahead = message, 0
        arrival = self.running.arrival(TrajectoryMessage(message, None, poses), None)
        self.pending = Pending(arrival)

    @property
    def running(self):
        return Running(
            self.reference,
            self.streamed,
            self.measured,
            self.parameters,
            self.robot,
            self.others,
            self.now,
        )

    def forward_to_controller(self, ahead=0):
        """Make the message that of a goal, which its controller has after a time [ns]."""
        self.pending.arrival, self.ahead = replace(self.pending.arrival, goal=1), ahead

    def follow_speed(self, speed, since):
        """Record the speed of the reference since an instant [ns]."""
        self.pending.arrival = self.pending.arrival.at_speed(speed, since)

    def task(self, expected):
        """Return the task of fitting the message, which is expected to take so long [ns]."""
        arrival, late = self.pending.arrival, self.pending.late
        return Fit(1, arrival, self.running.copy(arrival.received), expected, False, late)

    def delay(self, expected):
        """Return the time until a fit is to be followed, where one is expected to take so long."""
        return fit_delay(self.task(expected), summary(self.message), self.ahead)

    def plan(self, delay):
        self.asked = self.task(0)
        self.planned = plan(self.asked, summary(self.message), self.ahead, delay)
        return self.planned.join

    def join(self, took):
        """Advance the clock by the time of a fit and join the result if still possible."""
        made = fit(self.message, self.asked, summary(self.message), self.planned)
        self.now += took
        problem, _ = joined(self.asked, made, self.pending, self.running)
        self.pending.refits += bool(problem)
        return not problem

    def samples(self):
        """Return the newest motion as it is forwarded."""
        return sampled(self.task(0), summary(self.message), self.reference)

    def follow(self, *points, **more):
        self.receive(*points, **more)
        self.plan(0)
        assert self.join(0)

    def accept(self, message, **changes):
        """Follow a message at once, with changed parameters, or raise why it is rejected."""
        before, self.parameters = self.parameters, replace(self.parameters, **changes)
        try:
            self.take(message)
            self.plan(0)
            assert self.join(0)
        finally:
            self.parameters = before

    def jet(self, time):
        jet = np.full((5, len(self.names)), np.nan)
        self.reference.sample(time, jet)
        return jet
