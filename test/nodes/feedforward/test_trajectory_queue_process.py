# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories are fitted beside the ticks, in a process that ends with the node."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from helpers import stopping_worker
from helpers.child_processes import children, state
from helpers.node_processes import altered_command, trajectory
from lifecycle_msgs.msg import Transition
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
TOPIC = '/feedforward/joint_trajectory'
QOS = QoSProfile(depth=20, durability=DurabilityPolicy.TRANSIENT_LOCAL)
OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


def long(name='long', points=10_000, names=NAMES):
    """Return a trajectory whose fit takes long, and stops as `Node.fitting` says."""
    times = np.linspace(0.0, 1000.0, points)
    # many flat runs and turning points, which the fit has to hold
    positions = np.random.default_rng(0).uniform(-1.0, 1.0, (points, len(names))).round(1)
    message = trajectory(names, *positions, times=times)
    message.header.frame_id = name
    return message


def short(name='short', position=0.5, names=NAMES):
    message = trajectory(names, [position, position], times=[200.0])
    message.header.frame_id = name
    return message


class Node:
    """A node that follows a long motion, and its log."""

    def __init__(self, ros, urdf):
        self.ros, self.verdicts, self.samples = ros, [], []
        command = altered_command('feedforward', before=stopping_worker.USED)
        self.process = ros.start_command(command, urdf_path=urdf, check_limits='off')
        ros.wait_until_active(self.process)
        self._subscriptions = [
            ros.node.create_subscription(kind, f'/feedforward/{name}', messages.append, qos)
            for kind, name, messages, qos in (
                (DiagnosticStatus, 'trajectory_status', self.verdicts, QOS),
                (FeedforwardTorque, 'feedforward', self.samples, QoSProfile(depth=1000)),
            )
        ]
        self.send(trajectory(NAMES, [0.0, 0.0], [1.0, -1.0], times=[0.0, 1000.0]))
        self.wait('the first verdict', lambda: self.verdicts)
        self.wait('output', lambda: self.samples)
        self.verdicts.clear()

    def wait(self, what, condition):
        return self.ros.wait_for(what, condition, self.process)

    def send(self, message):
        self.ros.publish(message, TOPIC)

    def verdict(self, count):
        """Return levels and values of so many verdicts."""
        self.wait('verdicts', lambda: len(self.verdicts) >= count)
        return [
            (status.level, status.message, {item.key: item.value for item in status.values})
            for status in self.verdicts
        ]

    def end(self):
        self.process.end()
        for subscription in self._subscriptions:  # those of the next node are others
            self.ros.node.destroy_subscription(subscription)

    def fitting(self):
        """Return once the first long fit is under way: its process has stopped itself."""
        child = self.child()
        self.wait('the fit', lambda: state(child) == 'T')
        assert not self.verdicts

    def go_on(self):
        """Resume the fit that `fitting` has stopped, if its process is still there."""
        with suppress(ValueError):
            os.kill(self.child(), signal.SIGCONT)

    def child(self):
        (child,) = children(self.process.pid)
        return child


def subscribers(ros):
    """Return what identifies the subscriptions of trajectories."""
    infos = ros.node.get_subscriptions_info_by_topic(TOPIC)
    return {bytes(info.endpoint_gid) for info in infos}


@pytest.fixture
def node(ros, planar):
    node = Node(ros, planar)
    yield node
    node.end()


def test_the_output_goes_on_and_the_order_is_kept(ros, node):
    wrong = short('wrong')
    wrong.joint_names[0] = 'nose'
    begin = len(node.samples)
    for message in (long(), wrong, short()):
        node.send(message)
    node.fitting()
    # a tick that waits for a fit is missing: many come while this one goes on
    stopped = ros.node.get_clock().now().nanoseconds

    def ticks():
        return sum(nanoseconds(sample.header.stamp) > stopped for sample in node.samples)

    node.wait('ticks during the fit', lambda: ticks() > 20)
    assert not node.verdicts
    node.go_on()
    (first, second, third) = node.verdict(3)
    assert [level for level, *_ in (first, second, third)] == [OK, ERROR, OK]
    assert [values['header.frame_id'] for *_, values in (first, second, third)] == [
        'long', 'wrong', 'short'
    ]  # fmt: skip
    assert "Incoming joint nose doesn't match" in second[1]
    assert float(third[2]['end [s]']) - float(third[2]['start [s]']) == pytest.approx(200.0)
    # from the running motion to the last trajectory without a jump
    end = float(third[2]['start [s]']) + 1.0
    node.wait('output', lambda: 1e-9 * nanoseconds(node.samples[-1].header.stamp) > end)
    samples = node.samples[begin:]
    times = np.array([1e-9 * (nanoseconds(s.header.stamp) - nanoseconds(samples[0].header.stamp))
                      for s in samples])  # fmt: skip
    rows = [[s.reference.positions, s.reference.velocities, s.reference.accelerations,
             s.reference_jerk, s.reference_snap] for s in samples]  # fmt: skip
    jets, steps = np.array(rows), np.diff(times)
    # Hermite's rule with both ends: between ticks that are missed on a busy machine, the fifth
    # derivative of the long motion moves it by 1e-2, and the error of the rule is 6e-5 at most
    before, after = jets[:-1], jets[1:]
    moved = sum(
        c * steps[:, None] ** d * (before[:, d] - (-1) ** d * after[:, d])
        for d, c in ((1, 1 / 2), (2, 3 / 28), (3, 1 / 84), (4, 1 / 1680))
    )
    close = steps < 0.016
    assert close.any()
    assert np.abs(before[:, 0] + moved - after[:, 0])[close].max() < 1e-4


@pytest.mark.parametrize('how', ['clear', 'deactivate', 'stream', 'cleanup'])
def test_a_fit_that_is_overtaken_is_rejected_with_the_reason(ros, node, how):
    node.send(long())
    node.fitting()
    if how == 'clear':
        # a second one, sent where a response is late, would reject the next trajectory
        assert ros.call_once(Trigger, '/feedforward', 'clear', Trigger.Request()).success
        reason = '~/clear was called'
    elif how == 'stream':
        state = JointState(name=NAMES, position=[0.0, 0.0])

        def streamed():
            ros.publish(state, '/feedforward/joint_state_reference', qos_profile_sensor_data)
            return node.samples[-1].source == FeedforwardTorque.SOURCE_STREAM

        node.wait('the stream', streamed)
        node.go_on()
        reason = '~/joint_state_reference began'
    else:
        assert ros.change_state('/feedforward', Transition.TRANSITION_DEACTIVATE)
        reason = 'the node is not active any more'
    ((level, message, _),) = node.verdict(1)
    assert level == ERROR and reason in message
    node.go_on()
    if how == 'cleanup':
        former = subscribers(ros)
        assert ros.change_state('/feedforward', Transition.TRANSITION_CLEANUP)
        assert ros.change_state('/feedforward', Transition.TRANSITION_CONFIGURE)
    if how in ('deactivate', 'cleanup'):
        assert ros.change_state('/feedforward', Transition.TRANSITION_ACTIVATE)
    if how == 'cleanup':
        # what is sent before that may reach the subscription that is no more alone
        def renewed():
            found = subscribers(ros)
            return found and not found & former

        node.wait('the new subscription', renewed)
    # the next one is taken
    node.verdicts.clear()
    # its fit may have to wait until that of the long one is done
    following = trajectory(NAMES, [0.2, 0.2], [0.5, 0.5], times=[0.0, 200.0])
    following.header.frame_id = 'next'
    node.send(following)
    node.wait('the next', lambda: any(
        item.value == 'next' and status.level == OK
        for status in node.verdicts for item in status.values
    ))  # fmt: skip
    assert node.process.interrupt() == 0, node.process.log


def test_parameters_that_change_during_a_fit_are_those_that_count(ros, node):
    beyond = long()
    beyond.points[5000].positions[0] = 100.0
    node.send(beyond)
    node.fitting()
    assert ros.set_parameter('/feedforward', 'check_limits', 'reject')[0]
    node.go_on()
    ((level, message, _),) = node.verdict(1)
    assert level == ERROR and 'position of joint joint_1 at point #5000' in message


def test_more_trajectories_than_can_wait(node):
    """Whoever sent one that is not fitted any more hears of it by its name."""
    message, sent = long(), []

    def overflowed():
        message.header.frame_id = f'number {len(sent)}'
        sent.append(message.header.frame_id)
        node.send(message)
        return [status for status in node.verdicts if 'newer trajectories' in status.message]

    node.wait('more than can wait', overflowed)
    rejected = [values for level, _, values in node.verdict(1) if level == ERROR]
    assert rejected and all(values['header.frame_id'] in sent for values in rejected)


def test_too_many_points(ros, node):
    assert ros.set_parameter('/feedforward', 'max_trajectory_points', 100)[0]
    node.send(long(points=101))
    node.send(long(points=100))
    (first, second) = node.verdict(2)
    assert first[0] == ERROR
    assert first[1] == 'expected at most 100 points (parameter max_trajectory_points), got 101'
    assert (first[2]['header.frame_id'], first[2]['points']) == ('long', '101')
    assert second[0] == OK


def test_a_process_that_dies_is_replaced(node):
    child = node.child()
    # the message is decoded, which would be done again
    node.send(long())
    node.fitting()
    os.kill(child, signal.SIGKILL)
    ((level, message, _),) = node.verdict(1)
    assert level == ERROR
    assert message == 'the process that fits trajectories has ended (code -9)'
    node.send(short())
    assert node.verdict(2)[1][0] == OK
    assert node.child() != child


def test_a_process_that_dies_while_idle_costs_no_trajectory(node):
    child = node.child()
    os.kill(child, signal.SIGKILL)
    node.wait('its end', lambda: state(child) == 'Z')
    node.send(short())
    assert node.verdict(1)[0][0] == OK
    assert node.child() != child


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_process_ends_with_the_node(ros, node, number):
    child = node.child()
    node.send(long())
    node.fitting()
    code = node.process.interrupt(number)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGCONT)
    assert code == (-9 if number == signal.SIGKILL else 0), node.process.log
    ros.wait_for('the end of its process', lambda: state(child) == 'Z')
    assert 'Traceback' not in node.process.log
