# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Thread`: a thread through soft bodies and its effect on their coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.actuators.actuator import Actuator, body_index
from screw_dynamics.soft.actuators.routes import Offset, Route, as_route, tangents
from screw_dynamics.soft.bodies.circular_rod import ALONG, ALONG_WEIGHTS
from screw_dynamics.soft.bodies.point_body import PointBody
from screw_dynamics.soft.bodies.rod import Rod
from screw_dynamics.soft.checks import require_mapping
from screw_dynamics.soft.materials.deformation import deformation_gradient
from screw_dynamics.soft.soft_robot import SoftRobot

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


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
