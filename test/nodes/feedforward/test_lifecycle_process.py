# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""States of feedforward, robot descriptions that come late or broken, starts that must fail."""

import signal
import time

import pytest
from helpers.node_processes import trajectory
from lifecycle_msgs.msg import Transition
from rclpy.parameter import Parameter

from screw_dynamics.common.times import nanoseconds
from screw_dynamics.control.inputs import TaskDone
from screw_dynamics.nodes.feedforward.node import FeedforwardNode
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']


@pytest.fixture
def started(ros):
    """Start a feedforward node of its own name; kill it at the end."""
    processes = []

    def start(name, **parameters):
        process = ros.start('feedforward', name=name, **parameters)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.end()


def test_transitions_by_hand(ros, started, planar):
    process = started('by_hand', autostart=False, urdf_path=planar)
    assert ros.state('/by_hand') == 'unconfigured'
    assert ros.change_state('/by_hand', Transition.TRANSITION_CONFIGURE)
    assert ros.state('/by_hand') == 'inactive'
    refused = 0

    def refuses():
        """A line that repeats within a second is not logged."""
        ros.publish(trajectory(NAMES, [0.0, 0.0]), '/by_hand/joint_trajectory')
        return process.log.count('Trajectory rejected: the node is not active') > refused

    ros.wait_for('the refusal', refuses, process)
    assert ros.change_state('/by_hand', Transition.TRANSITION_ACTIVATE)
    samples = ros.listen(FeedforwardTorque, '/by_hand/feedforward')
    ros.publish(trajectory(NAMES, [0.0, 0.0]), '/by_hand/joint_trajectory')
    ros.wait_for('samples', lambda: samples, process)
    active = next(line for line in process.log.splitlines() if 'Active at' in line)
    listens, publishes = active.split('publishes')
    assert 'Hz: listens on ' in listens and '/by_hand/joint_trajectory' in listens
    assert '/by_hand/feedforward' in publishes and '/rosout' not in active
    assert ros.change_state('/by_hand', Transition.TRANSITION_DEACTIVATE)
    refused = process.log.count('Trajectory rejected')
    ros.wait_for('another refusal', refuses, process)
    assert ros.change_state('/by_hand', Transition.TRANSITION_CLEANUP)
    assert ros.state('/by_hand') == 'unconfigured'
    # else the next trajectory might be sent to the subscription that has ended
    ros.wait_for(
        'the end of the input',
        lambda: ros.node.count_subscribers('/by_hand/joint_trajectory') == 0,
        process,
    )
    assert ros.change_state('/by_hand', Transition.TRANSITION_CONFIGURE)
    assert ros.change_state('/by_hand', Transition.TRANSITION_ACTIVATE)
    samples.clear()
    ros.publish(trajectory(NAMES, [0.0, 0.0]), '/by_hand/joint_trajectory')
    ros.wait_for('samples again', lambda: samples, process)
    assert ros.change_state('/by_hand', Transition.TRANSITION_ACTIVE_SHUTDOWN)
    assert ros.state('/by_hand') == 'finalized'
    assert process.interrupt() == 0, process.log


def test_another_rate_and_answers_for_a_core_of_before(ros, planar):
    with ros.made(FeedforwardNode, urdf_path=planar, publish_rate=100.0) as node:
        node._source.finish()
        assert (node.state, node._ticks.statistics.period) == ('active', 10**7)
        node.set_parameters([Parameter('publish_rate', value=50.0)])
        assert node._ticks.statistics.period == 2 * 10**7
        node._stop_publishing()
        node.set_parameters([Parameter('publish_rate', value=100.0)])
        assert node._ticks.statistics.period == 2 * 10**7
        steps, node._awaited = [], 3
        node.step = steps.append
        node._answer(node._parts, 1, 'that of a task')
        node._answer(None, 2, 'that of a core that has ended')
        node._look.reset()
        node._look_for_answers()
        assert steps == [TaskDone(1, 'that of a task')] and not node._look.is_canceled()
        node._answer(node._parts, 3, 'the last')
        node._look_for_answers()
        assert node._look.is_canceled()


def test_without_a_model_configure_fails_with_the_reason(ros, started):
    process = started('empty', autostart=False)
    assert not ros.change_state('/empty', Transition.TRANSITION_CONFIGURE)
    assert ros.state('/empty') == 'unconfigured'
    ros.wait_for(
        'the reason',
        lambda: "Cannot configure: Waiting for data on '/robot_description' topic" in process.log,
        process,
    )
    ros.wait_for(
        'the reminder',
        lambda: "]: Waiting for data on '/robot_description' topic" in process.log,
        process,
    )
    assert process.interrupt(signal.SIGTERM) == 0, process.log
    assert 'Traceback' not in process.log


def test_a_late_a_broken_and_a_new_description(ros, started, planar, gripper):
    # a topic of its own: descriptions are latched, and the nodes of other tests wait for one
    process, topic = started('late', namespace='/own'), '/own/robot_description'
    ros.wait_for('the node', lambda: ros.state('/own/late') == 'unconfigured', process)
    ros.describe('<robot name="broken"><link/></robot>', topic)
    ros.wait_for('the error', lambda: 'Robot description refused: link' in process.log, process)
    assert ros.state('/own/late') == 'unconfigured'
    ros.describe(planar.read_text(), topic)
    ros.wait_until_active(process, '/own/late')
    samples = ros.listen(FeedforwardTorque, '/own/late/feedforward')
    ros.publish(trajectory(NAMES, [0.0, 0.0]), '/own/late/joint_trajectory')
    ros.wait_for('samples', lambda: samples, process)

    ros.describe('<robot', topic)
    ros.wait_for(
        'the warning', lambda: "New robot description refused: topic '/" in process.log, process
    )
    count = len(samples)
    ros.wait_for('more samples', lambda: len(samples) > count, process)

    ros.describe(gripper.read_text(), topic)
    ros.wait_for('the new model', lambda: 'The new robot model has other joints' in process.log)
    dropped = time.time_ns()
    ros.spin(0.3)
    # what was published before may still have been under way
    assert all(nanoseconds(sample.header.stamp) <= dropped for sample in samples)
    assert process.interrupt() == 0, process.log


def test_a_bad_start_is_fatal_and_says_why(ros, started):
    """The texts of the parameters are those of the records."""
    process = started('bad_start', urdf_path='/nowhere.urdf')
    assert process.wait() == 1
    assert '[FATAL]' in process.log
    assert "'urdf_path': expected a file, got '/nowhere.urdf'" in process.log
    assert 'Traceback' not in process.log
