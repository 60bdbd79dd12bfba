# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The launch files with launch_pytest: arguments, lifecycle, topics, exit codes after SIGINT."""

import pytest

pytest.importorskip('launch_pytest', reason='needs the ROS 2 package launch_pytest')
pytest.importorskip('launch_ros', reason='needs the ROS 2 package launch_ros')

import launch_pytest
import numpy as np
from helpers.launched import described, included
from helpers.node_processes import trajectory
from launch_pytest.actions import ReadyToTest
from lifecycle_msgs.msg import Transition
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics_interfaces.msg import FeedforwardTorque
from screw_dynamics_interfaces.srv import GetMassMatrix

NAMES = ['joint_1', 'joint_2']

# launch_pytest leaves its event loops to the garbage collector
pytestmark = [
    pytest.mark.processes,
    pytest.mark.filterwarnings(
        r'ignore:Exception ignored in. <socket\.socket:pytest.PytestUnraisableExceptionWarning'
    ),
]


@launch_pytest.fixture
def by_hand(ros, planar, exit_codes):
    """Launch feedforward beside a controller, to be configured by hand."""
    node = included(
        'feedforward',
        urdf_file=planar,
        autostart='false',
        publish_rate='50',
        controller_name='arm_controller',
        effort_controller_name='effort_controller',
    )
    return described(ros, exit_codes, node, ReadyToTest())


@pytest.mark.launch(fixture=by_hand)
def test_lifecycle_topics_and_exit_code(ros, exit_codes):
    assert ros.state('/feedforward') == 'unconfigured'
    assert ros.change_state('/feedforward', Transition.TRANSITION_CONFIGURE)
    assert ros.change_state('/feedforward', Transition.TRANSITION_ACTIVATE)
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    commands = ros.listen(Float64MultiArray, '/effort_controller/commands')
    message = trajectory(NAMES, [0.0, 0.0], [0.2, 0.2], times=[0.0, 1.0])
    ros.publish(message, '/arm_controller/joint_trajectory')
    ros.wait_for('the end', lambda: samples and samples[-1].source == samples[-1].SOURCE_HOLD)
    ros.wait_for('the command', lambda: commands and commands[-1].data == samples[-1].effort)
    assert ros.change_state('/feedforward', Transition.TRANSITION_DEACTIVATE)
    assert ros.state('/feedforward') == 'inactive'
    yield
    # after the shutdown of launch, which sends SIGINT
    assert list(exit_codes.values()) == [0], exit_codes


@launch_pytest.fixture
def two_robots(ros, planar, gripper, exit_codes):
    """Launch everything twice, in two namespaces, with robots of different sizes."""
    return described(
        ros,
        exit_codes,
        included('bringup', namespace='left', urdf_file=planar),
        included('bringup', namespace='right', urdf_file=gripper),
        ReadyToTest(),
    )


@pytest.mark.launch(fixture=two_robots)
def test_two_namespaces(ros, model, exit_codes):
    sizes = {'left': len(NAMES), 'right': model.n}
    for robot, n in sizes.items():
        request = GetMassMatrix.Request(position=[0.0] * n)
        name = f'/{robot}/dynamics_server/get_mass_matrix'
        ros.wait_for(
            'the model',
            lambda name=name, request=request: ros.call(GetMassMatrix, name, request).success,
        )
        ros.wait_until_active(None, f'/{robot}/feedforward')
    samples = {
        robot: ros.listen(FeedforwardTorque, f'/{robot}/feedforward/feedforward')
        for robot in sizes
    }
    ros.publish(
        trajectory(NAMES, [0.1, 0.0], [0.2, 0.3]),
        '/left/joint_trajectory_controller/joint_trajectory',
    )
    ros.wait_for('samples', lambda: len(samples['left']) > 20)
    assert not samples['right']
    assert samples['left'][0].joint_names == NAMES
    yield
    assert sorted(exit_codes.values()) == [0] * 4, exit_codes


@launch_pytest.fixture
def proxy(ros, gripper, exit_codes):
    """Launch feedforward between a planner and a controller, for some of the joints."""
    node = included(
        'feedforward',
        urdf_file=gripper,
        controller_name='',
        trajectory_effort_controller_name='arm_controller',
        joint_prefix='left_',
        log_level='warn',
    )
    return described(ros, exit_codes, node, ReadyToTest())


@pytest.mark.launch(fixture=proxy)
def test_trajectories_go_through_the_node(ros, model, exit_codes):
    names = [name for name in model.joint_names if name.startswith('left_')]
    assert 0 < len(names) < model.n
    ros.wait_until_active(None)
    received = ros.listen(JointTrajectory, '/arm_controller/joint_trajectory')
    rest = np.zeros(len(names))
    states = JointState(name=names, position=rest.tolist())
    ros.publish(states, '/joint_states')
    ros.publish(trajectory(names, rest, rest), '/feedforward/joint_trajectory')
    ros.wait_for('the trajectory', lambda: received)
    assert received[0].joint_names == names
    assert len(received[0].points) == 101
    assert all(len(point.effort) == len(names) for point in received[0].points)
    yield
    assert list(exit_codes.values()) == [0], exit_codes
