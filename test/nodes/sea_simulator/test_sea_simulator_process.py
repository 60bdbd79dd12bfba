# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node sea_simulator over DDS, driven by the node feedforward."""

from dataclasses import replace

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from helpers.node_processes import node_command
from scipy.interpolate import CubicSpline
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.common.times import nanoseconds
from screw_dynamics.nodes.trajectory_sender import trajectory_message
from screw_dynamics.trajectory import read_trajectory
from screw_dynamics_interfaces.msg import FeedforwardTorque


def reported_by_feedforward(report):
    return nanoseconds(report.header.stamp) > 0 and 'feedforward' in report.status[0].name


def test_it_follows_the_motor_efforts_of_feedforward_in_lock_step(ros):
    """The arm of the example files, by exact motor efforts without feedback."""
    files = ['--ros-args', '--params-file', str(sd.share_path('config/sea_arm.yaml')), '-r']
    motors = '/feedforward/motor_feedforward'
    simulator = ros.start_command(
        [*node_command('sea_simulator'), *files, f'~/motor_feedforward:={motors}', '--'],
        use_sim_time=True,
        publish_clock=True,
    )
    ros.start_command(
        [*node_command('feedforward'), *files, f'~/motor_feedforward:={motors}', '--'],
        use_sim_time=True,
    )
    states, samples, reports = (
        ros.listen(JointState, '/joint_states'),
        ros.listen(FeedforwardTorque, '/feedforward/feedforward'),
        ros.listen(DiagnosticArray, '/diagnostics'),
    )
    whole = read_trajectory(sd.share_path('config/sea_arm_trajectory.yaml'))
    home, still, there, _ = whole.points
    # to rest at 80 % of the way, within the limits of velocity
    positions = 0.2 * np.array(home.positions) + 0.8 * np.array(there.positions)
    end = home._replace(time_from_start=there.time_from_start, positions=positions.tolist())
    file = replace(whole, points=(home, still, end))
    ros.wait_for('states', lambda: states, simulator)
    # without a time on /clock a trajectory is refused
    ros.wait_for('the clock of feedforward', lambda: any(map(reported_by_feedforward, reports)))
    ros.publish(trajectory_message(file), '/feedforward/joint_trajectory')
    end = round(1e9 * file.points[-1].time_from_start)
    moving = FeedforwardTorque.SOURCE_TRAJECTORY

    def passed(sample):
        return nanoseconds(sample.reference.time_from_start)

    ros.wait_for(
        'the end of the motion',
        lambda: (
            samples and samples[-1].source != moving and max(map(passed, samples)) >= 0.99 * end
        ),
        simulator,
    )
    instants = np.array([nanoseconds(sample.header.stamp) for sample in samples])
    positions = np.array([sample.reference.positions for sample in samples])
    stamps = np.array([nanoseconds(state.header.stamp) for state in states])
    during = (stamps > instants[0]) & (stamps < instants[-1])
    assert (np.diff(stamps[during]) == 2_000_000).all()
    reference = CubicSpline(1e-9 * instants, positions)(1e-9 * stamps[during])
    followed = np.array([state.position for state in states])[during]
    assert np.ptp(followed, axis=0).max() > 0.5
    # commands are held for 2 ms, which leaves 1.3e-6 rad; rigid ones would leave 1.2e-2
    assert np.abs(followed - reference).max() < 1e-5
