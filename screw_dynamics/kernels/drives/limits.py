# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of motions and efforts of joints and motors with their limits."""

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.kernel import Kernel, read_only

# relative, so that a trajectory planned to touch a limit is feasible despite rounding
SLACK = 1e-9
MOTION_SLACK = 1e-6  # rad or m, and per s: a motion that is planned to touch a limit may


def _passes_effort_limits(efforts: Array, limits: Array, rates: Array) -> bool:
    """Return True if efforts, and their rates where they are known, are within the limits."""
    for j in range(len(limits)):
        if not abs(efforts[0, j]) - limits[j] <= SLACK * limits[j]:  # also if not a number
            return False
        if efforts.shape[0] > 1 and not abs(efforts[1, j]) - rates[j] <= SLACK * rates[j]:
            return False
    return True


def _passes_motion_limits(jet: Array, lower: Array, upper: Array, velocities: Array) -> bool:
    """Return True if positions and velocities are within the limits."""
    for j in range(len(lower)):
        # not <=: what is not a number is beyond every limit
        if not (
            lower[j] - MOTION_SLACK <= jet[0, j] <= upper[j] + MOTION_SLACK
            and abs(jet[1, j]) <= velocities[j] + MOTION_SLACK
        ):
            return False
    return True


def _passes_motor_limits(
    effort_jet: Array,
    deflection_jet: Array,
    motor_jet: Array,
    motor_effort_jet: Array,
    effort_rates: Array,
    deflections: Array,
    motor_velocities: Array,
    motor_efforts: Array,
    motor_effort_rates: Array,
) -> bool:
    """Return True if one sample of the motors is within the limits; see the efforts above."""
    if effort_jet.shape[0] > 1:
        for j in range(len(effort_rates)):
            if not abs(effort_jet[1, j]) - effort_rates[j] <= SLACK * effort_rates[j]:
                return False
    for i in range(len(deflections)):
        # not <=: what is not a number is beyond every limit
        if not (
            abs(deflection_jet[0, i]) - deflections[i] <= SLACK * deflections[i]
            and abs(motor_jet[1, i]) - motor_velocities[i] <= SLACK * motor_velocities[i]
        ):
            return False
    return _passes_effort_limits(motor_effort_jet, motor_efforts, motor_effort_rates)


_JET, _BOUNDS = read_only(2), read_only(1)
passes_effort_limits = Kernel(_passes_effort_limits, f'boolean({_JET}, {_BOUNDS}, {_BOUNDS})')
passes_motion_limits = Kernel(
    _passes_motion_limits, f'boolean({_JET}, {_BOUNDS}, {_BOUNDS}, {_BOUNDS})'
)
passes_motor_limits = Kernel(
    _passes_motor_limits,
    f'boolean({", ".join([_JET] * 4)}, {", ".join([_BOUNDS] * 5)})',
)
