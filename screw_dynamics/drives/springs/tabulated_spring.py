# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
`TabulatedSpring`: a measured characteristic as a quintic spline, C2 and strictly increasing.

A continuous motor effort needs f'' continuous, which rules out the monotone cubic splines (C1),
and a C2 cubic spline overshoots. A quintic piece is free in value, slope and curvature at both
ends, so every slope and curvature is a local choice:

1. On the unit interval, with secant s and end slopes g0, g1, the quintic without curvature at its
   ends has the slope
   ``g(u) = g0 (1 - S) + g1 S + (s - (g0 + g1) / 2) 30 u^2 (1 - u)^2``, S = 3 u^2 - 2 u^3.
   It is linear in (g0, g1) and not negative at the corners (0, 0), (2s, 0), (0, 2s), (2s, 2s):
   30 u^2 (1 - u)^2 <= 15/8 < 2. So it is positive wherever 0 < g0, g1 < 2s, and the harmonic mean
   of adjacent secants is such a slope: a monotone C2 spline exists for every table.
2. Slopes and curvatures of the quartic through five neighbouring points are far more accurate
   if the table is smooth. The slope g of a piece is linear in them too, so it stays positive on
   some part of the way from (1) to these; each knot goes as far as its pieces allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.drives.springs.fixed_springs import Spring
from screw_dynamics.errors import InputError, ModelError, shown
from screw_dynamics.kernels.drives.laws import TABULATED

# least slope of a piece, relative to the smaller of the harmonic means at its ends. The spline
# (1) keeps 1/16 of it: the bound of its proof at the corner (2s, 2s) of the box.
_LEAST_SLOPE = 0.05
# points of the polynomials that estimate slopes and curvatures
_STENCIL = 5


@dataclass(frozen=True)
class TabulatedSpring(Spring):
    """
    The monotone C2 spline through a table of deflections and efforts.

    Parameters
    ----------
    deflections : sequence of float
        At least two values, strictly increasing [rad or m].
    efforts : sequence of float
        Effort at each deflection, strictly increasing [N m or N].

    Raises
    ------
    ModelError
        If the table is not strictly increasing; the error names the segment.

    Examples
    --------
    >>> from screw_dynamics import TabulatedSpring
    >>> spring = TabulatedSpring((-0.1, 0.0, 0.1), (-19.0, 0.0, 19.0))
    >>> round(float(spring.effort(0.05)), 12)
    9.5
    """

    deflections: Sequence[float]
    efforts: Sequence[float]
    coefficients: Array = field(init=False, repr=False, compare=False)

    type: ClassVar[str] = 'tabulated'
    code: ClassVar[int] = TABULATED

    def __post_init__(self) -> None:
        """Check the table and build the spline."""
        for name in ('deflections', 'efforts'):
            object.__setattr__(self, name, _increasing(name, getattr(self, name)))
        if len(self.deflections) != len(self.efforts):
            raise ModelError(
                f'efforts: expected {len(self.deflections)} entries, one per deflection, '
                f'got {len(self.efforts)}'
            )
        with np.errstate(all='ignore'):  # overflow is detected by the checks of the result
            coefficients = monotone_spline(np.array(self.deflections), np.array(self.efforts))
        coefficients.flags.writeable = False
        object.__setattr__(self, 'coefficients', coefficients)

    def __reduce__(self) -> tuple[object, tuple[Sequence[float], Sequence[float]]]:
        """Return constructor and arguments, for pickle and copy."""
        return TabulatedSpring, (self.deflections, self.efforts)

    @property
    def parameters(self) -> Array:
        """Number of knots, deflections, efforts, six coefficients per segment."""
        knots = [float(len(self.deflections))]
        return np.concatenate([knots, self.deflections, self.efforts, self.coefficients.ravel()])

    def effort(self, deflection: ArrayLike) -> Array:
        """
        Return the effort [N m or N] that the spring transmits at deflections [rad or m].

        Raise InputError if a deflection lies outside the table.
        """
        phi, knots = as_float_array('deflection', deflection), np.array(self.deflections)
        outside = ~((phi >= knots[0]) & (phi <= knots[-1]))
        if outside.any():
            raise InputError(
                f'deflection: expected {knots[0]:g} to {knots[-1]:g}, the range of the table, '
                f'got {phi[outside].flat[0]:g}'
            )
        segment = np.clip(np.searchsorted(knots, phi, side='right') - 1, 0, len(knots) - 2)
        u = (phi - knots[segment]) / (knots[segment + 1] - knots[segment])
        value = np.zeros_like(phi)
        for power in reversed(range(self.coefficients.shape[1])):
            value = value * u + self.coefficients[segment, power]
        return value


def _increasing(name: str, values: Sequence[float]) -> tuple[float, ...]:
    """Return a column of the table as floats, checked to be finite and strictly increasing."""
    column = as_float_array(name, values)
    if column.ndim != 1 or len(column) < 2 or not np.isfinite(column).all():
        raise ModelError(f'{name}: expected at least two finite numbers, got {shown(values)}')
    for i in np.flatnonzero(column[1:] <= column[:-1]):
        raise ModelError(
            f'{name}: expected strictly increasing numbers, got {column[i]:g}, '
            f'{column[i + 1]:g} in segment {i + 1}'
        )
    return tuple(column.tolist())


def monotone_spline(x: Array, y: Array) -> Array:
    """Return the pieces of the spline through N points, coefficients of u^0 to u^5 (N - 1, 6)."""
    steps, rises = np.diff(x), np.diff(y)
    secants = rises / steps
    held = np.isfinite(steps) & np.isfinite(rises) & np.isfinite(secants) & (secants > 0.0)
    for i in np.flatnonzero(~held):
        raise ModelError(
            f'segment {i + 1}: expected differences and a slope that double precision can hold, '
            f'got deflections {x[i]:g}, {x[i + 1]:g} and efforts {y[i]:g}, {y[i + 1]:g}'
        )
    # harmonic means, not as 2 a b / (a + b), which may under- or overflow
    low, high = np.minimum(secants[:-1], secants[1:]), np.maximum(secants[:-1], secants[1:])
    slopes = np.concatenate([secants[:1], 2.0 * low / (1.0 + low / high), secants[-1:]])
    accurate = np.array([_local_derivatives(x, y, i) for i in range(len(x))])
    part = np.isfinite(accurate).all(axis=1).astype(float)
    accurate[part == 0.0] = 0.0
    least = _LEAST_SLOPE * np.minimum(slopes[:-1], slopes[1:])
    while True:
        g = slopes + part * (accurate[:, 0] - slopes)
        pieces = _pieces(steps, y, g, part * accurate[:, 1])
        least_slopes = np.array([_least_slope(piece) for piece in pieces])
        flat = ~(least_slopes >= least * steps)
        touched = np.append(flat, False) | np.append(False, flat)
        if not (touched & (part > 0.0)).any():
            break
        part[touched] = np.where(part[touched] > 1e-3, 0.5 * part[touched], 0.0)
    for i in np.flatnonzero(~(least_slopes > 0.0)):
        raise ModelError(
            f'segment {i + 1}: expected slopes of adjacent segments that double precision can '
            f'join, got {secants[max(i - 1, 0) : i + 2].tolist()}'
        )
    return pieces


def _local_derivatives(x: Array, y: Array, i: int) -> tuple[float, float]:
    """Return slope and curvature at x[i] of the polynomial through the nearest points."""
    first = min(max(i - _STENCIL // 2, 0), max(len(x) - _STENCIL, 0))
    near = slice(first, first + _STENCIL)
    scale = x[near][-1] - x[near][0]
    powers = np.vander((x[near] - x[i]) / scale, increasing=True)
    try:
        coefficients = np.append(np.linalg.solve(powers, y[near] - y[i]), 0.0)
    except np.linalg.LinAlgError:  # points that differ by rounding only
        return np.nan, np.nan
    return coefficients[1] / scale, 2.0 * coefficients[2] / scale / scale


def _pieces(steps: Array, y: Array, slopes: Array, curvatures: Array) -> Array:
    """Return the quintics with these values, slopes and curvatures at both ends."""
    h = steps
    g0, c0 = slopes[:-1] * h, 0.5 * curvatures[:-1] * h * h
    # differences in value, slope and curvature at the far end, in units of the step
    value = np.diff(y) - g0 - c0
    slope = slopes[1:] * h - g0 - 2.0 * c0
    curvature = curvatures[1:] * h * h - 2.0 * c0
    third = 10.0 * value - 4.0 * slope + 0.5 * curvature
    fourth = -15.0 * value + 7.0 * slope - curvature
    fifth = 6.0 * value - 3.0 * slope + 0.5 * curvature
    return np.stack([y[:-1], g0, c0, third, fourth, fifth], axis=1)


def _least_slope(piece: Array) -> float:
    """Return the least slope of a piece with respect to u; NaN if it overflows."""
    slope = piece[1:] * np.arange(1, 6)
    curvature = slope[1:] * np.arange(1, 5)
    if not np.isfinite(curvature).all():
        return np.nan
    # negligible for u <= 1, but the roots are relative to the last coefficient
    curvature[np.abs(curvature) < 1e-30 * np.abs(curvature).max()] = 0.0
    turns = np.clip(np.roots(curvature[::-1]).real, 0.0, 1.0)
    points = np.append(turns, [0.0, 1.0])
    return float(np.polynomial.polynomial.polyval(points, slope).min())
