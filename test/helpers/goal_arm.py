# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A node with goals whose clock, fits, controller and ticks a test advances, without processes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from sensor_msgs.msg import JointState

from helpers.goal_runs import CONTROLLER
from helpers.receiving_node import MS, NAMES, Node
from screw_dynamics.nodes.feedforward.fitting.fit import outline
from screw_dynamics.nodes.feedforward.fitting.forwarding import (
    forwarding,
    message_without_points,
    points_of,
    with_efforts,
)
from screw_dynamics.nodes.feedforward.inputs.forwarded_goal import ForwardedGoal
from screw_dynamics.nodes.feedforward.inputs.goal_inputs import GoalInputs

LARGEST_CHANGE = 2e-4  # rad, of the step between ticks of 1 ms: at most 200 rad/s^2 here


class Arm(Node):
    """A node with goals whose trajectories are planned, fitted, joined and sent one by one."""

    def __init__(self, urdf, ros_node, **parameters):
        super().__init__(urdf, follow_joint_trajectory=CONTROLLER, **parameters)
        self.sent, self.ends, self.waiting, self.positions = [], [], [], []
        followed = SimpleNamespace(sampled=lambda now: now)
        self.pipeline = SimpleNamespace(
            reference=self.reference, streamed=self.streamed, followed=followed, clear=self.clear
        )
        context = SimpleNamespace(
            node=ros_node,
            parameters=self.parameters,
            now=lambda: self.now,
            configured=self.pipeline,
            pipeline=self.pipeline,
        )
        queue = SimpleNamespace(drop=self._drop, repeat=self._repeat)
        self.inputs = GoalInputs(context, queue, None)
        self._entities = self.inputs._client, self.inputs._server
        self.inputs._client = SimpleNamespace(
            server_is_ready=lambda: True, send_goal_async=self._on_send
        )
        self.inputs._server = SimpleNamespace(
            end=lambda handle, event, result: self.ends.append((event, result.error_string))
        )

    def destroy(self):
        for entity in self._entities:
            entity.destroy()

    def clear(self):
        self.reference.clear()
        self.streamed.supersede()

    def _drop(self, reason, goal):
        if goal not in self.waiting:
            return 0
        self.waiting.remove(goal)
        goal.refused(reason)
        return 1

    def _repeat(self, data, now, goal):
        if self.waiting:
            return False
        self.waiting.append(goal)
        return True

    def result(self, goal, status, code=0):
        """Let the controller end a goal."""
        result = self.inputs._type.Result(error_code=code)
        response = SimpleNamespace(status=status, result=result)
        self.inputs._on_result(goal, SimpleNamespace(result=lambda: response))

    def _on_send(self, request, feedback, goal_uuid):
        self.sent.append(request.trajectory)
        return SimpleNamespace(add_done_callback=lambda callback: None)

    def measure(self, *positions):
        state = JointState(name=list(NAMES), position=list(positions))
        self.measured.update(state, self.now)

    def tick_until(self, time, stream=None):
        """Let a tick per millisecond record the first position, NaN where there is no output."""
        while self.now < time:
            self.now += MS
            jet = np.full((5, len(NAMES)), np.nan)
            if stream is not None:
                self.streamed.add_positions(np.array(stream), self.now, self.now)
            if self.streamed.followed is None:
                self.reference.sample(self.now, jet)
            else:
                self.streamed.sample(self.now, self.now, jet)
            self.positions.append(jet[0, 0])

    def tick_for(self, milliseconds, stream=None):
        self.tick_until(self.now + milliseconds * MS, stream)

    def accept(self, *points, times):
        """Receive the trajectory of a goal, which takes 50 ms to its controller."""
        self.receive(*points, times=times)
        handle = SimpleNamespace(
            request=SimpleNamespace(trajectory=self.message), goal_id=1, is_cancel_requested=False
        )
        goal = ForwardedGoal(self.inputs, handle, self.now)
        self.inputs._goals.append(goal)
        self.arrival.goal, self.arrival.ahead = goal, 50 * MS
        return goal

    def followed(self, goal, took=20):
        """Plan the join of the trajectory received last, and join it; return its forwarding."""
        self.plan(30 * MS)
        self.tick_for(took)
        assert self.join(0)
        return self.forwarding(goal)

    def forwarding(self, goal):
        newest = self.reference.newest
        task = forwarding(
            self.reference, outline(self.message), self.parameters, self.now, serialised=False
        )
        goal.followed(newest, self.reference.holds_back(newest))
        return task

    def send(self, goal, task):
        samples = with_efforts(self.robot.robot.model, task)
        goal.handle.request.trajectory = message_without_points(samples)
        goal.handle.request.trajectory.points = points_of(samples)
        self.inputs._send(goal, task)

    def require_no_step(self):
        """Require that the output goes on once it has begun, without a step."""
        begun = np.flatnonzero(np.isfinite(self.positions))[0]
        changes = np.abs(np.diff(self.positions[begun:], 2))
        assert changes.max() < LARGEST_CHANGE  # False for NaN
