# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LatestSample`: the newest sample of a reference that comes with its derivatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.conversions import SECOND
from screw_dynamics.trajectory import JET_ROWS, taylor_shifted


class StreamSample(NamedTuple):
    """
    What is known of the reference at a tick.

    `instant` [ns].
    """

    instant: int
    rows: int
    continuity: int


class LatestSample:
    """A sample that is handed out once, and continued by its Taylor polynomial."""

    def __init__(self, n: int) -> None:
        self.instant = 0  # [ns]
        self._jet = np.zeros((JET_ROWS, n))
        self._rows = 0
        self._taken = True

    def require_later(self, instant: int) -> None:
        """
        Check that another sample belongs to a later instant.

        `instant` [ns].
        """
        if instant <= self.instant:
            raise InputError(
                f'header.stamp: expected later than that of the sample before '
                f'({self.instant / SECOND:.6f}), got {instant / SECOND:.6f}'
            )

    def put(self, jet: Array, rows: int) -> None:
        """
        Take another sample; its instant has been set.

        `jet` (5, n).
        """
        self._jet[...] = jet
        self._rows, self._taken = rows, False

    def take(self, earliest: int, out: Array) -> StreamSample | None:
        """
        Hand out the sample, unless it has been.

        `earliest` [ns]; `out` (5, n).
        """
        if self._taken or self.instant < earliest:
            return None
        self._taken = True
        out[...] = self._jet
        return StreamSample(self.instant, self._rows, self._rows - 1)

    def state(self, time: int) -> Array:
        """
        Return the joint jet at an instant by the Taylor polynomial of the sample.

        `time` [ns]; returns (5, n).
        """
        return taylor_shifted(self._jet, (time - self.instant) / SECOND)
