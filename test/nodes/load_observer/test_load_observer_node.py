# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node load_observer in this process: what it counts, logs, reports and refuses."""

from contextlib import ExitStack
from types import SimpleNamespace

import numpy as np
import pytest
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND, set_stamp
from screw_dynamics.control.report import OK, WARN
from screw_dynamics.nodes.load_observer.node import LoadObserverNode

MS = 10**6
Q = np.array([0.3, 0.9, -0.5, 1.2, 0.4, -0.6, 0.2])
FREE = np.zeros(7)
PUSH = np.full(7, 20.0)


class Observer:
    """A node, samples at rest for it, and what it publishes and logs."""

    def __init__(self, node, model):
        self.node, self.model, self.instant = node, model, 1000 * SECOND
        self.lines, self.flags, self.efforts, self.wrenches = [], [], [], []
        logger = SimpleNamespace()
        for level in ('info', 'warning', 'error'):
            setattr(logger, level, lambda text, **_: self.lines.append(text))
        node.get_logger = lambda: logger
        node._flag.publish = lambda message: self.flags.append(message.data)
        assert node._report() == (OK, 'not begun', {})
        self.send(FREE)  # before there is a model
        node._source.finish()
        node._effort.publish = lambda instant, row: self.efforts.append((instant, row.copy()))
        if node._wrench is not None:
            node._wrench.publish = lambda instant, row: self.wrenches.append(row.copy())

    def send(self, load, count=1, **changes):
        for _ in range(count):
            self.instant += 5 * MS
            message = JointState(name=list(self.model.joint_names))
            message.position, message.velocity = Q.tolist(), FREE.tolist()
            message.effort = (sd.gravity_forces(self.model, Q) - load).tolist()
            set_stamp(message.header.stamp, self.instant)
            for field, values in changes.items():
                setattr(message, field, values)
            self.node._on_joint_states(message)


@pytest.fixture
def observed(ros):
    """Return a function that makes an observer of the arm."""
    urdf = sd.share_path('urdf/iiwa14.urdf')
    with ExitStack() as made:

        def observed(**parameters):
            fast = {'contact__floor': [0.5], 'bandwidth': [100.0]}
            node = ros.made(LoadObserverNode, urdf_path=urdf, **fast, **parameters)
            return Observer(made.enter_context(node), sd.read_urdf(urdf))

        yield observed


def test_a_contact_is_told_counted_and_logged_once(observed):
    observer = observed(wrench__frame='flange')
    observer.send(FREE, 20)
    observer.send(PUSH, 60)
    observer.send(FREE, 200)
    assert observer.flags == [True, False]
    begins, ends = (line for line in observer.lines if line.startswith('Contact'))
    assert begins.startswith('Contact begins on link_')
    assert ends.startswith('Contact has ended: strongest on link_')
    level, message, values = observer.node._report()
    assert (level, message, values['contacts'], values['contact']) == (OK, 'ok', 1, False)
    assert values['observed'] == len(observer.efforts) == len(observer.wrenches) == 280
    assert values['last contact'] in ends
    assert observer.efforts[-1][0] == observer.instant
    assert observer.node._report()[:2] == (WARN, 'no joint states since the last report')


def test_rejections_are_counted_and_the_last_is_reported(observed):
    observer = observed()
    for changes in ({'effort': []}, {'position': [np.nan] * 7}):
        observer.send(FREE, **changes)
    level, message, values = observer.node._report()
    assert (level, values['rejected'], values['observed']) == (OK, 2, 0)
    reason = 'joint_states: position of joint_1: expected a finite number'
    assert message.startswith(f'last rejection: {reason}')
    assert observer.node._report().message.startswith(
        f'no joint states since the last report: {reason}'
    )
    assert observer.lines[-1].startswith(f'Joint states rejected: {reason}')
    observer.send(FREE, 3, name=['gripper'] * 7)
    assert observer.node._report().values['left out'] == 3
    observer.send(FREE)
    assert observer.node._report().level == OK


def test_a_frame_that_moves_no_joint_has_no_wrench(observed):
    observer = observed(wrench__frame='link_2')
    observer.send(FREE, 4)
    assert observer.node._report().values['without wrench'] == 4 and observer.wrenches == []


def test_parameters_are_checked_and_begin_anew(observed):
    observer = observed()
    observer.send(PUSH, 60)
    assert observer.flags[-1]
    node = observer.node
    refused = node.set_parameters([Parameter('contact.floor', value=[1.0, 2.0, 3.0])])[0]
    assert not refused.successful
    assert "'contact.floor': expected no value, one, or 7 (joint_1, " in refused.reason
    assert node.set_parameters([Parameter('diagnostic_updater.period', value=5.0)])[0].successful
    assert observer.flags[-1]
    assert node.set_parameters([Parameter('contact.floor', value=[1000.0])])[0].successful
    observer.send(PUSH, 60)
    assert not observer.flags[-1]
