# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel that finds the intervals on which joints turn little, and no law has a pole near."""

import numpy as np

from screw_dynamics.kernels.enclosures.law_discs import (
    friction_radius,
    is_dry,
    is_supported,
    parallel_disc,
)
from screw_dynamics.kernels.enclosures.remainders import JOINT, MOTOR, SPRING
from screw_dynamics.kernels.enclosures.series import recentre, set_derivative, size_of
from screw_dynamics.kernels.kernel import Kernel, read_only

LARGEST_TURN = 0.5  # rad, or of the reach: most that a joint moves on the disc of the links
LEAST_RADIUS = 5.0  # of that disc
_LEAST_OF_LAWS = 3.0  # of a disc without a pole of friction, on the first intervals


def _is_near(position, h, drive, motors, velocity):
    """Return whether laws of a joint whose motion is a series (K,) have no pole near."""
    set_derivative(position, h, velocity)
    for at in (JOINT, MOTOR):
        row, further = drive[at:], drive[at + 4 :]
        if (at == JOINT or motors) and is_dry(row, further):
            radius = friction_radius(row, further, velocity[0])
            if size_of(velocity, _LEAST_OF_LAWS, 1) > radius:
                return False
    if is_supported(drive[SPRING:]):
        radius, level = parallel_disc(drive[SPRING:], position[0])
        if level > 0.0 and size_of(position, _LEAST_OF_LAWS, 1) > radius:
            return False
    return True


def _mark_narrow(
    coefficients, segments, centres, halves, spans, moved, drives, motors, narrow
):  # fmt: skip
    """
    Write which intervals (I,) are short enough to `narrow`.

    They are those of `expand_polynomials`, `spans` (S,) the times of the segments; `moved`
    (n,) is how much joints move by a unit. `drives` is the table of `remainders`, without rows for
    links alone; `motors` count, or not.
    """
    count, n = coefficients.shape[1], coefficients.shape[2]
    polynomials, position, velocity = np.empty((count, n)), np.empty(count), np.empty(count)
    for i in range(len(segments)):
        segment = segments[i]
        polynomials[:] = coefficients[segment]
        recentre(polynomials, centres[i], halves[i])
        h, near = halves[i] * spans[segment], True
        for j in range(n):
            position[:] = polynomials[:, j]
            near = near and moved[j] * size_of(position, LEAST_RADIUS, 1) <= LARGEST_TURN
            if near and len(drives) > 0:
                near = _is_near(position, h, drives[j], motors, velocity)
        narrow[i] = near


mark_narrow = Kernel(
    _mark_narrow,
    f'void({read_only(3)}, {read_only(1, "int64")}, {read_only(1)}, {read_only(1)}, '
    f'{read_only(1)}, {read_only(1)}, {read_only(2)}, boolean, bool[::1])',
)
