# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node `viewer`: messages in, a page out."""

from urllib.request import urlopen

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

from screw_dynamics import frame_pose, read_urdf
from screw_dynamics.errors import InputError
from screw_dynamics_interfaces.msg import FeedforwardTorque

pytest.importorskip('viser', reason='the viewer needs viser')

from helpers.browser_page import opened  # noqa: E402

from screw_dynamics.viewer import browser  # noqa: E402

NAMES = ['joint_1', 'joint_2']
WAITING = 'document.body.innerText.includes("waiting for /joint_states")'
POSITION = """(() => {
  const nodes = window.__viserMutable && window.__viserMutable.nodeRefFromName;
  return nodes && nodes['/robot/2'] && nodes['/robot/2'].position.toArray();
})()"""


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


@pytest.mark.long
def test_the_page_waits_with_the_reference_until_joint_states_arrive(ros, planar):
    try:
        browser.find_browser()
    except InputError as missing:
        pytest.skip(str(missing))
    model = read_urdf(planar)
    process = ros.start('viewer', urdf_path=planar, port=8765)
    ros.wait_for('the page', lambda: 'at http://localhost:' in process.log, process)
    address = 'http://' + process.log.partition('http://')[2].split()[0]

    def shows(page, q):
        """Return whether the last link is at a position."""
        at = page.value(POSITION) or [np.inf] * 3
        return np.allclose(at, frame_pose(model, np.array(q), 'link_2')[:3, 3], atol=1e-4)

    with opened(address) as page:
        page.wait_for(f'({WAITING}) && !!({POSITION})')
        assert shows(page, [0.0, 0.0])
        reference = JointTrajectoryPoint(positions=[0.4, -0.6])
        motion = FeedforwardTorque(joint_names=NAMES, effort=[1.0, 2.0], reference=reference)

        def follows():
            ros.publish(motion, '/feedforward/feedforward')
            return shows(page, [0.4, -0.6])

        ros.wait_for('the reference', follows, process)
        assert page.value(WAITING)

        def measured():
            ros.publish(motion, '/feedforward/feedforward')
            ros.publish(JointState(name=NAMES[::-1], position=[0.3, -0.2]), '/joint_states')
            return shows(page, [-0.2, 0.3])

        ros.wait_for('the measured position', measured, process)
        page.wait_for(f'!({WAITING})')
    assert process.interrupt() == 0, process.log
