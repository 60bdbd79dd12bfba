# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors for the status codes of the spring and motor kernels."""

from math import inf
from typing import NoReturn

from screw_dynamics.common.arrays import Array, require_finite
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.springs import AntagonisticPair, Spring, TabulatedSpring
from screw_dynamics.errors import InputError, NotFiniteError, SpringRangeError
from screw_dynamics.kernels.drives.actuators import OUTSIDE_LENGTH
from screw_dynamics.kernels.drives.deflections import (
    BACKWARD,
    NO_STIFFNESS,
    OUTSIDE_TABLE,
    SINGULAR_PAIR,
    SLACK_TENDON,
    STIFFNESS_RANGE,
)
from screw_dynamics.kernels.drives.parallel import LONGEST, SHORTEST


def raise_failure(
    robot: Robot, status: int, failure: Array, single: bool, **inputs: Array
) -> NoReturn:
    """
    Raise the error of an input that is not finite, or of a kernel's status.

    `failure` (5,) is sample, joint, and the values of the status.
    """
    for name, array in inputs.items():
        require_finite(name, array)
    sample = None if single else int(failure[0])
    if status == BACKWARD:
        raise InputError(
            f'times: expected no time before {failure[2]:.9g} s, got {failure[3]:.9g} s'
            + ('' if sample is None else f' at sample {sample}')
        )
    joint = int(failure[1])
    name = robot.joint_names[joint]
    if status == OUTSIDE_LENGTH:
        shortest, longest = robot.motors.parallel_springs[joint, [SHORTEST, LONGEST]]
        lengths = (float(failure[2]), float(shortest), float(longest))
        bounds = f'{shortest:g} to {longest:g} m' if longest < inf else 'above 0 m'
        reason = f'parallel spring: expected a length of {bounds}, got {failure[2]:.9g} m'
        raise SpringRangeError(name, reason, lengths, sample)
    if status not in _SPRING_STATUSES:
        where = f'joint {name!r}' + ('' if sample is None else f' at sample {sample}')
        raise NotFiniteError('result', (), float('nan'), f'{where}: overflow')
    values = tuple(float(value) for value in failure[2:])
    reason = _reason(status, robot.joint_drives[joint].spring, *values)
    raise SpringRangeError(name, reason, values, sample)


_SPRING_STATUSES = NO_STIFFNESS, OUTSIDE_TABLE, STIFFNESS_RANGE, SINGULAR_PAIR, SLACK_TENDON


def _reason(status: int, spring: Spring | None, first: float, second: float, third: float) -> str:
    """Return why a spring cannot transmit an effort, from the values of the status."""
    if status == NO_STIFFNESS:
        return f'stiffness: expected K > 0, got {first:g}'
    if status == OUTSIDE_TABLE:
        assert isinstance(spring, TabulatedSpring)
        low, high = spring.efforts[0], spring.efforts[-1]
        return f'effort: expected {low:g} to {high:g}, the range of the table, got {first:g}'
    if status == SLACK_TENDON:
        return (
            'antagonistic pair: expected tendons that pull, deflections of 0 or more and 0 or '
            f'less, got {first:g} and {second:g}: a larger stiffness tightens them'
        )
    if status == SINGULAR_PAIR:
        return (
            f'antagonistic pair is singular: stiffness {second:g} at the effort {first:g} gives '
            f"det J = f1' f2'' - f2' f1'' = {third:.3g}, expected one away from 0"
        )
    assert isinstance(spring, AntagonisticPair)
    return (
        f'antagonistic pair: expected a stiffness {spring.feasible_range(first)} at the effort '
        f'{first:g}, got {second:g}'
    )
