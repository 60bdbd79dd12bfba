# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceptance of a trajectory step by step, in no time."""

from __future__ import annotations

from screw_dynamics.control.fit import fit, outline
from screw_dynamics.control.trajectory_join import joined
from screw_dynamics.control.trajectory_plan import Running, arrival, plan


def accept(message, robot, reference, streamed, measured, parameters, now, others=()):
    """Accept a trajectory and return the warnings; raise the error if it is rejected."""
    running = Running(reference, streamed, measured, parameters, robot, others, now)
    arrived = arrival(message, running, None, poses=False)
    chosen = plan(arrived, outline(message), running, 0)
    found = fit(message, chosen.task)
    assert not joined(chosen, found, arrived, running)
    return list(found.warnings)
