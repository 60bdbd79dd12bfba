# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Client of the demo: what counts as held, and where it waits before the motion."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.processes

rclpy = pytest.importorskip('rclpy', reason='the nodes need ROS 2 (rclpy)')
pytest.importorskip('screw_dynamics_interfaces', reason='screw_dynamics_interfaces is not built')
if not os.environ.get('AMENT_PREFIX_PATH'):
    pytest.skip('AMENT_PREFIX_PATH is not set', allow_module_level=True)

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue  # noqa: E402

from ros_demo import client as demo_client  # noqa: E402
from ros_demo.client import DemoClient  # noqa: E402
from ros_demo.job import URDF, rest  # noqa: E402
from ros_demo.processes import release_domain, unused_domain  # noqa: E402
from screw_dynamics.common.paths import share_path  # noqa: E402
from screw_dynamics.common.times import SECOND, set_stamp  # noqa: E402
from screw_dynamics.trajectory import TrajectoryFile, TrajectoryPoint  # noqa: E402
from screw_dynamics_interfaces.msg import FeedforwardTorque  # noqa: E402

DEMO_START = 1_795_723_285 * SECOND + 1  # seconds as float are too coarse for it
FILE = TrajectoryFile(('a',), (TrajectoryPoint(0.0, (1.0,)), TrajectoryPoint(2.0, (3.0,))))


class Accepted:
    """Verdicts of a node that follows every trajectory for two seconds from `START`."""

    missing = ()

    def __init__(self, *_):
        span = {'start [s]': DEMO_START, 'end [s]': DEMO_START + 2 * SECOND}
        values = [
            KeyValue(key=key, value=f'{instant // SECOND}.{instant % SECOND:09d}')
            for key, instant in span.items()
        ]
        self.statuses = {'feedforward': DiagnosticStatus(values=values)}

    def text(self):
        return 'accepted'


@pytest.fixture
def sender(monkeypatch):
    monkeypatch.setattr(demo_client, 'Verdicts', Accepted)
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    domain = unused_domain()
    rclpy.init(args=[], domain_id=domain)
    sender = DemoClient(share_path(URDF), lambda missing: None)
    yield sender
    sender.destroy_node()
    rclpy.try_shutdown()
    release_domain(domain)


def hear(sender, source, instant):
    """Return how long the end has been held after a sample at an instant from `START` [ns]."""
    sample = FeedforwardTorque(source=source)
    set_stamp(sample.header.stamp, DEMO_START + instant)
    sender._on_sample(sample)
    return sender._held


def test_only_the_end_of_the_trajectory_is_held(sender):
    hold, trajectory = FeedforwardTorque.SOURCE_HOLD, FeedforwardTorque.SOURCE_TRAJECTORY
    assert hear(sender, hold, 9 * SECOND) == 0.0  # nothing was sent
    for file in (FILE, rest(FILE)):
        sender.send(file)
        # what was sent before is held until the start
        assert hear(sender, hold, -SECOND) == 0.0
        assert hear(sender, trajectory, SECOND) == 0.0
        assert hear(sender, hold, 2 * SECOND) == 0.0
        assert hear(sender, hold, 2 * SECOND + 1) == 1e-9
        assert hear(sender, hold, 5 * SECOND // 2) == 0.5


def test_a_trajectory_of_rest():
    resting = rest(FILE)
    assert resting.joint_names == FILE.joint_names
    assert [point.positions for point in resting.points] == [(1.0,), (1.0,)]
    assert 0.0 == resting.points[0].time_from_start < resting.points[1].time_from_start
