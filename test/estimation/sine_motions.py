# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motions whose derivatives are known."""

import numpy as np


def sines(times, rates, rows=5):
    """Return (T, rows, n) jets of sine motions."""
    shifts = np.arange(rows) * np.pi / 2
    rates = np.asarray(rates, dtype=float)
    angles = times[:, None, None] * rates + shifts[:, None] + 0.3 * rates
    return rates ** np.arange(rows)[:, None] * np.sin(angles)
