# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The pipeline of a node that publishes commands, tick by tick, without a process."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from helpers.planar_sea import NAMES
from helpers.published import commands_of
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.tick_cost import compile_tick
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import waypoints_from_points

START = 1_700_000_000 * 10**9
PERIOD = 4 * 10**6
MIT = {
    'command_fields': ('position', 'velocity', 'kp', 'kd', 'effort'),
    'mit_kp': (20.0, 10.0),
    'mit_kd': (1.0, 0.5),
}
HANGING = [-np.pi / 2, 0.0]


class CommandNode:
    """The pipeline of a node, a clock, and the messages that it has published."""

    def __init__(self, ros, planar, drives=None, **parameters):
        robot = Robot(sd.read_urdf(planar), drives)
        compile_tick(robot)
        path = '' if drives is None else 'joints.yaml'
        values = FeedforwardParameters(
            publish_commands=True, elastic_joints_path=path, **parameters
        )
        values.check()
        values.require_joints(robot)
        self.model = robot.model
        self.pipeline = FeedforwardPipeline(ros.node, robot, values)
        self._output, *_ = self.pipeline.commands._outputs
        self._sent = 0
        send = self._output.send
        self._output.send = lambda: (send(), self._count())
        self.now = START

    def _count(self):
        self._sent += 1

    def measure(self, positions):
        state = JointState(name=NAMES, position=[float(x) for x in positions])
        self.pipeline.measured.update(state, self.now)

    def follow(self, *points, times, measured=True):
        """Follow a trajectory from the measured state, or from its first point."""
        waypoints = waypoints_from_points(
            NAMES, list(zip(times, points, strict=True)), tuple(NAMES)
        )
        start = self.pipeline.measured.state(self.now, 1.0) if measured else None
        self.pipeline.reference.add(waypoints, self.now, self.now, start)

    def tick(self):
        """Return the command of the next tick (fields, 2), None if there is none."""
        before = self._sent
        self.pipeline.publish(self.now)
        self.now += PERIOD
        data = np.array(commands_of(self._output).data).reshape(-1, 2)
        return data if self._sent > before else None

    @property
    def dims(self):
        dims = commands_of(self._output).layout.dim
        return [(dim.label, dim.size, dim.stride) for dim in dims]


@contextmanager
def command_nodes(ros, planar):
    """Yield a function that makes nodes, with parameters as keywords, and destroy them."""
    made = []

    def make(*drives, **parameters):
        made.append(CommandNode(ros, planar, *drives, **parameters))
        return made[-1]

    try:
        yield make
    finally:
        for one in made:
            one.pipeline.destroy()
