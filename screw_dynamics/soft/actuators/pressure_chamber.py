# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`PressureChamber`: a closed cavity in soft bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.series.series_array import SeriesArray, as_series_array
from screw_dynamics.soft.actuators.actuator import Actuator, offsets_of
from screw_dynamics.soft.bodies.constant_curvature import Arc
from screw_dynamics.soft.bodies.point_body import PointBody
from screw_dynamics.soft.materials import deformation_gradient
from screw_dynamics.soft.soft_robot import SoftRobot

_HEIGHTS, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_ANGLES = 2.0 * np.pi * np.arange(24) / 24


class PressureChamber(Actuator):
    """
    A round cavity along soft bodies, closed at its ends; a pressure p acts with ``p dV/dq``.

    Rods, whose sections are rigid, change its volume by the stretch of the line through its
    centre, V = area times the integral of ``(sigma + kappa x d)_z``. In bodies of points the
    volume is enclosed by the moved wall and by a cone at each end, from the wall's edge to the
    centre of that edge. The cavity of a tube thereby widens with the tube. In a body that keeps
    the volume of the cavity as well, a pressure has next to no effect.

    Parameters
    ----------
    robot : SoftRobot
    offsets : mapping of str to (2,) array_like
        Centre (x, y) [m] by the names of rods or bodies of points that have a `length`.
    radius : float
        Of the cavity at rest [m]; with it, the wall must be in the domain of the map.

    Raises
    ------
    InputError, UnknownNameError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.02, 0.4)])
    >>> chamber = sd.soft.PressureChamber(arm, {'body_1': (0.0, 0.01)}, 0.005)
    >>> (chamber.effort_jet(np.zeros((1, 3))) / (np.pi * 0.005**2)).round(9)
    array([[ 0.  , -0.01,  1.  ]])
    """

    def __init__(self, robot: SoftRobot, offsets: Mapping[str, ArrayLike], radius: float) -> None:
        super().__init__(robot)
        self.radius = require_number('radius', radius, above=True)
        self.offsets = offsets_of(robot, offsets)

    def parts(self, jet: Array) -> list[tuple[slice, SeriesArray]]:
        """Return the volume in each body [m^3]."""
        parts = []
        for index, offset in self.offsets.items():
            module, own = self.robot.modules[index], self.robot.slices[index]
            q = SeriesArray.variables(jet[:, own])
            if isinstance(module, PointBody):
                volume = _enclosed(module, offset, self.radius, q)
            else:
                volume = np.pi * self.radius**2 * _axial_length(module, offset, q)
            parts.append((own, volume))
        return parts


def _axial_length(module: Any, offset: Array, q: SeriesArray) -> Any:
    """Return the integral of ``(sigma + kappa x d)_z`` over a rod of rigid sections."""
    if isinstance(module, Arc):
        return module.line_length(offset, q)
    x, y = offset
    total: Any = 0.0
    for step in module.steps:
        for rest, basis in zip(step.strains, step.bases, strict=True):
            strain = rest + basis @ q
            share = step.length / len(step.strains)
            total = total + share * (strain[5] + strain[0] * y - strain[1] * x)
    return total


def _enclosed(body: Any, offset: Array, radius: float, q: SeriesArray) -> Any:
    """Return the volume inside of the moved wall, by the divergence theorem."""
    heights = 0.5 * body.length * (np.concatenate([[-1.0], _HEIGHTS, [1.0]]) + 1.0)
    z, angle = (grid.ravel() for grid in np.meshgrid(heights, _ANGLES, indexing='ij'))
    outward = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)
    wall = radius * outward + np.append(offset, 0.0)
    wall[:, 2] = z
    around = radius * np.stack([-np.sin(angle), np.cos(angle), 0.0 * angle], axis=-1)
    gradient: Any = deformation_gradient(body.places, wall, q)
    shape = len(heights), len(_ANGLES), 3
    places = as_series_array(body.places(wall, q), q).reshape(*shape)
    turned = (gradient @ around[..., np.newaxis]).reshape(*shape)
    along = gradient[..., 2].reshape(*shape)
    step = 2.0 * np.pi / len(_ANGLES)
    flux: Any = np.sum(places * np.cross(turned, along), axis=-1).sum(axis=1)
    total = np.sum(flux[1:-1] * (0.5 * body.length * step / 3.0 * _WEIGHTS))
    for edge, sign in ((0, -1.0), (-1, 1.0)):
        rim: Any = places[edge]
        tangent: Any = turned[edge]
        apex = rim.sum(axis=0) / len(_ANGLES)
        areas = np.cross(rim, tangent).sum(axis=0)
        total = total + sign * step / 6.0 * np.sum(apex * areas)
    return total
