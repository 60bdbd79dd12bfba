# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Standard messages work without screw_dynamics_interfaces."""

from __future__ import annotations

import subprocess

import pytest
from helpers.node_processes import NodeProcess, altered_command, trajectory
from helpers.patience import patience
from helpers.planar_sea import write_joints
from sensor_msgs.msg import JointState

HIDDEN = "sys.modules['screw_dynamics_interfaces'] = None"
# a checkout on the path: a namespace package whose folders hold definitions
SOURCES = """
from types import ModuleType
for name in ('', '.msg', '.srv'):
    whole = 'screw_dynamics_interfaces' + name
    sys.modules[whole] = ModuleType(whole)
"""


def test_feedforward_publishes_joint_states(ros, planar):
    process = NodeProcess(
        command=altered_command(
            'feedforward',
            '--ros-args',
            *('-p', f'urdf_path:={planar}', '-p', 'outputs:=[joint_effort]'),
            before=HIDDEN,
        ),
        environment=ros.environment,
    )
    try:
        ros.wait_until_active(process)
        states = ros.listen(JointState, '/feedforward/joint_effort')
        message = trajectory(['joint_1', 'joint_2'], [0.3, 0.2], [0.5, 0.1])
        ros.publish(message, '/feedforward/joint_trajectory')
        ros.wait_for('joint states', lambda: len(states) > 5, process)
        assert any(states[-1].effort)
        assert '~/feedforward is not published: the package screw_dynamics_interfaces' in (
            process.log
        )
        assert process.interrupt() == 0, process.log
    finally:
        process.kill()


@pytest.mark.parametrize(
    'hide, reason',
    [(HIDDEN, 'screw_dynamics_interfaces'), (SOURCES, 'its sources are on the path, but not')],
)
def test_dynamics_server_has_nothing_to_offer(ros, hide, reason):
    result = subprocess.run(
        altered_command('dynamics_server', before=hide),
        env=ros.environment,
        capture_output=True,
        text=True,
        timeout=patience(),
        check=False,
    )
    assert result.returncode == 1
    assert 'dynamics_server has nothing to offer: the package' in result.stderr
    assert reason in result.stderr
    assert 'colcon build --base-paths . screw_dynamics_interfaces' in result.stderr


def test_the_simulator_cannot_take_motor_feedforward(ros, planar, tmp_path):
    arguments = {
        'urdf_path': planar,
        'elastic_joints_path': write_joints(tmp_path),
        'input': 'motor_feedforward',
    }
    process = ros.start_command(altered_command('sea_simulator', before=HIDDEN), **arguments)
    assert process.wait() == 1
    assert "input 'motor_feedforward': the package screw_dynamics_interfaces" in process.log
