# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Goals through the node to the action of a controller, over DDS."""

import numpy as np
import pytest

pytest.importorskip('control_msgs.action', reason='the action needs control_msgs')

from helpers.action_controller import ActionController, Result  # noqa: E402
from helpers.goal_client import NAMES, GoalClient, goal_of  # noqa: E402

from screw_dynamics import inverse_dynamics, read_urdf  # noqa: E402

OWN = '/feedforward/follow_joint_trajectory'


@pytest.fixture(scope='module')
def controller(ros):
    node = ros.add_node('arm')
    controller = ActionController(node, NAMES)
    yield controller
    controller.destroy()
    ros.remove_node(node)


@pytest.fixture(scope='module')
def process(ros, controller, planar):
    process = ros.start(
        'feedforward',
        urdf_path=planar,
        publish_rate=100.0,
        follow_joint_trajectory='/arm/follow_joint_trajectory',
        hold_after_stop=True,
    )
    ros.wait_until_active(process)
    yield process
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log


@pytest.fixture(scope='module')
def client(ros, process):
    client = GoalClient(ros.node, OWN)
    ros.wait_for('the action', client.client.server_is_ready, process)
    yield client
    client.client.destroy()


def test_a_goal_gets_efforts_feedback_and_the_result(ros, process, client, controller, planar):
    sent = client.send(goal_of([0.0, 0.0], [0.3, -0.2], times=[0.0, 0.6]))
    ros.wait_for('its end', lambda: sent.over, process)
    assert sent.outcome == ('succeeded', Result.SUCCESSFUL)
    assert sent.feedback
    points = controller.received[-1].trajectory.points
    assert len(points) > 50
    model = read_urdf(planar)
    for point in points:
        jet = np.array([point.positions, point.velocities, point.accelerations])
        np.testing.assert_allclose(point.effort, inverse_dynamics(model, jet)[0], atol=1e-10)


def test_a_goal_that_is_canceled_is_canceled_at_the_controller(ros, process, client, controller):
    count = len(controller.received)
    sent = client.send(goal_of([0.0, 0.0], [0.3, -0.2], times=[0.5, 9.0]))
    ros.wait_for('its begin', lambda: len(controller.received) > count, process)
    ros.wait_for('feedback', lambda: sent.feedback, process)
    sent.cancel()
    ros.wait_for('its end', lambda: sent.over, process)
    assert sent.end == 'canceled'
    # the controller gets the effort of the position at which it has stopped
    ros.wait_for('the hold', lambda: len(controller.received) > count + 1, process)
    assert len(controller.received[-1].trajectory.points) == 1


def test_what_the_controller_would_reject_is_rejected(ros, process, client):
    sent = client.send(goal_of([0.0], times=[1.0], names=NAMES[:1]))
    ros.wait_for('the answer', lambda: sent.over, process)
    assert sent.accepted is False
