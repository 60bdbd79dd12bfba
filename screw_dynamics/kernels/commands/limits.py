# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of efforts and motions of motors with their limits."""

from screw_dynamics.arrays import Array
from screw_dynamics.jit import Kernel, read_only

# relative, so that a trajectory planned to touch a limit is feasible despite rounding
SLACK = 1e-9
_STEP_SLACK = 1e-6  # relative, of a rate from two samples: their rounding counts here


def _passes_effort_limits(
    efforts: Array, last: Array, step: float, limits: Array, rates: Array
) -> bool:
    """
    Return True if a sample is within the limits, and write its efforts to `last`.

    `step` [s] is the time since the sample whose efforts are in `last`, 0 if there is none.
    """
    for j in range(len(limits)):
        if not abs(efforts[0, j]) - limits[j] <= SLACK * limits[j]:  # also if not a number
            return False
        if efforts.shape[0] > 1 and not abs(efforts[1, j]) - rates[j] <= SLACK * rates[j]:
            return False
        if step > 0.0 and abs(efforts[0, j] - last[j]) > (1.0 + _STEP_SLACK) * rates[j] * step:
            return False
    for j in range(len(limits)):
        last[j] = efforts[0, j]
    return True


def _passes_motor_limits(
    effort_jet: Array,
    deflection_jet: Array,
    motor_jet: Array,
    motor_effort_jet: Array,
    last: Array,
    step: float,
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
    return _passes_effort_limits(motor_effort_jet, last, step, motor_efforts, motor_effort_rates)


_JET, _BOUNDS = read_only(2), read_only(1)
passes_effort_limits = Kernel(
    _passes_effort_limits, f'boolean({_JET}, float64[::1], float64, {_BOUNDS}, {_BOUNDS})'
)
passes_motor_limits = Kernel(
    _passes_motor_limits,
    f'boolean({", ".join([_JET] * 4)}, float64[::1], float64, {", ".join([_BOUNDS] * 5)})',
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


def _widen_link_spans(motion: Array, jet: Array, effort: Array, efforts: Array) -> None:
    """Update the spans of motions and efforts."""
    _widen_spans(motion, jet)
    _widen_spans(effort, efforts)


def _widen_motor_spans(
    effort: Array,
    effort_jet: Array,
    deflection: Array,
    deflection_jet: Array,
    motor: Array,
    motor_jet: Array,
    motor_effort: Array,
    motor_effort_jet: Array,
) -> None:
    """Update the spans of what motors do."""
    _widen_spans(effort, effort_jet)
    _widen_spans(deflection, deflection_jet)
    _widen_spans(motor, motor_jet)
    _widen_spans(motor_effort, motor_effort_jet)


_SPANS_AND_JET = f'float64[:, :, ::1], {_JET}'
widen_link_spans = Kernel(_widen_link_spans, f'void({", ".join([_SPANS_AND_JET] * 2)})')
widen_motor_spans = Kernel(_widen_motor_spans, f'void({", ".join([_SPANS_AND_JET] * 4)})')
