# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceptance of a trajectory step by step, without the process of the node and in no time."""

from __future__ import annotations

from rclpy.serialization import serialize_message

from screw_dynamics.nodes.feedforward.fitting.fit import fit, outline, read_message
from screw_dynamics.nodes.feedforward.fitting.tasks import FitRobot, Reading
from screw_dynamics.nodes.feedforward.inputs.trajectory_join import joined
from screw_dynamics.nodes.feedforward.inputs.trajectory_plan import arrival, plan


def accept(message, robot: FitRobot, reference, streamed, measured, parameters, now):
    """Accept a trajectory and return the warnings; raise the error if it is rejected."""
    data = serialize_message(message)
    arrived = arrival(data, reference, streamed, measured, parameters, now)
    read = read_message(Reading(data, parameters.max_trajectory_points))
    read_outline = outline(read)
    names = robot.robot.joint_names
    chosen = plan(arrived, read_outline, names, reference, streamed, parameters, now, 0)
    found = fit(read, robot, chosen.task)
    assert not joined(chosen, found, arrived, robot, reference, streamed, now)
    return list(found.warnings)
