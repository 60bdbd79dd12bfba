# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of efforts and motions of motors with their limits."""

from screw_dynamics.arrays import Array
from screw_dynamics.jit import Kernel, read_only

# relative, so that a trajectory planned to touch a limit is feasible despite rounding
SLACK = 1e-9
_STEP_SLACK = 1e-6  # relative, of a rate from two samples: their rounding counts here


def _keeps_motor_limits(
    effort_jet: Array,
    deflection_jet: Array,
    motor_jet: Array,
    effort_rates: Array,
    deflections: Array,
    motor_velocities: Array,
) -> bool:
    """Return True if one sample is within the limits; effort rates only if they are known."""
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
    return True


def _keeps_effort_limits(
    efforts: Array, last: Array, step: float, limits: Array, rates: Array
) -> bool:
    """Return True if a sample is within the limits; `step` [s] since the last one, 0 if none."""
    for j in range(len(limits)):
        if not abs(efforts[0, j]) - limits[j] <= SLACK * limits[j]:  # also if not a number
            return False
        if efforts.shape[0] > 1 and not abs(efforts[1, j]) - rates[j] <= SLACK * rates[j]:
            return False
        if step > 0.0 and abs(efforts[0, j] - last[j]) > (1.0 + _STEP_SLACK) * rates[j] * step:
            return False
    return True


_JETS, _BOUNDS = ', '.join([read_only(2)] * 3), ', '.join([read_only(1)] * 3)
keeps_motor_limits = Kernel(_keeps_motor_limits, f'boolean({_JETS}, {_BOUNDS})')
keeps_effort_limits = Kernel(
    _keeps_effort_limits,
    f'boolean({read_only(2)}, {read_only(1)}, float64, {read_only(1)}, {read_only(1)})',
)


def _widen_spans(spans: Array, values: Array) -> None:
    """Update the smallest and largest values in `spans` with the rows that both arrays have."""
    _, rows, columns = spans.shape
    for d in range(min(rows, values.shape[0])):
        for j in range(columns):
            value = values[d, j]
            if value < spans[0, d, j]:
                spans[0, d, j] = value
            if value > spans[1, d, j]:
                spans[1, d, j] = value


widen_spans = Kernel(_widen_spans, f'void(float64[:, :, ::1], {read_only(2)})')
