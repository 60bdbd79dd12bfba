# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""sea_demo.launch.py with launch_pytest: the whole loop, from trajectory to simulated motion."""

from __future__ import annotations

import pytest

pytest.importorskip('launch_pytest', reason='needs the ROS 2 package launch_pytest')
pytest.importorskip('launch_ros', reason='needs the ROS 2 package launch_ros')

import launch_pytest
import numpy as np
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, RegisterEventHandler, SetEnvironmentVariable
from launch.event_handlers import OnProcessExit
from launch.launch_description_sources import PythonLaunchDescriptionSource
from sensor_msgs.msg import JointState

from screw_dynamics import share_path
from screw_dynamics.nodes.conversions import nanoseconds
from screw_dynamics.trajectory import read_trajectory, smooth_trajectory, waypoints_from_points
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

# launch_pytest leaves its event loops to the garbage collector
pytestmark = pytest.mark.filterwarnings(
    r'ignore:Exception ignored in. <socket\.socket:pytest.PytestUnraisableExceptionWarning'
)


@pytest.fixture
def exit_codes():
    """Return the exit codes by process name, filled in as processes end."""
    return {}


@launch_pytest.fixture
def arm(ros, exit_codes):
    """Launch the arm in a namespace, in lock-step."""

    def on_exit(event, _):
        exit_codes[event.process_name] = event.returncode

    source = PythonLaunchDescriptionSource(str(share_path('launch/sea_demo.launch.py')))
    return LaunchDescription(
        [
            SetEnvironmentVariable('ROS_DOMAIN_ID', ros.environment['ROS_DOMAIN_ID']),
            SetEnvironmentVariable('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST'),
            RegisterEventHandler(OnProcessExit(on_exit=on_exit)),
            IncludeLaunchDescription(source, launch_arguments=[('namespace', 'arm')]),
            launch_pytest.actions.ReadyToTest(),
        ]
    )


@pytest.mark.launch(fixture=arm)
def test_the_simulated_arm_follows(ros, exit_codes):
    states = ros.listen(JointState, '/arm/joint_states', 5000)
    samples = ros.listen(FeedforwardTorque, '/arm/feedforward/feedforward', 5000)
    motors = ros.listen(MotorFeedforward, '/arm/feedforward/motor_feedforward', 5000)

    def arrived():
        assert not any(exit_codes.values()), f'a process ended early: {exit_codes}'
        return samples and samples[-1].source == samples[-1].SOURCE_HOLD

    ros.wait_for('the end', arrived)
    ros.wait_for('the end of the sender', lambda: exit_codes)
    file = read_trajectory(share_path('config/sea_arm_trajectory.yaml'))
    names = tuple(states[0].name)
    curve = smooth_trajectory(waypoints_from_points(file.joint_names, file.points, names))
    first = samples[0]
    start = nanoseconds(first.header.stamp) - nanoseconds(first.reference.time_from_start)
    times = 1e-9 * (np.array([nanoseconds(state.header.stamp) for state in states]) - start)
    during = (times > 0.0) & (times < 2.5)
    assert during.sum() > 1000
    positions = np.array([state.position for state in states])[during]
    np.testing.assert_allclose(positions, curve.jets(times[during])[:, 0], rtol=0, atol=5e-5)
    # the springs were bent meanwhile, by far more than the links went astray
    assert max(np.abs(sample.deflection).max() for sample in motors) > 0.03
    yield
    assert sorted(exit_codes.values()) == [0, 0, 0], exit_codes
