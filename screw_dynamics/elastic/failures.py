# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors for the status codes of the spring and motor kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from screw_dynamics.arrays import Array
from screw_dynamics.elastic.elastic_joints import ElasticJoints
from screw_dynamics.elastic.motor_table import MotorTable
from screw_dynamics.elastic.springs import AntagonisticPair, Spring, TabulatedSpring
from screw_dynamics.errors import InputError, NotFiniteError, SpringRangeError
from screw_dynamics.kernels.springs.deflections import (
    BACKWARD,
    NO_STIFFNESS,
    OUTSIDE_TABLE,
    SINGULAR_PAIR,
    SLACK_TENDON,
    STIFFNESS_RANGE,
)


def raise_failure(
    status: int, failure: Array, table: MotorTable, joints: ElasticJoints, single: bool
) -> NoReturn:
    """
    Raise the SpringRangeError, NotFiniteError or InputError of a kernel's status.

    `failure` (5,): sample, joint, values of the status. With `single` the text omits the sample.
    """
    sample = None if single else int(failure[0])
    if status == BACKWARD:
        raise InputError(
            f'times: expected no time before {failure[2]:.9g} s, got {failure[3]:.9g} s'
            + ('' if sample is None else f' at sample {sample}')
        )
    name = table.joint_names[int(failure[1])]
    if status not in _REASONS:
        place = f'joint {name!r}' + ('' if sample is None else f' at sample {sample}')
        raise NotFiniteError('result', (), float('nan'), f'{place}: overflow')
    spring = joints.joints[name].spring
    assert spring is not None
    values = tuple(float(value) for value in failure[2:])
    raise SpringRangeError(name, _REASONS[status](spring, *values), values, sample)


def _no_stiffness(spring: Spring, stiffness: float, *_: float) -> str:
    return f'stiffness: expected K > 0, got {stiffness:g}'


def _outside_table(spring: Spring, effort: float, *_: float) -> str:
    assert isinstance(spring, TabulatedSpring)
    low, high = spring.efforts[0], spring.efforts[-1]
    return f'effort: expected {low:g} to {high:g}, the range of the table, got {effort:g}'


def _stiffness_range(spring: Spring, effort: float, stiffness: float, *_: float) -> str:
    assert isinstance(spring, AntagonisticPair)
    return (
        f'antagonistic pair: expected a stiffness {spring.feasible_range(effort)} at the effort '
        f'{effort:g}, got {stiffness:g}'
    )


def _singular_pair(spring: Spring, effort: float, stiffness: float, determinant: float) -> str:
    return (
        f'antagonistic pair is singular: stiffness {stiffness:g} at the effort {effort:g} gives '
        f"det J = f1' f2'' - f2' f1'' = {determinant:.3g}, expected one away from 0"
    )


def _slack_tendon(spring: Spring, first: float, second: float, *_: float) -> str:
    return (
        f'antagonistic pair: expected tendons that pull, deflections of 0 or more and 0 or less, '
        f'got {first:g} and {second:g}: a larger stiffness tightens them'
    )


_REASONS: dict[int, Callable[..., str]] = {
    NO_STIFFNESS: _no_stiffness,
    OUTSIDE_TABLE: _outside_table,
    STIFFNESS_RANGE: _stiffness_range,
    SINGULAR_PAIR: _singular_pair,
    SLACK_TENDON: _slack_tendon,
}
