# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Series of a module that the kernels do not know, from its motion."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.soft.given_series import PointSeries, given_series
from screw_dynamics.soft.module import Module


def module_series(module: Module, jet: Array) -> Array:
    """Return the series of a module for the kernels, from the jet (count, n), count >= 2."""
    motion = module.motion(jet)
    count, n = jet.shape
    back = motion.rotation.plain().T
    turned = (back @ motion.rotation.gradient()).coefficients  # (count, n, 3, 3)
    turned = 0.5 * (turned - np.swapaxes(turned, -1, -2))
    shift = (motion.translation.gradient() @ motion.rotation.plain()).coefficients
    points = motion.points @ motion.rotation.T + motion.translation
    stress = np.zeros((count, n))
    known = motion.stress.coefficients
    stress[: len(known)] = known
    series = PointSeries(
        motion.rotation.coefficients,
        motion.translation.coefficients,
        turned[..., [2, 0, 1], [1, 2, 0]],
        shift,
        points.coefficients,
        points.gradient().coefficients,
        stress,
    )
    return given_series(series, motion.masses)
