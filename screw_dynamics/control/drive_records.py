# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings, inputs, states and outputs of `DriveCommands`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics.effort_format import CONTENTS
from screw_dynamics.errors import InputError
from screw_dynamics.robot import Robot

FIELDS = ('position', 'velocity', 'effort', 'kp', 'kd')
SIDES = ('joints', 'motors', 'rotors')


@dataclass(frozen=True)
class DriveSettings:
    """What is sent, and how it begins and ends; see the parameters of the node."""

    fields: tuple[str, ...] = ('effort',)
    content: str = 'joints'
    effort_content: str = 'full'
    effort_scale: tuple[float, ...] = ()
    effort_offset: tuple[float, ...] = ()
    ramp_time: float = 0.25
    start_tolerance: float = 0.05
    input_timeout: float = 0.2
    kp: tuple[float, ...] = ()
    kd: tuple[float, ...] = ()
    largest_gains: tuple[float, ...] = (500.0, 5.0)
    servo_stiffness: tuple[float, ...] = ()
    servo_damping: tuple[float, ...] = ()
    servo_limit: float = 0.15
    limits: str = 'stop'

    def __post_init__(self) -> None:
        """Raise InputError if the values are not consistent with each other."""
        sent = self.fields
        if not sent or len(set(sent)) < len(sent) or not set(sent) <= set(FIELDS):
            raise _unexpected('fields', f'some of {", ".join(FIELDS)}, each once', sent)
        for name, choices in (
            ('content', SIDES),
            ('effort_content', CONTENTS),
            ('limits', ('stop', 'off')),
        ):
            if getattr(self, name) not in choices:
                raise _unexpected(name, f'one of {", ".join(choices)}', getattr(self, name))
        for name, largest in zip(('kp', 'kd'), self.largest_gains, strict=True):
            gains = getattr(self, name)
            if name not in sent and gains:
                raise _unexpected(name, f'no value without {name} in fields', gains)
            if max(gains, default=0.0) > largest:
                raise _unexpected(name, f'at most {largest:g}, of largest_gains', gains)
        if 0.0 in self.effort_scale:
            raise _unexpected('effort_scale', 'no factor of 0', self.effort_scale)
        self._check_servos()

    def _check_servos(self) -> None:
        sent = self.fields
        if not self.servo_stiffness:
            if self.servo_damping:
                raise _unexpected('servo_damping', 'none without stiffness', self.servo_damping)
            return
        if 'position' not in sent or 'effort' in sent:
            expected = 'position and not effort with servo_stiffness (positions carry the effort)'
            raise _unexpected('fields', expected, sent)
        if self.effort_scale or self.effort_offset:
            raise _unexpected(
                'servo_stiffness',
                'no value with effort_scale or effort_offset (servos take positions)',
                self.servo_stiffness,
            )

    def require(self, joints: Sequence[str], names: Sequence[str]) -> None:
        """Raise InputError unless lists have a value for each of the joints or motors `names`."""
        required = {name for name in ('kp', 'kd') if name in self.fields}
        for name in ('kp', 'kd', 'servo_stiffness', 'servo_damping', *_EFFORTS):
            values = getattr(self, name)
            if len(values) != len(names) and (values or name in required):
                expected = f'{len(names)} values, one for each of {", ".join(names)}'
                raise _unexpected(name, expected, len(values) or 'none')
        if self.effort_content != 'full' and len(joints) != len(names):
            raise _unexpected(
                'effort_content',
                f'full unless each joint has one motor, got {", ".join(names)}',
                self.effort_content,
            )

    @property
    def moves(self) -> bool:
        """True if the commands have positions or velocities."""
        return bool({'position', 'velocity'} & set(self.fields))

    @property
    def motors(self) -> bool:
        """True if the commands are those of motors."""
        return self.content != 'joints'

    def gains(self, m: int) -> Array:
        """Return kp and kd (2, m); 0 if they are not sent."""
        gains = np.zeros((2, m))
        for row, values in zip(gains, (self.kp, self.kd), strict=True):
            row[:] = values or (0.0,)
        return gains


_EFFORTS = ('effort_scale', 'effort_offset')


def _unexpected(name: str, expected: str, got: object) -> InputError:
    shown = list(got) if isinstance(got, tuple) else got
    return InputError(f'parameter {name!r}: expected {expected}, got {shown}')


class FeedforwardSample(NamedTuple):
    """A FeedforwardTorque; arrays (n,) in the order of the joints."""

    instant: int  # [ns]
    motion: int
    since_start: float  # of the trajectory [s]; infinite for a stream
    jet: Array  # positions to accelerations (3, n), or to jerks (4, n)
    effort: Array
    effort_dot: Array | None = None
    gravity: Array | None = None
    measured: bool = False  # the robot itself, which is compensated


class MotorSample(NamedTuple):
    """A MotorFeedforward, of the instant of a FeedforwardSample; arrays (m,)."""

    instant: int  # [ns]
    motion: int
    jet: Array  # positions to accelerations (3, m)
    effort: Array
    deflection: Array
    ratios: Array
    effort_dot: Array | None = None


class JointStates(NamedTuple):
    """A JointState."""

    message: Any


class ParametersChanged(NamedTuple):
    """Other settings, of which fields, content and factors are the same."""

    settings: DriveSettings


class ModelChanged(NamedTuple):
    """Another model with the joints that are commanded."""

    robot: Robot


class ClockJumped(NamedTuple):
    """Earlier stamps are not valid any more."""

    reason: str


class ShuttingDown(NamedTuple):
    """Commands end for good."""


Input: TypeAlias = (
    FeedforwardSample
    | MotorSample
    | JointStates
    | ParametersChanged
    | ModelChanged
    | ClockJumped
    | ShuttingDown
)


class State(Enum):
    """
    What the commands do.

    ::

        SILENT --begin--> RAMP_IN -> ACTIVE --end, gap--> RAMP_OUT -> SILENT
        any --limit--> STOPPED (its ramp out, too)
        STOPPED --another motion begins from rest, within the limits--> SILENT --begin--> ...
    """

    SILENT = 'silent'
    RAMP_IN = 'ramp in'
    ACTIVE = 'active'
    RAMP_OUT = 'ramp out'
    STOPPED = 'stopped'


class LogLine(NamedTuple):
    """A line for the log; a shell may throttle lines of one key."""

    level: str  # 'info', 'warning' or 'error'
    key: str
    text: str


class Outputs(NamedTuple):
    """What a step asks for; arrays are shared, and valid until the next step."""

    rows: Array | None  # fields (f, m) to publish
    state: Array | None  # positions, velocities and efforts (3, m) as sent, with the rows
    tensions: Array | None  # of threads, with the rates if they are known (1 or 2, threads)
    instant: int  # of these [ns]
    log: tuple[LogLine, ...]
    busy: bool  # there is more to send without further inputs
