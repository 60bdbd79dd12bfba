# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between instants in nanoseconds and Time or Duration messages."""

from typing import Any

from screw_dynamics.errors import InputError

SECOND = 1_000_000_000  # ns


def nanoseconds(stamp: Any) -> int:
    """Return a Time or Duration message in nanoseconds."""
    return int(stamp.sec) * SECOND + int(stamp.nanosec)


def seconds(stamp: Any) -> float:
    """Return a Time or Duration message in seconds."""
    return nanoseconds(stamp) / SECOND


def set_stamp(stamp: Any, time: int) -> None:
    """Write a time in nanoseconds to a Time or Duration message."""
    stamp.sec, stamp.nanosec = divmod(time, SECOND)


def instant_of(message: Any, now: int, max_age: float) -> int:
    """Return the stamp of a message [ns], `now` for 0; InputError if it is off by `max_age`."""
    stamp = nanoseconds(message.header.stamp)
    if not stamp:
        return now
    if abs(now - stamp) > max_age * SECOND:
        raise InputError(
            f'header.stamp: expected an instant within {max_age:g} s of now ({now / SECOND:.3f}), '
            f'got {stamp / SECOND:.3f}: too old, or of another clock'
        )
    return stamp
