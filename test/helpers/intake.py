# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceptance of a trajectory step by step, in no time."""

from __future__ import annotations

from screw_dynamics.control.fit import fit, summary
from screw_dynamics.control.tasks import Fit, Running, TrajectoryMessage
from screw_dynamics.control.trajectory_join import Pending, joined
from screw_dynamics.control.trajectory_plan import plan


def accept(message, robot, reference, streamed, measured, parameters, now, others=()):
    """Accept a trajectory and return the warnings; raise the error if it is rejected."""
    running = Running(reference, streamed, measured, parameters, robot, others, now)
    arrival = running.arrival(TrajectoryMessage(message, None), None)
    task = Fit(1, arrival, running.copy(arrival.received), 0, forwards=False)
    found = summary(message)
    fitted = fit(message, task, found, plan(task, found, 0, 0))
    problem, _ = joined(task, fitted, Pending(arrival), running)
    assert not problem
    return list(fitted.warnings)
