# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""States and outputs of `DriveCommands`."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.report import Line


class State(IntEnum):
    """What the commands do, as in DriveCommandsState; begin and end: docs/ros_interface.md."""

    SILENT = 0
    DRIVING = 1
    LEADING_OUT = 2


class Condition(NamedTuple):
    """What others are told of the commands, as in DriveCommandsState."""

    state: State
    motion: int
    reason: str
    enabled: bool


class Outputs(NamedTuple):
    """What a step asks for; arrays are shared, and valid until the next step."""

    rows: Array | None  # fields (f, m) to publish
    state: Array | None  # positions, velocities and efforts (3, m) as sent, with the rows
    tensions: Array | None  # of threads, with the rates if they are known (1 or 2, threads)
    instant: int  # of these [ns]
    condition: Condition
    log: tuple[Line, ...]
    busy: bool  # there is more to send without further inputs
