# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Integrals of a deforming body over its material points, as series along a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.series.series_array import SeriesArray, bilinear, cross


class BodyIntegrals(NamedTuple):
    """
    Integrals in the distal frame, r = p - p_c being places from the centre of mass.

    `mass` m and `com` p_c (3,); `com_gradient` (n, 3) its partials; `inertia` I (3, 3) about the
    centre and `inertia_gradient` (n, 3, 3); `spin` h, `spin_rate` the sums of r x r' and r x r''
    (3,); `turning` G^T and `coriolis` C^T, the sums of r x r_j and r' x r_j (n, 3); `inertial` s,
    the sum of r_j . r'' (n,); `metric` S, that of r_j . r_l (n, n).
    """

    mass: float
    com: SeriesArray
    com_gradient: SeriesArray
    inertia: SeriesArray
    inertia_gradient: SeriesArray
    spin: SeriesArray
    spin_rate: SeriesArray
    turning: SeriesArray
    coriolis: SeriesArray
    inertial: SeriesArray
    metric: SeriesArray


def body_integrals(points: SeriesArray, masses: Array) -> BodyIntegrals | None:
    """
    Return the integrals over points (m, 3) with partials; None for a massless module.

    Places r from the centre of mass are those of [P2025] (11), (12).
    """
    mass = float(masses.sum())
    if not masses.any():
        return None
    com = _weighted(points, masses) * (1.0 / mass) if mass else 0.0 * points[0]
    places = points - com
    gradient, r = places.gradient(), places.plain()  # (n, m, 3), (m, 3)
    rate = r.derivative()
    acceleration = rate.derivative()
    second = _second_moments(masses, r, r)
    seconds = _second_moments(masses, gradient, r)
    return BodyIntegrals(
        mass=mass,
        com=com.plain(),
        com_gradient=com.gradient(),
        inertia=_inertia(second),
        inertia_gradient=_inertia(seconds + seconds.swapped()),
        spin=_weighted(cross(r, rate), masses),
        spin_rate=_weighted(cross(r, acceleration), masses),
        turning=_weighted(cross(r, gradient), masses),
        coriolis=_weighted(cross(rate, gradient), masses),
        inertial=bilinear(
            lambda a, b: np.einsum('m,...jmx,...mx->...j', masses, a, b), gradient, acceleration
        ),
        metric=bilinear(
            lambda a, b: np.einsum('m,...jmx,...lmx->...jl', masses, a, b), gradient, gradient
        ),
    )


def _weighted(values: SeriesArray, masses: Array) -> SeriesArray:
    """Return the sum over points (..., m, 3), weighted by their masses."""
    return SeriesArray(np.einsum('m,...mx->...x', masses, values.data))


def _second_moments(masses: Array, a: SeriesArray, b: SeriesArray) -> SeriesArray:
    return bilinear(lambda x, y: np.einsum('m,...mi,...mj->...ij', masses, x, y), a, b)


def _inertia(second: SeriesArray) -> SeriesArray:
    """Return tr(P) 1 - P of second moments P (..., 3, 3)."""
    trace = np.einsum('...ii->...', second.data)
    return SeriesArray(trace[..., np.newaxis, np.newaxis] * np.eye(3) - second.data)
