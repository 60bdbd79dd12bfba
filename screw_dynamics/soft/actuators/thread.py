# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Thread`: a thread through soft bodies and its effect on their coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.actuators.actuator import Actuator, body_index
from screw_dynamics.soft.bodies.point_body import PointBody
from screw_dynamics.soft.bodies.rod import ALONG, ALONG_WEIGHTS, STRAIGHT, Rod
from screw_dynamics.soft.checks import require_mapping
from screw_dynamics.soft.materials import deformation_gradient
from screw_dynamics.soft.soft_robot import SoftRobot

Offset = ArrayLike | Callable[[Array], tuple[ArrayLike, ArrayLike]]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


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


class Thread(Actuator):
    """
    A thread that runs along soft bodies beside or around their axes [P2025, section 6.3].

    Its length is the integral of the tangent along the material points that it passes; a tension
    acts by virtual work with ``-dl/dq``. Bodies that are not named are passed without a change of
    length, as by a sheath. Integrals along routes that are not parallel to the axis have 72 Gauss
    points: to 1e-12 for up to ten turns of a helix.

    Parameters
    ----------
    robot : SoftRobot
    offsets : mapping of str to (2,) or (2, 2) array_like or callable
        By the names of rods or bodies of points that have a `length` the offset (x, y) [m] from
        the axis at rest; of a slanted thread those at the proximal and the distal end; a `Helix`;
        or a function of p fractions of the length that returns offsets (p, 2) [m] and their
        derivatives (p, 2) by that fraction.

    Raises
    ------
    InputError, UnknownNameError, ShapeError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.02, 0.4)])
    >>> thread = sd.soft.Thread(arm, {'body_1': (0.015, 0.01)})
    >>> thread.effort_jet(np.array([[0.5, 0.2, 0.0]]))[0]
    array([ 0.015,  0.01 , -1.   ])
    """

    def __init__(self, robot: SoftRobot, offsets: Mapping[str, Offset]) -> None:
        super().__init__(robot)
        self.routes: dict[int, Array | Route] = {}
        for name, offset in require_mapping('offsets', offsets, 'offsets by body').items():
            index = body_index(robot, 'offsets', name)
            body: Any = robot.modules[index]
            self.routes[index] = as_route(f'offsets[{name!r}]', offset, body.length)

    def length(self, q: ArrayLike) -> float:
        """Return the length within the named bodies [m] at coordinates (n,)."""
        return -self.coordinate(q)

    def parts(self, jet: Array) -> list[tuple[slice, SeriesArray]]:
        """Return the lengths in the bodies, negative: the tension works on the shortening."""
        parts = []
        for index, route in self.routes.items():
            module, own = self.robot.modules[index], self.robot.slices[index]
            q = SeriesArray.variables(jet[:, own])
            parts.append((own, -_length(module, route, q)))
        return parts


def _length(module: Any, route: Array | Route, q: SeriesArray) -> SeriesArray:
    if isinstance(module, PointBody):
        return _point_length(module, route, q)
    if isinstance(module, Rod) or isinstance(route, Route):
        return _rod_length(module, route, q)
    return module.line_length(route, q)  # type: ignore[no-any-return]


def _rod_length(body: Any, route: Array | Route, q: SeriesArray) -> SeriesArray:
    """Return the integral of abs(sigma + kappa x d + d')."""
    weights, rests, slopes = tangents(body, route)
    tangent: Any = rests + slopes @ q
    lengths: Any = np.sqrt(np.sum(tangent * tangent, axis=-1))
    return np.sum(weights * lengths)  # type: ignore[no-any-return]


def _point_length(body: Any, route: Array | Route, q: SeriesArray) -> SeriesArray:
    """Return the integral of abs(F (d', 1)), F being the gradient of the map."""
    if isinstance(route, Route):
        weights, places, along = ALONG_WEIGHTS, route.places.copy(), route.slopes + [0.0, 0.0, 1.0]
        places[:, 2] = body.length * ALONG
    else:
        weights, along = 0.5 * _WEIGHTS, np.array([0.0, 0.0, 1.0])
        places = np.zeros((len(_NODES), 3)) + np.append(route, 0.0)
        places[:, 2] = 0.5 * body.length * (_NODES + 1.0)
    gradient: Any = deformation_gradient(body.places, places, q)
    tangent: Any = np.sum(gradient * along.reshape(-1, 1, 3), axis=-1)
    lengths: Any = np.sqrt(np.sum(tangent * tangent, axis=-1))
    return np.sum(body.length * weights * lengths)  # type: ignore[no-any-return]
