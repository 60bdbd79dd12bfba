# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Band of the inverse of a banded matrix."""

from screw_dynamics.jit import Kernel, read_only


def _band_of_inverse(factor, band):
    """Fill the band of A^-1 (p + 1, N) from the lower band of the Cholesky factor of A."""
    width, count = factor.shape
    for j in range(count - 1, -1, -1):
        last = min(width, count - j)
        for i in range(1, last):
            total = 0.0
            for k in range(1, last):
                low, high = min(i, k), max(i, k)
                total += factor[k, j] * band[high - low, j + low]
            band[i, j] = -total / factor[0, j]
        total = 1.0 / factor[0, j]
        for k in range(1, last):
            total -= factor[k, j] * band[k, j]
        band[0, j] = total / factor[0, j]


fill_band_of_inverse = Kernel(_band_of_inverse, f'void({read_only(2)}, float64[:, ::1])')
