# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The pipeline of a node with feedback around the motor feedforward, without a process."""

from __future__ import annotations

import numpy as np
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from helpers.planar_sea import MAX_EFFORT, NAMES, STIFFNESS
from screw_dynamics.messages.times import set_stamp
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from screw_dynamics.nodes.feedforward.tick_cost import compile_tick
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import waypoints_from_points

START = 1_700_000_000 * 10**9
MS = 10**6
UPRIGHT = np.array([np.pi / 2, 0.0])
POINTS = [(0.0, UPRIGHT), (1.0, UPRIGHT + [-0.4, 0.3]), (2.0, UPRIGHT)]
SPRINGS = sd.ElasticJoints(
    {
        name: sd.ElasticJoint(
            sd.LinearSpring(stiffness), sd.Motor(rotor_inertia=inertia, max_effort=most)
        )
        for name, stiffness, inertia, most in zip(
            NAMES, STIFFNESS, (0.3, 0.1), MAX_EFFORT, strict=True
        )
    }
)
KP, KD, LIMIT = np.array([200.0, 100.0]), np.array([20.0, 5.0]), np.array([20.0, 10.0])
GAINS = {
    'feedback_proportional': tuple(KP),
    'feedback_derivative': tuple(KD),
    'feedback_limit': tuple(LIMIT),
}
UNLIMITED = {'feedback_limit': (1e9,)}


def steps_of(values):
    """Return the largest difference of two rows that follow each other, in each column."""
    return np.abs(np.diff(values, axis=0)).max(axis=0)


class Loop:
    """The pipeline of a node that follows POINTS, and measurements of its motors."""

    def __init__(self, ros, model, drives=SPRINGS, points=POINTS, **parameters):
        robot = Robot(model, drives)
        compile_tick(robot)
        self._base = {
            'publish_commands': True,
            'commands_content': 'motor_efforts',
            'elastic_joints_path': 'joints.yaml',
            'ramp_time': 0.0,
        }
        self.pipeline = FeedforwardPipeline(
            ros.node, robot, FeedforwardParameters(**{**self._base, **parameters})
        )
        waypoints = waypoints_from_points(NAMES, points, model.joint_names)
        self.pipeline.reference.add(waypoints, START, START)
        self.now = START

    @property
    def feedback(self):
        return self.pipeline.motors.feedback

    @property
    def feedforward(self):
        """Motor efforts of the last tick without feedback."""
        motors = self.pipeline.motors
        return motors._motors[motors._rows].motor_effort.copy()

    def jet(self, time):
        """Return the reference at a time [ns] from the start; its last position is held."""
        curve = self.pipeline.reference.newest.curve
        jet = curve.jets([min(1e-9 * time, curve.breaks[-1])])[0]
        if 1e-9 * time >= curve.breaks[-1]:
            jet[1:] = 0.0
        return jet

    def apply(self, **parameters):
        self.pipeline.apply(FeedforwardParameters(**{**self._base, **parameters}))

    def measure(self, position, velocity=(), effort=(), age=0, names=NAMES):
        self.feedback.receive(self.state(position, velocity, effort, age, names), self.now)

    def measure_links(self, position, velocity=(), age=0):
        self.pipeline.measured.update(self.state(position, velocity, (), age, NAMES), self.now)

    def state(self, position, velocity, effort, age, names):
        message = JointState(name=list(names))
        message.position, message.velocity = list(position), list(velocity)
        message.effort = list(effort)
        set_stamp(message.header.stamp, self.now - age)
        return message

    def tick(self, step=2 * MS):
        """Publish and return the commands of this tick."""
        self.pipeline.publish(self.now)
        self.now += step
        return self.pipeline.motors._commands.ramp.values.copy()

    def rows(self, step=2 * MS):
        """Publish and return all fields of the commands of this tick."""
        self.tick(step)
        return self.pipeline.motors._commands._rows.copy()
