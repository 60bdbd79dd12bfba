# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Routes of threads along a body: at a constant offset from its axis, slanted, helical."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.soft.bodies.circular_rod import ALONG, ALONG_WEIGHTS
from screw_dynamics.soft.bodies.rod import STRAIGHT, Rod

Offset = ArrayLike | Callable[[Array], tuple[ArrayLike, ArrayLike]]


@dataclass(frozen=True)
class Helix:
    """
    Route of a `Thread` that winds around the axis of a body at a constant distance.

    Parameters
    ----------
    radius : float
        Distance from the axis [m].
    turns : float
        Turns about +z from the proximal to the distal end; negative for a left-handed helix.
    angle : float
        Direction at the proximal end, from x towards y [rad].

    Raises
    ------
    InputError
        If an argument is not a finite number, or the radius is negative.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> rod = sd.soft.ConstantStrain(0.3, 0.02, 0.4, strains=['twist'])
    >>> arm = sd.soft.SoftRobot([rod])
    >>> thread = sd.soft.Thread(arm, {'body_1': sd.soft.Helix(0.015, turns=1.0)})
    >>> np.allclose(thread.length([0.0]), np.hypot(0.3, 2.0 * np.pi * 0.015))
    True
    """

    radius: float
    turns: float
    angle: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        require_number('radius', self.radius)
        require_number('turns', self.turns, -np.inf)
        require_number('angle', self.angle, -np.inf)

    def __call__(self, u: Array) -> tuple[Array, Array]:
        """Return places (p, 2) [m] and their slopes at fractions (p,) of the length."""
        rate = 2.0 * np.pi * self.turns
        angles = self.angle + rate * u
        around = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        slopes = rate * np.stack([-around[:, 1], around[:, 0]], axis=-1)
        return self.radius * around, self.radius * slopes


class Route(NamedTuple):
    """A thread at points of a body: offsets (p, 3) [m], and their slopes along the axis."""

    places: Array
    slopes: Array


def as_route(name: str, offset: Offset, length: float) -> Array | Route:
    """Return a constant offset (2,), or the route at fractions `ALONG` of a body's length."""
    if callable(offset):
        value = offset(ALONG)
        if not isinstance(value, tuple) or len(value) != 2:
            raise InputError(f'{name}: expected places and slopes at {len(ALONG)} fractions of '
                             f'the length, got {shown(value)}')  # fmt: skip
        places, slopes = (require_finite(name, as_float_array(name, part)) for part in value)
    else:
        ends = require_finite(name, as_float_array(name, offset))
        if ends.shape == (2,):
            return ends
        if ends.shape != (2, 2):
            raise ShapeError(name, '(2,), or (2, 2) for both ends', ends.shape)
        places = ends[0] + ALONG[:, np.newaxis] * (ends[1] - ends[0])
        slopes = np.tile(ends[1] - ends[0], (len(ALONG), 1))
    for part in (places, slopes):
        if part.shape != (len(ALONG), 2):
            raise ShapeError(name, f'({len(ALONG)}, 2), as the fractions', part.shape)
    added = np.zeros((len(ALONG), 1))
    return Route(np.hstack([places, added]), np.hstack([slopes, added]) / length)


def tangents(body: Any, route: Array | Route) -> tuple[Array, Array, Array]:
    """
    Return weights (p,), rests (p, 3) and slopes (p, 3, n) along a rod or arc.

    The tangent of the thread is ``sigma + kappa x d + d' = rests + slopes q``; the weights are
    lengths of the axis.
    """
    rest = np.array(STRAIGHT)
    if isinstance(body, Rod):
        rest = body.steps[0].strains[0]
    if isinstance(route, Route):
        places, rates = route
        weights, bases = body.length * ALONG_WEIGHTS, body.bases_along
    else:  # at the points by which the pose is integrated
        weights = np.array([s.length / len(s.bases) for s in body.steps for _ in s.bases])
        bases = np.array([basis for step in body.steps for basis in step.bases])
        places = np.tile(np.append(route, 0.0), (len(weights), 1))
        rates = 0.0 * places
    rests = rest[3:] + np.cross(rest[:3], places) + rates
    turned = np.cross(bases[:, :3].swapaxes(1, 2), places[:, np.newaxis]).swapaxes(1, 2)
    return weights, rests, np.ascontiguousarray(bases[:, 3:] + turned)
