# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of a row of values with their limits."""

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.kernel import Kernel, read_only

# relative, so that a trajectory planned to touch a limit is feasible despite rounding
SLACK = 1e-9


def _farthest_beyond(values: Array, lower: Array, upper: Array, slack: Array) -> int:
    """Return the place of the value that is farthest beyond its limits, -1 if none is."""
    found, farthest = -1, 0.0
    for i in range(len(values)):
        beyond = values[i] - upper[i] - slack[i]
        if lower[i] - values[i] - slack[i] > beyond:
            beyond = lower[i] - values[i] - slack[i]
        if not beyond <= farthest:  # also if it is not a number
            found = i
            farthest = beyond
            if not beyond <= beyond:
                return found
    return found


_ROW = read_only(1)
farthest_beyond = Kernel(_farthest_beyond, f'int64({", ".join([_ROW] * 4)})', releases_gil=False)
