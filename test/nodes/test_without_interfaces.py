# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Where screw_dynamics_interfaces is not built, standard messages still work."""

from __future__ import annotations

import subprocess
import sys

import pytest
from node_processes import TIMEOUT, NodeProcess, trajectory
from sensor_msgs.msg import JointState

HIDDEN = "sys.modules['screw_dynamics_interfaces'] = None"
# a checkout on the path: a namespace package whose folders hold definitions
SOURCES = """
from types import ModuleType
for name in ('', '.msg', '.srv'):
    whole = 'screw_dynamics_interfaces' + name
    sys.modules[whole] = ModuleType(whole)
"""
START = """
from screw_dynamics.nodes.{module} import main
sys.exit(main())
"""


def command(module, *arguments, hide=HIDDEN):
    script = f'import sys\n{hide}{START.format(module=module)}'
    return [sys.executable, '-W', 'ignore', '-c', script, *arguments]


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


@pytest.mark.parametrize(
    'hide, reason',
    [(HIDDEN, 'screw_dynamics_interfaces'), (SOURCES, 'its sources are on the path, but not')],
)
def test_dynamics_server_has_nothing_to_offer(ros, hide, reason):
    result = subprocess.run(
        command('dynamics_server', hide=hide),
        env=ros.environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert result.returncode == 1
    assert 'dynamics_server has nothing to offer: the package' in result.stderr
    assert reason in result.stderr
    assert 'colcon build --base-paths . screw_dynamics_interfaces' in result.stderr
