# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""sea_demo.launch.py with launch_pytest: the whole loop, from trajectory to simulated motion."""

import re
import shlex

import pytest

pytest.importorskip('launch_pytest', reason='needs the ROS 2 package launch_pytest')
pytest.importorskip('launch_ros', reason='needs the ROS 2 package launch_ros')

import launch_pytest
import numpy as np
import yaml
from helpers.launched import described, included, launch_process
from helpers.node_processes import keep_all
from helpers.patience import patience
from launch_pytest.actions import ReadyToTest
from sensor_msgs.msg import JointState

from screw_dynamics import share_path
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

# launch_pytest leaves its event loops to the garbage collector
pytestmark = [
    pytest.mark.processes,
    pytest.mark.filterwarnings(
        r'ignore:Exception ignored in. <socket\.socket:pytest.PytestUnraisableExceptionWarning'
    ),
]


def arm_file(folder, **changed):
    """Return a copy of the parameter file of the arm with other values, by node."""
    parameters = yaml.safe_load(share_path('config/sea_arm.yaml').read_text())
    for node, values in changed.items():
        own = {name.replace('__', '.'): value for name, value in values.items()}
        parameters[f'/**/{node}']['ros__parameters'] |= own
    file = folder / 'arm.yaml'
    file.write_text(yaml.safe_dump(parameters))
    return file


@launch_pytest.fixture
def arm(ros, tmp_path, exit_codes):
    """Launch the arm in a namespace, in lock-step, its nodes silent unless something is wrong."""
    file = arm_file(
        tmp_path,
        sea_simulator={'lock_step_timeout': 60.0, **keep_all('/arm', 'joint_states')},
        feedforward=keep_all('/arm/feedforward', 'feedforward', 'motor_feedforward'),
    )
    node = included('sea_demo', namespace='arm', log_level='warn', params_file=file)
    return described(ros, exit_codes, node, ReadyToTest())


@pytest.mark.launch(fixture=arm)
def test_the_simulated_arm_follows(ros, exit_codes):
    states = ros.listen(JointState, '/arm/joint_states')
    samples = ros.listen(FeedforwardTorque, '/arm/feedforward/feedforward')
    motors = ros.listen(MotorFeedforward, '/arm/feedforward/motor_feedforward')

    def arrived():
        assert not any(exit_codes.values()), f'a process ended early: {exit_codes}'
        return samples and samples[-1].source == samples[-1].SOURCE_HOLD

    ros.wait_for('the end', arrived)
    ros.wait_for('the end of the sender', lambda: exit_codes)
    assert np.abs(np.array(states[-1].position) - samples[-1].reference.positions).max() < 0.01
    # the springs were bent meanwhile
    assert max(np.abs(sample.deflection).max() for sample in motors) > 0.03
    yield
    assert sorted(exit_codes.values()) == [0, 0, 0], exit_codes


@pytest.mark.parametrize('dead', ['sea_simulator', 'feedforward'])
def test_without_one_node_all_is_shut_down(ros, tmp_path, dead):
    """A loop without one of its parts ends as a whole; the last line names the reason."""
    (other,) = {'sea_simulator', 'feedforward'} - {dead}
    file = arm_file(tmp_path, **{dead: {'drives_path': '/no/such.yaml'}})
    start = tmp_path / 'start'
    # launch names a process after its command
    held_back = tmp_path / dead
    held_back.write_text(f'#!/bin/sh\nuntil [ -e {start} ]; do sleep 0.1; done\nexec "$@"\n')
    held_back.chmod(0o755)
    prefix = {'launch-prefix': shlex.quote(str(held_back)), 'launch-prefix-filter': dead}
    launched = launch_process(ros, 'sea_demo', params_file=file, **prefix)
    # before that, a signal ends it as any program that does not handle it
    ros.wait_for(f'the node {other}', lambda: other in ros.node.get_node_names())
    start.touch()
    output, _ = launched.communicate(timeout=patience())
    assert launched.returncode == 0
    lines = output.splitlines()
    assert any("expected a file, got '/no/such.yaml'" in line for line in lines)
    for name in {'sea_simulator', 'feedforward', 'trajectory_sender'}:
        (ended,) = (line for line in lines if re.search(rf'{name}-\d\]: process has ', line))
        assert ('finished cleanly' in ended) == (name not in (dead, 'trajectory_sender')), ended
    assert re.fullmatch(
        rf'\[ERROR\] \[sea_demo\]: {dead}-\d has ended with code 1: the arm cannot move, '
        'all was shut down',
        lines[-1],
    ), lines
