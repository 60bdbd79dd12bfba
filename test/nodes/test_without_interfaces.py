# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Where screw_dynamics_interfaces is not built, standard messages still work."""

from __future__ import annotations

import subprocess
import sys

from node_processes import TIMEOUT, NodeProcess, trajectory
from sensor_msgs.msg import JointState

HIDDEN = """
import sys
sys.modules['screw_dynamics_interfaces'] = None
from screw_dynamics.nodes.{module} import main
sys.exit(main())
"""


def command(module, *arguments):
    return [sys.executable, '-W', 'ignore', '-c', HIDDEN.format(module=module), *arguments]


def test_feedforward_publishes_joint_states(ros, planar):
    process = NodeProcess(
        command=command(
            'feedforward',
            '--ros-args',
            *('-p', f'urdf_path:={planar}', '-p', 'publish_joint_state:=true'),
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


def test_dynamics_server_has_nothing_to_offer(ros):
    result = subprocess.run(
        command('dynamics_server'),
        env=ros.environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert result.returncode == 1
    assert 'dynamics_server has nothing to offer: the package' in result.stderr
    assert 'colcon build --base-paths . screw_dynamics_interfaces' in result.stderr
