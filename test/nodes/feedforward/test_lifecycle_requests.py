# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests on ~/change_state that cannot be met, and a configuration that fails."""

from __future__ import annotations

import re
import time

import pytest
from helpers.node_processes import LATCHED, trajectory
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from std_msgs.msg import Float64

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque

NAMES = ['joint_1', 'joint_2']
UNKNOWN = 250


def refused(ros, node, label):
    request = ChangeState.Request(transition=Transition(label=label))
    return not ros.call_once(ChangeState, node, 'change_state', request).success


@pytest.mark.parametrize('events', [False, True])
def test_impossible_transitions_are_refused_and_the_output_goes_on(ros, planar, events):
    name = f'/asked_{int(events)}'
    process = ros.start('feedforward', name=name[1:], urdf_path=planar, use_events_executor=events)
    ros.wait_until_active(process, name)
    samples = ros.listen(FeedforwardTorque, f'{name}/feedforward')
    ros.publish(trajectory(NAMES, [0.0, 0.0]), f'{name}/joint_trajectory')
    ros.wait_for('samples', lambda: samples, process)
    for transition in (
        Transition.TRANSITION_CONFIGURE,
        Transition.TRANSITION_CLEANUP,
        Transition.TRANSITION_ACTIVATE,
        Transition.TRANSITION_UNCONFIGURED_SHUTDOWN,
        UNKNOWN,
    ):
        assert not ros.change_state(name, transition)
    assert refused(ros, name, 'explode')
    ros.wait_for(
        'the reasons',
        lambda: (
            'expected a transition of the state active (deactivate (4), shutdown (7)), '
            f'got number {UNKNOWN}: the state stays'
            in process.log
            and "got 'explode': the state stays" in process.log
        ),
        process,
    )
    count = len(samples)
    ros.wait_for('more samples', lambda: len(samples) > count, process)
    assert ros.change_state(name, Transition.TRANSITION_DEACTIVATE)
    assert not ros.change_state(name, Transition.TRANSITION_CONFIGURE)
    assert ros.state(name) == 'inactive'
    assert ros.change_state(name, Transition.TRANSITION_INACTIVE_SHUTDOWN)
    assert not ros.change_state(name, Transition.TRANSITION_INACTIVE_SHUTDOWN)
    assert ros.state(name) == 'finalized'
    assert process.interrupt() == 0, process.log


def override(topic):
    return {f'qos_overrides.{topic}.reliability': 'sometimes'}


@pytest.mark.parametrize('topic', ['/bad/feedforward.publisher', '/joint_states.subscription'])
def test_a_configuration_that_fails_is_told_and_leaves_nothing(ros, planar, topic):
    process = ros.start(
        'feedforward', name='bad', urdf_path=planar, autostart=False, **override(topic)
    )
    text = 'Cannot configure: Unexpected QoS override for policy `reliability`: `sometimes`'
    for times in (1, 2):
        assert not ros.change_state('/bad', Transition.TRANSITION_CONFIGURE)
        ros.wait_for('the reason', lambda times=times: process.log.count(text) >= times, process)
        assert process.log.count(text) == times
    assert ros.state('/bad') == 'unconfigured'
    # the client may hear of the ends later than of the state
    ros.wait_for(
        'nothing left',
        lambda: (
            ros.node.count_publishers('/bad/feedforward') == 0
            and ros.node.count_subscribers('/bad/joint_trajectory') == 0
        ),
        process,
    )
    assert process.interrupt() == 0, process.log


def test_a_configuration_that_fails_by_itself_is_fatal(ros, planar):
    process = ros.start(
        'feedforward', name='bad_start', urdf_path=planar, **override('/joint_states.subscription')
    )
    assert process.wait() == 1
    assert '[FATAL]' in process.log
    assert 'Cannot configure: Unexpected QoS override for policy `reliability`' in process.log
    assert 'Traceback' not in process.log


def test_a_model_with_other_joints_keeps_the_speed(ros, planar):
    process = ros.start('feedforward', name='renewed', namespace='/renewed')
    node, topic = '/renewed/renewed', '/renewed/robot_description'
    text = planar.read_text()
    ros.describe(text, topic)
    ros.wait_until_active(process, node)
    samples = ros.listen(FeedforwardTorque, f'{node}/feedforward')
    changed = 0

    def motion():
        """Return what has been published of a motion since the model changed."""
        return [
            sample
            for sample in samples
            if sample.source == sample.SOURCE_TRAJECTORY
            and nanoseconds(sample.header.stamp) > changed
        ]

    def at_half_speed():
        first, *_, last = motion()[-10:]
        elapsed = nanoseconds(last.header.stamp) - nanoseconds(first.header.stamp)
        followed = nanoseconds(last.reference.time_from_start) - nanoseconds(
            first.reference.time_from_start
        )
        return followed == pytest.approx(0.5 * elapsed, abs=10)

    def follow(names):
        message = trajectory(names, [0.0, 0.0], [1.0, 1.0], times=[0.0, 60.0])
        ros.publish(message, f'{node}/joint_trajectory')
        ros.wait_for('motion', lambda: len(motion()) > 30, process)

    follow(NAMES)
    ros.publish(Float64(data=0.5), f'{node}/speed_scaling', LATCHED)
    ros.wait_for('half the speed', at_half_speed, process)
    # renamed, then of another kind with the same name
    for names, described in (
        (['joint_1', 'elbow'], text.replace('joint_2', 'elbow')),
        (['joint_1', 'elbow'], re.sub('type="revolute"', 'type="continuous"', text)),
    ):
        described = described.replace('joint_2', 'elbow')
        before = process.log.count('The new robot model has other joints')
        ros.describe(described, topic)
        ros.wait_for(
            'the new model',
            lambda before=before: process.log.count('has other joints') > before,
            process,
        )
        # what was published before may still be under way
        changed = time.time_ns()
        follow(names)
        assert at_half_speed()
    assert 'elbow continuous' in process.log
    assert process.interrupt() == 0, process.log
