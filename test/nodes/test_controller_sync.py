# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`sync: controller_state`: trajectory time as a controller counts it."""

from __future__ import annotations

import importlib.util
import sys
import time

import numpy as np
import pytest
from node_processes import trajectory

from screw_dynamics.errors import InputError
from screw_dynamics.nodes.conversions import nanoseconds, set_stamp
from screw_dynamics.nodes.inputs.controller_sync import state_type
from screw_dynamics.nodes.reference.interpolation import SMOOTH
from screw_dynamics.nodes.reference.reference import Reference, Source
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points
from screw_dynamics_interfaces.msg import FeedforwardTorque

SECOND = 10**9
START = 1_700_000_000 * SECOND
NAMES = ['joint_1', 'joint_2']
HAVE_CONTROL_MSGS = importlib.util.find_spec('control_msgs') is not None
POINTS = waypoints_from_points(['a'], [(0.0, [0.0]), (1.0, [1.0]), (2.0, [0.5])], ['a'])


@pytest.fixture
def reference():
    reference = Reference(1, SMOOTH)
    reference.add(POINTS, START, START)
    return reference


def sampled(reference, instant):
    jet = np.empty((5, 1))
    return reference.sample(instant, jet), jet


class TestReference:
    """Which corrections are made."""

    @pytest.mark.parametrize('difference', [-0.03, 0.0, 0.08])
    def test_within_the_tolerance(self, reference, difference):
        got = reference.synchronise(0.5 + difference, START + SECOND // 2, 0.1)
        assert got == pytest.approx(difference, abs=1e-12)
        _, jet = sampled(reference, START + SECOND)
        expected = smooth_trajectory(POINTS).jets([1.0 + difference])[0]
        np.testing.assert_allclose(jet, expected, rtol=1e-9, atol=1e-9)
        assert reference.time_from_start == pytest.approx(1.0 + difference)

    def test_beyond_it(self, reference):
        before = sampled(reference, START + SECOND)[1]
        assert reference.synchronise(3.0, START + SECOND, 0.1) == pytest.approx(2.0)
        np.testing.assert_array_equal(sampled(reference, START + SECOND)[1], before)

    def test_nothing_applies(self, reference):
        assert reference.synchronise(0.0, START - 1, 0.1) is None
        assert Reference(1, SMOOTH).synchronise(0.0, START, 0.1) is None

    def test_the_end_is_held_unless_the_controller_is_not_there_yet(self, reference):
        instant = START + 2 * SECOND + SECOND // 20
        assert reference.synchronise(7.0, instant, 0.1) is None
        assert reference.synchronise(0.3, instant, 0.1) is None
        assert sampled(reference, instant)[0] is Source.HOLD
        assert reference.synchronise(1.99, instant, 0.1) == pytest.approx(-0.06)
        assert sampled(reference, instant)[0] is Source.TRAJECTORY


@pytest.mark.parametrize('missing', [None, type(sys)('control_msgs.msg')])
def test_without_control_msgs(monkeypatch, missing):
    """The package is absent, or has no such message."""
    monkeypatch.setitem(sys.modules, 'control_msgs.msg', missing)
    with pytest.raises(
        InputError,
        match=r"parameter 'sync': 'controller_state' needs the package control_msgs",
    ):
        state_type()


@pytest.mark.skipif(HAVE_CONTROL_MSGS, reason='control_msgs is installed')
def test_the_node_says_what_is_missing(ros, planar):
    process = ros.start('feedforward', urdf_path=planar, sync='controller_state')
    assert process.wait() == 1
    assert "parameter 'sync': 'controller_state' needs the package control_msgs" in process.log
    assert 'Traceback' not in process.log


def waypoints_from_message(message):
    points = [(1e-9 * nanoseconds(p.time_from_start), p.positions) for p in message.points]
    return waypoints_from_points(message.joint_names, points, NAMES)


class Controller:
    """Reports on a trajectory as joint_trajectory_controller does, each time it is asked to."""

    def __init__(self, ros, topic):
        self._ros, self._message = ros, state_type()(joint_names=NAMES)
        self._publisher = ros.node.create_publisher(type(self._message), topic, 10)
        self.start, self.speed = 0, 1.0
        self.reported: list[tuple[int, float]] = []

    def report(self, factor=None):
        now = time.time_ns()
        last = self.reported[-1] if self.reported else (self.start, 0.0)
        elapsed = last[1] + self.speed * 1e-9 * (now - last[0])
        self.reported.append((now, elapsed))
        set_stamp(self._message.header.stamp, now)
        set_stamp(self._message.reference.time_from_start, round(1e9 * elapsed))
        self._message.speed_scaling_factor = self.speed if factor is None else factor
        self._publisher.publish(self._message)
        return True

    def time_at(self, instant):
        times, elapsed = zip(*self.reported, strict=True)
        return np.interp(instant - times[0], np.array(times) - times[0], elapsed)


@pytest.mark.skipif(not HAVE_CONTROL_MSGS, reason='needs the ROS 2 package control_msgs')
class TestOverDds:
    """A controller that starts later than the node, runs slower, and then does something else."""

    @pytest.fixture
    def node(self, ros, planar):
        process = ros.start(
            'feedforward',
            urdf_path=planar,
            sync='controller_state',
            publish_rate=100.0,
            sync_tolerance=0.3,
        )
        ros.wait_until_active(process)
        yield process
        assert process.interrupt() == 0, process.log

    def test_the_controller_leads(self, ros, node):
        samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
        controller = Controller(ros, '/feedforward/controller_state')
        message = trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0.0, 3.0])
        ros.publish(message, '/feedforward/joint_trajectory')
        ros.wait_for('samples', lambda: samples, node)
        controller.start = nanoseconds(samples[0].header.stamp) + 100_000_000

        def time_of(sample):
            return 1e-9 * nanoseconds(sample.reference.time_from_start)

        ros.wait_for(
            'half of it', lambda: controller.report() and time_of(samples[-1]) > 1.5, node
        )
        middle = len(samples)
        controller.speed = 0.5
        ros.wait_for(
            'more of it', lambda: controller.report() and time_of(samples[-1]) > 2.2, node
        )
        for part in (samples[middle // 2 : middle], samples[middle + 40 : -5]):
            difference = [
                time_of(s) - controller.time_at(nanoseconds(s.header.stamp)) for s in part
            ]
            assert len(part) > 20
            assert np.abs(difference).max() < 1e-6
        # derivatives are those with respect to real time
        slow, t = samples[-6], time_of(samples[-6])
        jet = smooth_trajectory(waypoints_from_message(message)).jets([t])[0]
        np.testing.assert_allclose(slow.reference.velocities, 0.5 * jet[1], rtol=1e-5)
        np.testing.assert_allclose(slow.reference_snap, 0.5**4 * jet[4], rtol=1e-5, atol=1e-4)

        # another trajectory over there: this one goes on by the clock of the node
        controller.reported.append((time.time_ns(), 30.0))
        ros.wait_for(
            'the warning',
            lambda: controller.report() and 'the controller executes another' in node.log,
            node,
        )
        assert '~/controller_state ignored: reference.time_from_start: expected' in node.log
