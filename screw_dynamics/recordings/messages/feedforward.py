# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeedforwardSample`, `MotorSample`: FeedforwardTorque and MotorFeedforward as records."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.errors import InputError
from screw_dynamics.trajectory.reference.reference import Source

_NONE = np.zeros((0, 0))


class Course(IntEnum):
    """Whether a motion goes on after a sample; values as in FeedforwardTorque."""

    FOLLOWS = 0
    ENDED = 1
    STOPPED = 2


class FeedforwardSample(NamedTuple):
    """
    A FeedforwardTorque; arrays (n,) in the order of the joints.

    Of a last one, which does not follow, the values are those of the sample before.
    """

    instant: int  # [ns]
    motion: int
    jet: Array  # (2 to 5, n), positions, velocities and what is known of the others
    efforts: Array  # (1 to 3, n), with the derivatives that are known
    gravity: Array | None = None
    source: int = Source.TRAJECTORY
    time_from_start: int = 0  # of the trajectory [ns]; 0 for a stream
    continuity: int = 0  # the positions of the reference are C^continuity
    jumps: int = 0
    state: int = Course.FOLLOWS
    reason: str = ''

    @property
    def rows(self) -> int:
        """Number of known rows of the reference."""
        return len(self.jet)

    @property
    def since_start(self) -> float:
        """Time since the start of a trajectory [s]; infinite without one."""
        followed = self.source == Source.TRAJECTORY
        return self.time_from_start / SECOND if followed else np.inf


class MotorSample(NamedTuple):
    """A MotorFeedforward, of the instant of a FeedforwardSample; arrays (m,) of motors."""

    instant: int  # [ns]
    motion: int
    jet: Array  # (2 or 3, m), positions, velocities and, if known, accelerations
    efforts: Array  # (1 to 3, m), with the derivatives that are known
    deflection: Array | None = None
    ratios: Array | None = None
    jumps: int = 0
    state: int = Course.FOLLOWS
    reason: str = ''


AnySample: TypeAlias = FeedforwardSample | MotorSample

# fields of the rows of the records
EFFORTS = ('effort', 'effort_dot', 'effort_ddot')
REFERENCE = (
    'reference.positions',
    'reference.velocities',
    'reference.accelerations',
    'reference_jerk',
    'reference_snap',
)
MOTOR_EFFORTS = ('motor_effort', 'motor_effort_dot', 'motor_effort_ddot')
MOTOR_MOTION = ('motor_position', 'motor_velocity', 'motor_acceleration')
NUMBERS = ('reference_continuity', 'source', 'motion', 'jumps', 'state')


def rows_of_feedforward(sample: FeedforwardSample) -> dict[tuple[str, ...], Array]:
    """Return the arrays (f, n) of a sample by their fields in FeedforwardTorque."""
    rows = {
        REFERENCE[: len(sample.jet)]: sample.jet,
        EFFORTS[: len(sample.efforts)]: sample.efforts,
    }
    if sample.gravity is not None:
        rows['gravity_effort',] = sample.gravity.reshape(1, -1)
    return rows


def feedforward_sample(message: Any) -> FeedforwardSample:
    """Return a FeedforwardTorque as a record, or raise InputError."""
    follows = message.state == Course.FOLLOWS
    n = len(message.joint_names)
    return FeedforwardSample(
        nanoseconds(message.header.stamp),
        int(message.motion),
        _jet(message, REFERENCE, n, 2) if follows else _NONE,
        _jet(message, EFFORTS, n, 1) if follows else _NONE,
        _optional(message, 'gravity_effort', n) if follows else None,
        int(message.source),
        nanoseconds(message.reference.time_from_start),
        int(message.reference_continuity),
        int(message.jumps),
        int(message.state),
        str(message.reason),
    )


def motor_sample(message: Any) -> MotorSample:
    """Return a MotorFeedforward as a record, or raise InputError."""
    follows = message.state == Course.FOLLOWS
    m = len(message.motor_names)
    ratios = _optional(message, 'gear_ratio', m) if follows else None
    if ratios is not None and not (np.isfinite(ratios) & (ratios != 0.0)).all():
        raise InputError(f'gear_ratio: expected finite numbers other than 0, got {list(ratios)}')
    return MotorSample(
        nanoseconds(message.header.stamp),
        int(message.motion),
        _jet(message, MOTOR_MOTION, m, 2) if follows else _NONE,
        _jet(message, MOTOR_EFFORTS, m, 1) if follows else _NONE,
        _optional(message, 'deflection', m) if follows else None,
        ratios,
        int(message.jumps),
        int(message.state),
        str(message.reason),
    )


def _jet(message: Any, fields: Sequence[str], count: int, required: int) -> Array:
    """Return the rows up to the first empty field, which may not be one of the required."""
    rows: list[Array] = []
    for field in fields:
        values = message
        for part in field.split('.'):
            values = getattr(values, part)
        if not len(values) and (len(rows) >= required or not count):
            break
        rows.append(_row(field, values, count))
    return np.stack(rows) if rows else np.zeros((required, 0))


def _optional(message: Any, name: str, count: int) -> Array | None:
    values = getattr(message, name)
    return _row(name, values, count) if len(values) else None


def _row(name: str, values: Any, count: int) -> Array:
    if len(values) != count:
        raise InputError(f'{name}: expected {count} values, one per name, got {len(values)}')
    return np.frombuffer(values) if count else np.zeros(0)
