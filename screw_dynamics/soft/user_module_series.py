# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Integrals of a module over its material points, as Taylor series for the kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.soft import layout
from screw_dynamics.soft.module import Module


class PointSeries(NamedTuple):
    """Taylor coefficients (count, ...) of a module along a motion, in its proximal frame."""

    rotation: Array  # (count, 3, 3) of the distal frame
    origin: Array  # (count, 3) of the distal frame
    turn: Array  # (count, n, 3) angular columns of the distal frame, in its own axes
    shift: Array  # (count, n, 3) linear columns of the distal frame, in its own axes
    points: Array  # (count, nodes, 3) material points
    partials: Array  # (count, n, nodes, 3) partials of the points
    stress: Array  # (count, n) elastic and damping efforts


def module_series(module: Module, jet: Array, stress: bool = True) -> Array:
    """Return the series of a module for the kernels, from the jet (count, n)."""
    motion = module.motion(jet)
    count, n = jet.shape
    back = motion.rotation.plain().T
    turned = (back @ motion.rotation.gradient()).coefficients  # (count, n, 3, 3)
    turned = 0.5 * (turned - np.swapaxes(turned, -1, -2))
    shift = (motion.translation.gradient() @ motion.rotation.plain()).coefficients
    efforts, known = np.zeros((count, n)), motion.stress.coefficients
    efforts[: len(known)] = known if stress else 0.0
    series = PointSeries(
        motion.rotation.coefficients,
        motion.translation.coefficients,
        turned[..., [2, 0, 1], [1, 2, 0]],
        shift,
        motion.points.coefficients,
        motion.points.gradient().coefficients,
        efforts,
    )
    return user_module_series(series, motion.masses)


def user_module_series(series: PointSeries, masses: Array) -> Array:
    """Return the series of a module in the order of `kernels.soft.layout`, flat."""
    count, n = series.partials.shape[:2]
    products = _mass_products(series.points, series.partials, masses)
    blocks = [series.rotation, series.origin, np.zeros((count, 6))]
    blocks.append(np.einsum('i,kic->kc', masses, series.points))
    blocks += [_symmetric(products[:, 0, 0]), _cross(products[:, 0, 1])]
    first = np.einsum('i,kjic->kjc', masses, series.partials)
    for j in range(n):
        own = products[:, 3 + j]
        blocks += [series.turn[:, j], series.shift[:, j], first[:, j]]
        blocks.append(_cross(products[:, 0, 3 + j]))
        blocks.append(_symmetric(own[:, 0] + np.swapaxes(own[:, 0], 1, 2)))
        blocks += [_cross(products[:, 1, 3 + j]), np.trace(own[:, 2], axis1=1, axis2=2)]
        blocks.append(series.stress[:, j])
        blocks += [np.trace(own[:, 3 + i], axis1=1, axis2=2) for i in range(n)]
    constant = np.zeros(count)
    constant[0] = masses.sum()
    flat = np.concatenate([np.ravel(block) for block in [*blocks, constant]])
    assert flat.size == layout.integrals_width(n) * count
    return flat


def _mass_products(points: Array, partials: Array, masses: Array) -> Array:
    """Return (count, 3 + n, 3 + n, 3, 3): x y^T over the mass, for f, f', f'' and all f_j."""
    count, n, nodes = partials.shape[:3]
    k = np.arange(count)[:, np.newaxis, np.newaxis]
    factors = np.zeros((count, 3 + n, nodes, 3))
    factors[:, 0] = points
    factors[:-1, 1] = k[1:] * points[1:]
    factors[:-2, 2] = k[2:] * k[1:-1] * points[2:]
    factors[:, 3:] = partials
    rows = np.moveaxis(factors, 2, 3).reshape(count * (3 + n) * 3, nodes)
    pairs = ((rows * masses) @ rows.T).reshape(count, 3 + n, 3, count, 3 + n, 3)
    products = np.zeros((count, 3 + n, 3 + n, 3, 3))
    for m in range(count):
        # (m, r, a, l, s, b) belongs to coefficient m + l
        products[m:] += np.moveaxis(pairs[m, :, :, : count - m], (2, 0, 3, 1, 4), range(5))
    return products


def _symmetric(matrices: Array) -> Array:
    """Return the entries xx, yy, zz, xy, xz, yz of matrices (count, 3, 3)."""
    return np.asarray(matrices[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])


def _cross(matrices: Array) -> Array:
    """Return x cross y (count, 3) from x y^T (count, 3, 3)."""
    return np.asarray(matrices[:, [1, 2, 0], [2, 0, 1]] - matrices[:, [2, 0, 1], [1, 2, 0]])
