# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node `viewer`: messages in, a page out."""

from urllib.request import urlopen

import pytest
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState

from screw_dynamics_interfaces.msg import FeedforwardTorque

pytest.importorskip('viser', reason='the viewer needs viser')

NAMES = ['joint_1', 'joint_2']


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
