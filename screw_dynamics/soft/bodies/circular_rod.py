# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Material points of homogeneous circular rods with rigid sections."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array

# of Gauss's rule along the axis: moments of a full turn of the tip (2 pi) to 1e-14
SECTIONS = 12


# Gauss points of nine pieces, for integrals along a body of what turns about its axis a few times
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
ALONG = ((np.arange(9)[:, np.newaxis] + 0.5 * (_PLACES + 1.0)) / 9.0).ravel()
ALONG_WEIGHTS = np.tile(0.5 * _WEIGHTS / 9.0, 9)


def section_places(length: float, count: int = SECTIONS) -> tuple[Array, Array]:
    """Return places (count,) along the axis and their weights (count,), which sum up to 1."""
    places, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * length * (places + 1.0), 0.5 * weights


def section_points(radius: float) -> Array:
    """Return four points (4, 2) with the second moments of a disc."""
    r = radius / np.sqrt(2.0)
    return np.array([[r, 0.0], [-r, 0.0], [0.0, r], [0.0, -r]])
