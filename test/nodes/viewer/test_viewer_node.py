# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node `viewer`: messages in, a page out."""

from types import SimpleNamespace
from urllib.request import urlopen

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from helpers.planar_sea import write_joints
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

from screw_dynamics.control.report import OK, WARN
from screw_dynamics.errors import InputError
from screw_dynamics_interfaces.msg import FeedforwardTorque

pytest.importorskip('viser', reason='the viewer needs viser')

from screw_dynamics.nodes import viewer  # noqa: E402

NAMES = ['joint_1', 'joint_2']


class Page:
    """Stands for the server of the page: what it is told."""

    address = 'http://localhost:1'

    def __init__(self, robot, *_, **__):
        self.scene = SimpleNamespace(robot=robot, prepare=lambda *_: None)
        self.shown, self.states, self.stops = [], [], 0
        self.show, self.set_status = self.shown.append, self.states.append

    def stop(self):
        self.stops += 1


@pytest.fixture
def node(ros, planar, tmp_path, monkeypatch):
    """Return a node in this process, whose pictures are drawn when it is told."""
    monkeypatch.setattr(viewer, 'Viewer', Page)
    timers = {}
    monkeypatch.setattr(viewer, 'steady_timer', lambda _, *timer: timers.update([timer]))
    path = write_joints(tmp_path)
    with ros.made(viewer.ViewerNode, urdf_path=planar, drives_path=path, rate=20.0) as node:
        assert timers == {0.05: node._draw}
        assert node._report().level == WARN
        node._draw()
        node._source.finish()
        yield node
        page = node._viewer
    assert page.stops == 1


def measured(*position, effort=()):
    return JointState(name=NAMES[::-1], position=list(position)[::-1], effort=list(effort)[::-1])


def drawn(node):
    """Return the sample that is drawn now, None if there is nothing new."""
    before = len(node._viewer.shown)
    node._draw()
    return node._viewer.shown[-1] if len(node._viewer.shown) > before else None


def test_the_newest_state_is_drawn_once(node):
    assert drawn(node) is None
    reference = JointTrajectoryPoint(positions=[0.4, -0.6])
    motion = FeedforwardTorque(joint_names=NAMES, effort=[1.0, 2.0], reference=reference)
    node._on_efforts(motion)
    assert drawn(node).position.tolist() == [0.4, -0.6]
    assert drawn(node) is None
    assert node._report().level == WARN and node._viewer.states == [node._waiting]
    node._on_states(measured(0.3, np.nan))
    node._on_states(JointState(name=NAMES[:1], position=[0.3]))
    assert drawn(node) is None
    node._on_states(measured(0.3, -0.2, effort=(5.0, 6.0)))
    node._on_efforts(motion)
    sample = drawn(node)
    assert sample.position.tolist() == [0.3, -0.2]
    assert sample.efforts.tolist() == [[1.0, 2.0]] and sample.motor_positions is None
    assert drawn(node) is None
    assert node._report() == (OK, 'shown at http://localhost:1', {})
    assert node._viewer.states == [node._waiting, '']


def test_efforts_motors_and_wrenches_are_drawn_as_far_as_they_are_known(node):
    node._on_motors(JointState(name=NAMES, position=[0.1, 0.2]))
    wrench = WrenchStamped()
    wrench.header.frame_id = 'link_2'
    wrench.wrench.torque.y, wrench.wrench.force.z = 2.0, 6.0
    node._on_wrench(wrench)
    wrench.wrench.force.x = np.inf
    node._on_wrench(wrench)
    node._on_states(measured(0.3, -0.2, effort=(5.0, 6.0)))
    sample = drawn(node)
    assert sample.motor_positions.tolist() == [0.1, 0.2] and sample.efforts.tolist() == [
        [5.0, 6.0]
    ]
    assert {name: w.tolist() for name, w in sample.wrenches.items()} == {
        'link_2': [0.0, 2.0, 0.0, 0.0, 0.0, 6.0]
    }
    node._on_motors(JointState(name=NAMES, position=[0.1, np.nan]))
    node._on_states(measured(0.3, -0.2))
    sample = drawn(node)
    assert sample.motor_positions is None and sample.efforts is None

    def refuse(*_):
        raise InputError('no such frame')

    node._viewer.scene.prepare = refuse
    node._on_states(measured(0.3, -0.2))
    assert drawn(node) is None and node._wrenches == {}


def test_another_model_begins_anew(node):
    node._on_states(measured(0.3, -0.2))
    before = node._viewer
    node._on_model(node._source.loaded)
    assert before.stops == 1 and node._viewer is not before
    assert drawn(node) is None
    node._on_efforts(FeedforwardTorque(joint_names=NAMES[:1], effort=[1.0]))
    assert node._report().level == WARN and drawn(node) is None


def test_the_measured_robot_is_on_the_page(ros, planar):
    process = ros.start('viewer', urdf_path=planar, port=8765)
    ros.wait_for('the page', lambda: 'at http://localhost:' in process.log, process)
    address = process.log.partition('http://')[2].split()[0]
    with urlopen(f'http://{address}') as page:
        assert page.status == 200
    effort = FeedforwardTorque(
        joint_names=NAMES, effort=[1.0, 2.0], effort_dot=[0.1, 0.2], effort_ddot=[0.0, 0.1]
    )
    wrench = WrenchStamped()
    wrench.header.frame_id = 'nowhere'

    def refused():
        ros.publish(effort, '/feedforward/feedforward')
        ros.publish(wrench, '/load_observer/estimated_wrench')
        ros.publish(JointState(name=NAMES[::-1], position=[0.3, -0.2]), '/joint_states')
        return "unknown frame 'nowhere'" in process.log

    ros.wait_for('the warning of the wrench', refused, process)
    assert process.interrupt() == 0, process.log
