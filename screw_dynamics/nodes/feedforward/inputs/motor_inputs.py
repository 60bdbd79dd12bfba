# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of motor-effort messages to arrays in the order of the motors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from screw_dynamics.arrays import Array, as_vector
from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import SECOND, nanoseconds

_FARTHEST_AHEAD = 2.0  # s: the longest lead_time plus a margin
_FARTHEST_BEHIND = 60.0  # s: in lock-step a sender that is this late can catch up
_FIELDS = ('motor_effort', 'motor_position', 'motor_velocity')


class MotorCommand(NamedTuple):
    """
    Commands to m motors, on the joint side of the gear.

    `effort` (m,) in N m or N, desired `position` and `velocity` (m,), `instant` in ns.
    """

    effort: Array
    position: Array | None = None
    velocity: Array | None = None
    instant: int | None = None


def command_of_array(message: Any, names: Sequence[str]) -> MotorCommand:
    """
    Return the efforts of a Float64MultiArray.

    Raises InputError if their number is wrong or one is not finite.
    """
    return MotorCommand(_row('data', message.data, names))


def command_of_feedforward(message: Any, names: Sequence[str]) -> MotorCommand:
    """
    Return efforts and motion of a MotorFeedforward in the order of `names`.

    Raises InputError if a motor is missing or named twice, or an array has the wrong length or a
    value that is not finite.
    """
    given = list(message.motor_names)
    missing = [name for name in names if name not in given]
    twice = [name for name in names if given.count(name) > 1]
    if twice:
        raise InputError(f'motor_names: {twice[0]!r} is named twice')
    if missing:
        raise InputError(
            f'motor_names: expected {", ".join(names)}, got {", ".join(given) or "none"}; '
            f'missing: {", ".join(missing)}'
        )
    order = [given.index(name) for name in names]
    effort, position, velocity = (
        _row(field, getattr(message, field), given)[order] for field in _FIELDS
    )
    return MotorCommand(effort, position, velocity, nanoseconds(message.header.stamp) or None)


def command_age(command: MotorCommand, now: int) -> float:
    """
    Return the age of a command at `now` [ns] in s: negative in the future, 0 if unknown.

    Raises InputError if the stamp is so far from `now` that it must be from another clock.
    """
    if command.instant is None:
        return 0.0
    age = (now - command.instant) / SECOND
    if not -_FARTHEST_AHEAD <= age <= _FARTHEST_BEHIND:
        raise InputError(
            f'header.stamp: expected an instant by the clock of this node, on which it is '
            f'{now / SECOND:.3f} s, got {command.instant / SECOND:.3f} s: is use_sim_time the '
            'same in the node that sends?'
        )
    return age


def _row(field: str, values: Any, names: Sequence[str]) -> Array:
    if len(values) != len(names):
        raise InputError(
            f'{field}: expected {len(names)} values ({", ".join(names)}), got {len(values)}'
        )
    return as_vector(field, np.array(values, dtype=np.float64), len(names))
