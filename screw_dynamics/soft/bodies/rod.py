# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Rod`: bodies of rigid sections along a strained line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, read_only_copy, require_finite
from screw_dynamics.errors import ShapeError
from screw_dynamics.lie import pose
from screw_dynamics.series.series_array import stumpff
from screw_dynamics.soft.checks import require_function
from screw_dynamics.soft.module import Module, require_name

# of Gauss's rule along the axis: moments of a full turn of the tip (2 pi) to 1e-14
SECTIONS = 12
# Gauss points of nine pieces, for integrals along a body of what turns about its axis a few times
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
ALONG = ((np.arange(9)[:, np.newaxis] + 0.5 * (_PLACES + 1.0)) / 9.0).ravel()
ALONG_WEIGHTS = np.tile(0.5 * _WEIGHTS / 9.0, 9)
STRAIGHT = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_INTEGRAL_NODES = 16
_ROUNDING = 1e-14  # of the pieces of an integral, and of its shortest piece
_GAUSS = 0.5 * np.sqrt(3.0) / 3.0  # distance of two Gauss points from the middle of a unit step


def section_places(length: float, count: int = SECTIONS) -> tuple[Array, Array]:
    """Return places (count,) along the axis and their weights (count,), which sum up to 1."""
    places, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * length * (places + 1.0), 0.5 * weights


def section_points(radius: float) -> Array:
    """Return four points (4, 2) with the second moments of a disc."""
    r = radius / np.sqrt(2.0)
    return np.array([[r, 0.0], [-r, 0.0], [0.0, r], [0.0, -r]])


class RodStep(NamedTuple):
    """A step along a rod, and the rigid section behind it."""

    length: float  # Step h of the arc length [m]
    bracket: float  # Factor c of [xi_a, xi_b] in the exponent; 0 if only the first point is used
    mass: float  # Mass of the section [kg]; 0 without a section
    second_moments: tuple[float, float]  # of the section's mass along x and y [kg m^2]
    strains: Sequence[Array]  # (6,) strain at zero coordinates at one or two points
    bases: Sequence[Array]  # (6, n) strain basis at these points


class Rod(Module):
    """A rod given by its steps, with linear stiffness and damping (n, n) of its coordinates."""

    bases_along: Array
    """(p, 6, n) strain basis at the fractions `ALONG` of the length."""

    def __init__(
        self, steps: Sequence[RodStep], stiffness: Array, damping: Array, name: str | None
    ) -> None:
        self.steps, self.name = tuple(steps), require_name(name)
        self.stiffness, self.damping_matrix = stiffness, damping
        self.n = len(stiffness)
        sections = [0.25 * step.mass for step in self.steps if step.mass > 0.0]
        self.masses = np.repeat(np.array(sections), 4)

    def _sections(self, q: Any) -> Any:
        """Yield each step with rotation and origin behind it."""
        rotation, origin = np.eye(3), np.zeros(3)
        for step in self.steps:
            turn, position = _exponential(*_exponent(step, q))
            origin = origin + rotation @ position
            rotation = rotation @ turn
            yield step, rotation, origin

    @property
    def fractions(self) -> Array:
        """Fractions (s,) of the length at the ends of steps, from 0 to 1."""
        ends = np.cumsum([0.0, *(step.length for step in self.steps)])
        return np.asarray(ends / ends[-1])

    def frames(self, q: Array) -> Array:
        """Return the frames (s, 4, 4) at `fractions`."""
        return np.array([np.eye(4), *(pose(*section[1:]) for section in self._sections(q))])

    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation and origin of the distal frame."""
        rotation: Any = np.eye(3)
        origin: Any = np.zeros(3)
        for _, rotation, origin in self._sections(q):  # noqa: B007
            pass
        return rotation, origin

    def positions(self, q: Any) -> Any:
        """Return four points in each section."""
        points = []
        for step, rotation, origin in self._sections(q):
            if step.mass > 0.0:
                x, y = (np.sqrt(2.0 * moment / step.mass) for moment in step.second_moments)
                offsets = np.array([[x, 0.0, 0.0], [-x, 0.0, 0.0], [0.0, y, 0.0], [0.0, -y, 0.0]])
                points.append(offsets @ rotation.T + origin)
        return np.concatenate(points) if points else np.zeros((0, 3))

    def elastic_efforts(self, q: Any) -> Any:
        """Return stiffness times q."""
        return self.stiffness @ q

    def damping_efforts(self, q: Any, qd: Any) -> Any:
        """Return damping times q'."""
        return self.damping_matrix @ qd

    def energy(self, q: Any) -> Any:
        """Return the elastic energy [J]."""
        return 0.5 * np.sum(q * (self.stiffness @ q))


def _exponent(step: RodStep, q: Any) -> tuple[Any, Any]:
    """Return the angular and the linear part of the exponent of a step."""
    strains = [strain + basis @ q for strain, basis in zip(step.strains, step.bases, strict=True)]
    total = step.length / len(strains) * sum(strains[1:], strains[0])
    turn, shift = total[:3], total[3:]
    if step.bracket != 0.0:
        a, b = strains
        turn = turn + step.bracket * np.cross(a[:3], b[:3])
        linear = np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])
        shift = shift + step.bracket * linear
    return turn, shift


def _exponential(turn: Any, shift: Any) -> tuple[Any, Any]:
    """Return rotation and origin of the exponential of a twist."""
    square = np.sum(turn * turn)
    zero = 0.0 * turn[0]
    x, y, z = turn[0], turn[1], turn[2]
    skew = np.stack([zero, -z, y, z, zero, -x, -y, x, zero]).reshape(3, 3)
    _, e1, e2, e3 = stumpff(square, 3)
    rotation = np.eye(3) + e1 * skew + e2 * (skew @ skew)
    across = np.cross(turn, shift)
    return rotation, shift + e2 * across + e3 * np.cross(turn, across)


def rod_steps(
    length: float,
    radius: float,
    mass: float,
    strain: Array,
    basis: Callable[[float], Array],
    order: int,
    nodes: int = SECTIONS,
) -> list[RodStep]:
    """
    Return the steps between Gauss points of a homogeneous rod, to its end.

    `order` is that of the Magnus expansion: 4 with two points per step, 2 with the middle.
    """
    places, weights = section_places(length, nodes)
    borders = np.concatenate([[0.0], places, [length]])
    sections = np.append(mass * weights, 0.0)
    steps = []
    for start, end, section in zip(borders, borders[1:], sections, strict=False):
        h, middle = float(end - start), 0.5 * float(start + end)
        points = (middle - _GAUSS * h, middle + _GAUSS * h) if order == 4 else (middle,)
        bracket = np.sqrt(3.0) / 12.0 * h * h if order == 4 else 0.0
        moment = 0.25 * float(section) * radius**2
        bases = [basis(float(s)) for s in points]
        steps.append(
            RodStep(h, bracket, float(section), (moment, moment), [strain] * len(points), bases)
        )
    return steps


def checked_basis(basis: Callable[[float], ArrayLike]) -> Callable[[float], Array]:
    """Return a basis whose values are (6, n) arrays of numbers with one n; errors name s."""
    require_function('basis', basis)
    n = -1

    def checked(s: float) -> Array:
        nonlocal n
        where = f'basis at s = {s:.6g}'
        value = require_finite(where, read_only_copy(where, basis(s)))
        if value.ndim != 2 or value.shape[0] != 6 or n not in (-1, value.shape[1]):
            raise ShapeError(where, '(6, n)' if n < 0 else f'(6, {n})', value.shape)
        n = value.shape[1]
        return value

    return checked


def strain_integral(length: float, basis: Callable[[float], Array], weight: Array) -> Array:
    """Return the integral over the rod of ``Phi^T weight Phi`` (n, n), to rounding."""
    return integral(lambda s: (value := basis(s)).T @ weight @ value, length)


def integral(function: Callable[[float], Array], length: float) -> Array:
    """
    Return the integral of an array from 0 to a length, by Gauss points on pieces.

    A piece is halved until its halves add up to it: functions may have kinks and steps.
    """
    places, weights = section_places(1.0, _INTEGRAL_NODES)

    def over(start: float, end: float) -> Array:
        width = end - start
        values = [function(start + width * float(place)) for place in places]
        return np.asarray(width * np.tensordot(weights, values, 1))

    whole = over(0.0, length)
    total, pieces = np.zeros_like(whole), [(0.0, length, whole)]
    allowed = _ROUNDING * abs(whole).max(initial=0.0)
    while pieces:
        start, end, value = pieces.pop()
        middle = 0.5 * (start + end)
        halves = over(start, middle), over(middle, end)
        change = abs(halves[0] + halves[1] - value).max(initial=0.0)
        if change <= allowed or end - start <= _ROUNDING * length:
            total += halves[0] + halves[1]
        else:
            pieces += [(start, middle, halves[0]), (middle, end, halves[1])]
    return total
