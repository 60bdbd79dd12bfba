# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits of a motion as options, and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screw_dynamics.command_line.exit_codes import one_line
from screw_dynamics.command_line.records import Options, flag, option
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InfeasibleError
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.slow_down import slow_down
from screw_dynamics.recordings.results.evaluation import sampled_jets
from screw_dynamics.trajectory import PiecewisePolynomial
from screw_dynamics.trajectory.piecewise_polynomial import dense_times

INFEASIBLE = 3


@dataclass(frozen=True)
class Limits(
    Options,
    heading='limits',
    text='Between samples nothing is seen: --rate is their least number per second.',
):
    """What is told of limits."""

    limits: bool = flag('compare a trajectory with every limit of the robot')
    slow_down: bool = flag('find the least factor of slowing down that keeps all limits, too')
    max_factor: float = option(
        100.0, 'largest factor tried', above=1.0, within=(-np.inf, 1e9), metavar='X'
    )


def told_limits(robot: Robot, curve: PiecewisePolynomial, rate: float, limits: Limits) -> int:
    """Print how near a motion is to the limits, and return the exit code."""
    times = dense_times(curve, rate)
    jets = sampled_jets(curve, times, robot)
    report = check_feasibility(robot, jets, times)
    print(f'\n{report if report.checks else "the robot has no limits: nothing was checked"}')
    if report.feasible:
        return 0
    if limits.slow_down:
        try:
            print(f'\n{slow_down(robot, jets, times, max_factor=limits.max_factor)}')
        except InfeasibleError as error:
            most = f'{limits.max_factor:g}'
            print(f'\ninfeasible up to --max-factor {most}: {one_line(error)}')
    return INFEASIBLE
