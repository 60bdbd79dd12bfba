# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceptance of a trajectory step by step, without the process of the node and in no time."""

from __future__ import annotations

from rclpy.serialization import serialize_message

from screw_dynamics.nodes.feedforward.fitting.fit import fit, outline, read_message
from screw_dynamics.nodes.feedforward.fitting.tasks import FitRobot, Reading
from screw_dynamics.nodes.feedforward.inputs.trajectory_join import joined
from screw_dynamics.nodes.feedforward.inputs.trajectory_plan import Running, arrival, plan


def accept(message, robot: FitRobot, reference, streamed, measured, parameters, now):
    """Accept a trajectory and return the warnings; raise the error if it is rejected."""
    data = serialize_message(message)
    running = Running(reference, streamed, measured, parameters, now)
    arrived = arrival(data, running, None, poses=False)
    read = read_message(Reading(data, parameters.max_trajectory_points))
    read_outline = outline(read)
    chosen = plan(arrived, read_outline, robot.robot.joint_names, running, 0)
    found = fit(read, robot, chosen.task)
    assert not joined(chosen, found, arrived, robot, running)
    return list(found.warnings)
