# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Efforts of chains of modules by virtual work on their material points, without any recursion.

The points are functions of complex coordinates in homogeneous matrices; partials and time
derivatives are Cauchy integrals, thus exact to rounding for these analytic functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import factorial

import numpy as np

_TIMES, _RADIUS = 64, 0.25
_SHIFTS, _SHIFT_RADIUS = 16, 0.5


def hat(twist):
    """Return the 4x4 matrices of twists (..., 6), angular first."""
    x, y, z, u, v, w = np.moveaxis(np.asarray(twist), -1, 0)
    zero = np.zeros_like(x)
    rows = [[zero, -z, y, u], [z, zero, -x, v], [-y, x, zero, w], [zero, zero, zero, zero]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def exponential(matrices, squarings=6, terms=16):
    """Return the exponentials of small matrices by scaling, power series and squaring."""
    small = matrices / 2.0**squarings
    result = np.eye(matrices.shape[-1]) + 0.0 * matrices
    for i in range(terms, 0, -1):
        result = np.eye(matrices.shape[-1]) + small @ result / i
    for _ in range(squarings):
        result = result @ result
    return result


@dataclass
class PointModule:
    """A module: pose and points in the proximal frame as functions of its coordinates."""

    n: int
    place: Callable
    """(..., n) coordinates to (..., 4, 4) and (..., nodes, 3)."""
    masses: np.ndarray = field(default_factory=lambda: np.zeros(0))
    stiffness: np.ndarray | None = None
    damping: np.ndarray | None = None


def world_points(modules: Sequence[PointModule], q):
    """Return all points (..., nodes, 3) in the base frame."""
    pose, points, first = np.eye(4), [], 0
    for module in modules:
        step, local = module.place(q[..., first : first + module.n])
        rotated = np.einsum('...ij,...kj->...ki', pose[..., :3, :3], local)
        points.append(rotated + pose[..., np.newaxis, :3, 3])
        pose, first = pose @ step, first + module.n
    shape = (*q.shape[:-1],)
    return np.concatenate([np.broadcast_to(p, (*shape, *p.shape[-2:])) for p in points], axis=-2)


def partials_of(function, q):
    """Return the partials (..., n, ...) of a function of coordinates (..., n)."""
    n = q.shape[-1]
    circle = _SHIFT_RADIUS * np.exp(2j * np.pi * np.arange(_SHIFTS) / _SHIFTS)
    shifted = q[..., np.newaxis, np.newaxis, :] + circle[:, np.newaxis, np.newaxis] * np.eye(n)
    return np.einsum('...sjkc,s->...jkc', function(shifted), 1.0 / circle) / _SHIFTS


def partials(modules, q):
    """Return the partials (..., n, nodes, 3) of all points."""
    return partials_of(lambda shifted: world_points(modules, shifted), q)


def mass_matrix(modules, q):
    """Return the mass matrix at real coordinates (n,)."""
    masses = np.concatenate([module.masses for module in modules])
    jacobian = partials(modules, np.asarray(q) + 0j).real
    return np.einsum('ikc,jkc,k->ij', jacobian, jacobian, masses)


def on_circle(jet):
    """Return the coordinates (times, n) of a motion at times on a complex circle; its radius."""
    powers = _times()[:, np.newaxis] ** np.arange(len(jet))
    return powers @ taylor(jet), _RADIUS


def _times():
    return _RADIUS * np.exp(2j * np.pi * np.arange(_TIMES) / _TIMES)


def taylor(jet):
    """Return the Taylor coefficients of a jet."""
    return np.asarray(jet) / np.array([factorial(k) for k in range(len(jet))])[:, np.newaxis]


def coefficients(values, radius, count):
    """Return the first Taylor coefficients of a function with values (times, ...) on a circle."""
    scale = radius ** -np.arange(float(count))
    series = np.fft.fft(values, axis=0)[:count] / len(values)
    return scale.reshape(-1, *[1] * (values.ndim - 1)) * series


def efforts(modules: Sequence[PointModule], gravity, jet):
    """Return the efforts (k + 1, n) and derivatives of a motion with jet (k + 3, n)."""
    rows, count = len(jet), _TIMES // 2
    q, radius = on_circle(jet)
    powers = _times()[:, np.newaxis] ** np.arange(max(rows, count))
    k = np.arange(1.0, rows)[:, np.newaxis]
    rate = powers[:, : rows - 1] @ (k * taylor(jet)[1:])
    series = coefficients(world_points(modules, q), radius, count)
    k = np.arange(2.0, count)[:, np.newaxis, np.newaxis]
    acceleration = np.einsum('tk,k...->t...', powers[:, : count - 2], k * (k - 1.0) * series[2:])
    masses = np.concatenate([module.masses for module in modules])
    forces = masses[:, np.newaxis] * (acceleration - np.asarray(gravity))
    values = np.einsum('tjkc,tkc->tj', partials(modules, q), forces)
    first = 0
    for module in modules:
        part = slice(first, first + module.n)
        if module.stiffness is not None:
            values[:, part] += q[:, part] @ module.stiffness.T
        if module.damping is not None:
            values[:, part] += rate[:, part] @ module.damping.T
        first += module.n
    result = coefficients(values, radius, rows - 2).real
    return result * np.array([factorial(d) for d in range(rows - 2)])[:, np.newaxis]


def _load_efforts(parts, loads, jet):
    """Return the efforts (k + 1, n) of loads (k + 1, ...) that work on `parts` (t, n, ...)."""
    powers = _times()[:, np.newaxis] ** np.arange(len(loads))
    factorials = np.array([factorial(d) for d in range(len(loads))])
    series = np.reshape(loads, (len(loads), -1)) / factorials[:, np.newaxis]
    values = np.einsum('tjc,tc->tj', parts.reshape(*parts.shape[:2], -1), powers @ series)
    return coefficients(values, _RADIUS, len(loads)).real * factorials[:, np.newaxis]


def wrench_efforts(modules: Sequence[PointModule], wrench, jet):
    """Return the efforts of a wrench (k + 1, 6) at the end of the last module, in its axes."""

    def pose(q):
        result, first = np.eye(4), 0
        for module in modules:
            result = result @ module.place(q[..., first : first + module.n])[0]
            first += module.n
        return result

    q, _ = on_circle(jet)
    moved = np.linalg.inv(pose(q))[:, np.newaxis] @ partials_of(pose, q)
    twists = np.stack(
        [moved[..., a, b] for a, b in ((2, 1), (0, 2), (1, 0), (0, 3), (1, 3), (2, 3))], axis=-1
    )
    return _load_efforts(twists, wrench, jet)


def force_efforts(modules: Sequence[PointModule], forces, jet):
    """Return the efforts of forces (k + 1, nodes, 3) on all points, in the axes of the base."""
    return _load_efforts(partials(modules, on_circle(jet)[0]), forces, jet)
