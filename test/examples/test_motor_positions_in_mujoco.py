# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Residual vibration of an arm in MuJoCo with the positions that the node forwards."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.processes

pytest.importorskip('mujoco')

from helpers.receiving_node import Node  # noqa: E402

from gallery.motor_positions import AFTER, POINTS, STEP, arm, followed  # noqa: E402
from screw_dynamics import share_path  # noqa: E402
from screw_dynamics.trajectory import Waypoints, jtc_trajectory  # noqa: E402


def commanded(**parameters: object) -> tuple[np.ndarray, np.ndarray]:
    """Return times and what a controller sends, (T, 2, n), of a forwarded trajectory."""
    node = Node(
        share_path('urdf/planar_2r.urdf'),
        arm().drives,
        drives_path='joints.yaml',
        outputs=('joint_trajectory_effort',),
        **parameters,
    )
    positions = [list(point.positions) for point in POINTS]
    node.follow(*positions, times=[point.time_from_start for point in POINTS])
    samples = node.samples()
    # quintics between the points, as joint_trajectory_controller
    curve = jtc_trajectory(
        Waypoints(samples.joint_names, 1e-9 * samples.times, *samples.jets.transpose(1, 0, 2))
    )
    times = STEP * np.arange(round((curve.breaks[-1] + AFTER) / STEP) + 1)
    return times, curve.jets(times, 2)


def test_residual_vibration_is_a_tenth_with_positions_of_motors() -> None:
    """After the motion the links of soft joints swing by less than a tenth in every joint."""
    robot, start = arm(), np.array(POINTS[0].positions)
    swings = []
    for positions in ('link', 'motor'):
        times, sent = commanded(trajectory_positions=positions)
        links = followed(robot, sent[:, 0], sent[:, 1], start)
        after = times >= POINTS[-1].time_from_start + 0.1
        swings.append(np.ptp(links[after], axis=0))
    assert (swings[0] > 0.02).all()  # rad
    assert (swings[1] < 0.1 * swings[0]).all()
