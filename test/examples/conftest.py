# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A recording as the demo would make one, computed without ROS."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.common.paths import share_path
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.urdf import read_urdf
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points

RATE = 50.0


@pytest.fixture(scope='session')
def arm() -> ScrewModel:
    """Return the robot of the demo."""
    return read_urdf(share_path('urdf/iiwa14.urdf'))


@pytest.fixture
def recording(arm: ScrewModel):  # type: ignore[no-untyped-def]
    """Return the demo's motion in 2 s, sampled at RATE, and 0.2 s of hold."""
    pytest.importorskip('rosbags', reason='recordings are read from bags')
    from ros_demo.job import waypoints_until
    from ros_demo.recording import Recording

    waypoints = waypoints_from_points(arm.joint_names, waypoints_until(2.0), arm.joint_names)
    time = np.arange(0.0, 2.2, 1.0 / RATE)
    jets = smooth_trajectory(waypoints).jets(time)
    efforts = inverse_dynamics(arm, jets)
    return Recording(arm.joint_names, time, jets, efforts, waypoints.times, waypoints.positions)
