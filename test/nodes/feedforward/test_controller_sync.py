# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`sync: controller_state`: trajectory time as a controller counts it, while it executes."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers.node_processes import altered_command, trajectory
from oracles.controller_trajectory import ControllerTrajectory
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics.nodes.feedforward.inputs.controller_sync import state_type
from screw_dynamics.reference.interpolation import SMOOTH
from screw_dynamics.reference.reference import Reference
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points
from screw_dynamics_interfaces.msg import FeedforwardTorque

SECOND = 10**9
START = 1_700_000_000 * SECOND
NAMES = ['joint_1', 'joint_2']
POINTS = waypoints_from_points(['a'], [(0.0, [0.0]), (1.0, [1.0]), (2.0, [0.5])], ['a'])


@pytest.mark.parametrize('difference', [-0.03, 0.0, 0.08])
def test_another_time(difference):
    """Time of the current motion; a motion that continues it joins at its state by then."""
    reference = Reference(1, SMOOTH)
    reference.add(POINTS, START, START)
    later = waypoints_from_points(['a'], [(1.0, [0.0])], ['a'])
    reference.add(later, START + 3 * SECOND // 2, START)
    motion = reference.motion_at(START + SECOND // 2)
    reference.set_time(motion, 0.5 + difference, START + SECOND // 2)
    curve, jet = smooth_trajectory(POINTS), np.empty((5, 1))
    reference.sample(START + SECOND, jet)
    np.testing.assert_allclose(jet, curve.jets([1.0 + difference])[0], rtol=1e-9, atol=1e-9)
    assert reference.time_from_start == pytest.approx(1.0 + difference)
    reference.sample(START + 3 * SECOND // 2, jet)
    np.testing.assert_allclose(jet, curve.jets([1.5 + difference])[0], rtol=1e-9, atol=1e-9)
    assert reference.time_from_start == 0.0


@pytest.mark.parametrize('missing', [None, type(sys)('control_msgs.msg')])
def test_without_control_msgs(monkeypatch, missing):
    """The package is absent, or has no such message."""
    monkeypatch.setitem(sys.modules, 'control_msgs.msg', missing)
    with pytest.raises(
        InputError,
        match=r"parameter 'sync': 'controller_state' needs the package control_msgs",
    ):
        state_type()


def test_the_node_says_what_is_missing(ros, planar):
    command = altered_command('feedforward', before="sys.modules['control_msgs'] = None")
    process = ros.start_command(command, urdf_path=planar, sync='controller_state')
    assert process.wait() == 1
    assert "parameter 'sync': 'controller_state' needs the package control_msgs" in process.log
    assert 'Traceback' not in process.log


class Controller:
    """Executes trajectories as joint_trajectory_controller does, and reports on it."""

    def __init__(self, ros):
        self._message = state_type()(joint_names=[*NAMES, 'gripper'])
        self.node = node = ros.add_node('controller')
        topic = '/feedforward/controller_state'
        self._publisher = node.create_publisher(type(self._message), topic, 10)
        node.create_subscription(
            JointTrajectory, '/feedforward/joint_trajectory', self._receive, 10
        )
        node.create_timer(0.005, self.report)
        self.accepting = self.reporting = True
        self.late, self._waiting = 0.0, None
        self.reported: list[tuple[int, float]] = []
        self.hold([0.0, 0.0])

    def hold(self, position):
        """Hold a position, with a time that begins anew."""
        self.speed = 1.0
        self._execute(time.time_ns(), [0.0], [position])

    def _execute(self, now, times, points):
        self.start, self.reported = now, []
        self._joints = [ControllerTrajectory() for _ in NAMES]
        for j, joint in enumerate(self._joints):
            joint.receive(0.0, 0.0, times, [[p[j]] for p in points], [points[0][j], 0.0])

    def _receive(self, message):
        if self.accepting:
            times = [1e-9 * nanoseconds(p.time_from_start) for p in message.points]
            self._waiting = time.time_ns(), times, [list(p.positions) for p in message.points]

    def report(self):
        now = time.time_ns()
        if self._waiting and 1e-9 * (now - self._waiting[0]) >= self.late:
            self._execute(now, *self._waiting[1:])
            self._waiting = None
        last = self.reported[-1] if self.reported else (self.start, 0.0)
        elapsed = last[1] + self.speed * 1e-9 * (now - last[0])
        self.reported.append((now, elapsed))
        message = self._message
        set_stamp(message.header.stamp, now)
        set_stamp(message.reference.time_from_start, round(1e9 * elapsed))
        message.reference.positions = [j.sample(elapsed)[0] for j in self._joints] + [0.3]
        message.speed_scaling_factor = self.speed
        if self.reporting:
            self._publisher.publish(message)

    def say(self, joint_names=(*NAMES, 'gripper'), now=None, q=(0.0, 0.0, 0.0)):
        """Publish a state of another content."""
        message = type(self._message)(joint_names=list(joint_names))
        set_stamp(message.header.stamp, now or time.time_ns())
        message.reference.positions = list(q)
        self._publisher.publish(message)

    @property
    def position(self):
        return [j.sample(self.reported[-1][1])[0] for j in self._joints]

    def time_at(self, instant):
        times, elapsed = zip(*self.reported, strict=True)
        return np.interp(instant - times[0], np.array(times) - times[0], elapsed)


STOPPED = 'Nothing is published: the controller does not execute the motion'
RESUMED = 'The controller executes the motion: published again'
TIMEOUT = 1.5  # s, longer than a busy machine keeps the controller from reporting


class TestOverDds:
    """A controller that runs slower, rejects, falls silent, or starts late."""

    @pytest.fixture
    def node(self, ros, planar):
        process = ros.start(
            'feedforward',
            urdf_path=planar,
            interpolation='jtc',
            sync='controller_state',
            publish_rate=100.0,
            sync_timeout=TIMEOUT,
            diagnostic_updater__period=0.1,
        )
        ros.wait_until_active(process)
        yield process
        assert process.interrupt() == 0, process.log

    @pytest.fixture
    def controller(self, ros, node):
        controller = Controller(ros)
        reports = ros.listen(DiagnosticArray, '/diagnostics')

        def heard():
            status = [s for r in reports[-1:] for s in r.status if s.name == 'feedforward: sync']
            return status and status[0].message == 'ok'

        ros.wait_for('states that arrive', heard, node)
        yield controller
        ros.remove_node(controller.node)

    @pytest.fixture
    def samples(self, ros, node):
        return ros.listen(FeedforwardTorque, '/feedforward/feedforward')

    @staticmethod
    def ask(ros, samples, seconds):
        samples.clear()
        message = trajectory(NAMES, [0.0, 0.0], [3.0, -2.0], times=[0.0, seconds])
        ros.publish(message, '/feedforward/joint_trajectory', subscribers=2)

    def send(self, ros, process, samples, seconds):
        self.ask(ros, samples, seconds)
        ros.wait_for('the motion', lambda: samples, process)

    @staticmethod
    def last_stop(node):
        """Return what was logged from the last stop on."""
        return node.log.rpartition(STOPPED)[2]

    @staticmethod
    def apart(controller, part):
        """Return the largest difference of the trajectory times [s]."""
        return max(
            abs(
                1e-9 * nanoseconds(s.reference.time_from_start)
                - controller.time_at(nanoseconds(s.header.stamp))
            )
            for s in part
        )

    def wait_until_together(self, ros, node, controller, samples):
        """Wait for samples, all later than what was reported so far, of the controller's time."""
        samples.clear()
        since = controller.reported[-1][0]
        ros.wait_for(
            "the controller's time",
            lambda: (
                len(samples) > 40
                and nanoseconds(samples[-20].header.stamp) > since
                and nanoseconds(samples[-1].header.stamp) < controller.reported[-1][0]
                and self.apart(controller, samples[-20:]) < 1e-6
            ),
            node,
        )

    @staticmethod
    def wait_for_restarts(ros, node, but):
        """Wait until all stops but some are followed by a restart: a busy machine adds stops."""
        ros.wait_for(
            f'a restart after all stops but {but}',
            lambda: node.log.count(STOPPED) == node.log.count(RESUMED) + but,
            node,
        )

    def test_its_time_and_speed(self, ros, node, controller, samples):
        self.send(ros, node, samples, 300.0)
        self.wait_until_together(ros, node, controller, samples)
        controller.speed = 0.5
        self.wait_until_together(ros, node, controller, samples)
        # derivatives are those with respect to real time
        np.testing.assert_allclose(samples[-1].reference.velocities, [0.005, -0.01 / 3], rtol=1e-9)
        self.wait_for_restarts(ros, node, but=0)

    def test_it_rejects(self, ros, node, controller, samples):
        reports = ros.listen(DiagnosticArray, '/diagnostics')
        controller.accepting = False
        ros.wait_for('time beyond the tolerance', lambda: len(controller.reported) > 100, node)
        sent, silent = 0, True
        while silent:  # a busy machine may keep the states away for so long
            self.ask(ros, samples, 60.0)
            sent += 1
            ros.wait_for('the warning', lambda n=sent: node.log.count(STOPPED) == n, node)
            silent = 'no state for' in self.last_stop(node)
        ros.wait_for('the motion', lambda: samples, node)
        found = ros.wait_for(
            'the report',
            lambda: [
                s
                for r in reports
                for s in r.status
                if STOPPED in s.message and 'no state for' not in s.message
            ],
            node,
        )
        assert found[0].level == found[0].WARN
        assert found[0].name == 'feedforward: sync'
        assert '/feedforward/controller_state: its trajectory time is' in found[0].message
        begun, last = (nanoseconds(samples[i].header.stamp) for i in (0, -1))
        assert last - begun <= TIMEOUT * SECOND
        # the next is executed by both, and each one before was warned of once
        controller.accepting = True
        self.send(ros, node, samples, 300.0)
        self.wait_until_together(ros, node, controller, samples)
        self.wait_for_restarts(ros, node, but=sent)

    def test_it_is_deactivated(self, ros, node, controller, samples):
        self.send(ros, node, samples, 300.0)
        self.wait_until_together(ros, node, controller, samples)
        controller.reporting = False
        self.wait_for_restarts(ros, node, but=1)
        assert 'no state for 1.5 s' in self.last_stop(node)
        # activated again, it holds its position
        controller.hold(controller.position)
        controller.reporting, back = True, time.time_ns()
        ros.wait_for('many states', lambda: len(controller.reported) > 300, node)
        assert nanoseconds(samples[-1].header.stamp) < back
        self.send(ros, node, samples, 300.0)
        self.wait_until_together(ros, node, controller, samples)
        self.wait_for_restarts(ros, node, but=1)

    def test_its_states_are_lost_for_some_time(self, ros, node, controller, samples):
        self.send(ros, node, samples, 300.0)
        self.wait_until_together(ros, node, controller, samples)
        controller.reporting = False
        self.wait_for_restarts(ros, node, but=1)
        controller.reporting = True
        self.wait_for_restarts(ros, node, but=0)
        self.wait_until_together(ros, node, controller, samples)

    def test_it_is_late(self, ros, node, controller, samples):
        controller.late = TIMEOUT + 1.0
        self.send(ros, node, samples, 60.0)
        ros.wait_for('the warning', lambda: STOPPED in node.log, node)
        ros.wait_for('the end of it', lambda: RESUMED in node.log, node)
        self.wait_until_together(ros, node, controller, samples)
        self.wait_for_restarts(ros, node, but=0)

    def test_states_that_cannot_be_used(self, ros, node, controller, samples):
        """One warning each; the others count."""
        self.send(ros, node, samples, 300.0)
        self.wait_until_together(ros, node, controller, samples)
        controller.reporting = False
        for text, fields in (
            ('joint_names: expected some of joint_1, joint_2, got x', {'joint_names': ['x']}),
            ('header.stamp: expected within 1 s', {'now': 1}),
            ('reference.positions: expected 3 values, one per joint name, got 1', {'q': [0.0]}),
            ('reference.positions: expected finite numbers', {'q': [np.nan, 0.0, 0.0]}),
        ):
            ros.wait_for(text, lambda t=text, f=fields: controller.say(**f) or t in node.log, node)
        controller.reporting = True
        self.wait_until_together(ros, node, controller, samples)
        assert 'Traceback' not in node.log
