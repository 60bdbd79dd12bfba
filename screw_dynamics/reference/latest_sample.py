# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LatestSample`: newest sample of a reference that is streamed with its derivatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.conversions import SECOND
from screw_dynamics.series.jets import taylor_shifted
from screw_dynamics.trajectory import JET_ROWS


class StreamSample(NamedTuple):
    """
    Metadata of the reference at a tick.

    `instant` is in ns. `rows` counts the position and its known derivatives, 3 to 5. The positions
    are C^continuity; for samples that is inferred from the derivatives sent by the producer.
    """

    instant: int
    rows: int
    continuity: int


class LatestSample:
    """A sample that is returned once, and extrapolated by its Taylor polynomial."""

    def __init__(self, n: int) -> None:
        self.instant = 0  # [ns]
        self._jet = np.zeros((JET_ROWS, n))
        self._rows = 0
        self._taken = True

    def require_later(self, instant: int) -> None:
        """Raise InputError unless an instant [ns] is later than that of the sample."""
        if instant <= self.instant:
            raise InputError(
                f'header.stamp: expected later than that of the sample before '
                f'({self.instant / SECOND:.6f}), got {instant / SECOND:.6f}'
            )

    def put(self, jet: Array, rows: int) -> None:
        """
        Store a sample (5, n), of which `rows` rows are known.

        The caller sets `instant`.
        """
        self._jet[...] = jet
        self._rows, self._taken = rows, False

    def take(self, earliest: int, out: Array) -> StreamSample | None:
        """
        Write the sample to `out` (5, n) and return its metadata.

        The result is None if the sample was returned before or is older than `earliest` [ns].
        """
        if self._taken or self.instant < earliest:
            return None
        self._taken = True
        out[...] = self._jet
        return StreamSample(self.instant, self._rows, self._rows - 1)

    def state(self, time: int) -> Array:
        """Return the (5, n) joint jet at an instant [ns], extrapolated from the sample."""
        return taylor_shifted(self._jet, (time - self.instant) / SECOND)
