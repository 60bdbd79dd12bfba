# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Thread`: a thread through soft bodies and its effect on their coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.actuators.actuator import Actuator, offsets_of
from screw_dynamics.soft.bodies.planar_constant_curvature import PlanarConstantCurvature
from screw_dynamics.soft.bodies.point_body import PointBody
from screw_dynamics.soft.bodies.rod import Rod
from screw_dynamics.soft.materials.deformation import deformation_gradient
from screw_dynamics.soft.soft_robot import SoftRobot

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


class Thread(Actuator):
    """
    A thread that runs along soft bodies at an offset from their axes [P2025, section 6.3].

    Its length is the integral of the tangent along the material points that it passes; a tension
    acts by virtual work with ``-dl/dq``. Bodies that are not named are passed without a change of
    length, as by a sheath.

    Parameters
    ----------
    robot : SoftRobot
    offsets : mapping of str to (2,) array_like
        Offset (x, y) [m] by the names of rods or bodies of points that have a `length`.

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

    def __init__(self, robot: SoftRobot, offsets: Mapping[str, ArrayLike]) -> None:
        super().__init__(robot)
        self.offsets = offsets_of(robot, offsets)

    def length(self, q: ArrayLike) -> float:
        """Return the length within the named bodies [m] at coordinates (n,)."""
        return -self.coordinate(q)

    def parts(self, jet: Array) -> list[tuple[slice, SeriesArray]]:
        """Return the lengths in the bodies, negative: the tension works on the shortening."""
        parts = []
        for index, offset in self.offsets.items():
            module, own = self.robot.modules[index], self.robot.slices[index]
            q = SeriesArray.variables(jet[:, own])
            parts.append((own, -_length(module, np.append(offset, 0.0), q)))
        return parts


def _length(module: Any, offset: Array, q: SeriesArray) -> SeriesArray:
    if isinstance(module, PointBody):
        return _point_length(module, offset, q)
    if isinstance(module, Rod):
        return _rod_length(module, offset, q)
    if isinstance(module, PlanarConstantCurvature):
        return module.length + offset[0] * q[0]  # type: ignore[no-any-return]
    length = module.length - np.sum(offset[:2] * q[:2])
    return length + q[2] if module.n == 3 else length  # type: ignore[no-any-return]


def _rod_length(rod: Any, offset: Array, q: SeriesArray) -> SeriesArray:
    """Return the integral of abs(sigma + kappa x d)."""
    total: Any = 0.0
    for step in rod.steps:
        share = step.length / len(step.strains)
        for rest, basis in zip(step.strains, step.bases, strict=True):
            strain: Any = rest + basis @ q
            tangent = strain[3:] + np.cross(strain[:3], offset)
            total = total + share * np.sqrt(np.sum(tangent * tangent))
    return total  # type: ignore[no-any-return]


def _point_length(body: Any, offset: Array, q: SeriesArray) -> SeriesArray:
    """Return the integral of abs(df/dz) along a line."""
    places = np.zeros((len(_NODES), 3)) + offset
    places[:, 2] = 0.5 * body.length * (_NODES + 1.0)
    tangent: Any = deformation_gradient(body.places, places, q)[..., 2]
    lengths: Any = np.sqrt(np.sum(tangent * tangent, axis=-1))
    return np.sum(0.5 * body.length * _WEIGHTS * lengths)  # type: ignore[no-any-return]
