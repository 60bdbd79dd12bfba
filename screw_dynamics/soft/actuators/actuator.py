# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Actuator`: the interface of threads, chambers and joint efforts; their actuation matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, as_vector, require_finite
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError, shown
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.bodies.constant_curvature import Arc
from screw_dynamics.soft.bodies.point_body import PointBody
from screw_dynamics.soft.bodies.rod import Rod
from screw_dynamics.soft.checks import as_tuple, require_mapping
from screw_dynamics.soft.soft_robot import SoftRobot, require_soft_robot

_KINDS = (Rod, PointBody, Arc)


class Actuator(ABC):
    """
    A single input u of a robot, which acts by virtual work with ``u dy/dq`` [P2025, section 6.3].

    The collocated coordinate y(q) is what the input works on: the shortening of a thread [m], the
    volume of a chamber [m^3], a coordinate of a joint [rad, m].

    Parameters
    ----------
    robot : SoftRobot
    """

    def __init__(self, robot: SoftRobot) -> None:
        self.robot = require_soft_robot(robot)

    @abstractmethod
    def parts(self, jet: Array) -> list[tuple[slice, SeriesArray]]:
        """Return the terms of y along a motion, each with the coordinates that it depends on."""

    def coordinate(self, q: ArrayLike) -> float:
        """Return y at coordinates (n,); raise ShapeError or NotFiniteError."""
        jet = as_vector('q', q, self.robot.n)[np.newaxis]
        return float(sum(part.value for _, part in self.parts(jet)))

    def effort_jet(self, joint_jet: ArrayLike) -> Array:
        """Return dy/dq and its time derivatives (K + 1, n) along a motion with jet (K + 1, n)."""
        jet = as_jet(self.robot, joint_jet)
        result = np.zeros_like(jet)
        for own, part in self.parts(jet):
            result[:, own] += part.gradient().jet()
        return result


class JointEffort(Actuator):
    """
    An effort on one coordinate of a robot, as that of a motor on a joint.

    Parameters
    ----------
    robot : SoftRobot
    name : str
        One of its `joint_names`.

    Raises
    ------
    UnknownNameError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.soft.SoftRobot([sd.soft.Joint('revolute'), sd.soft.Joint('prismatic')])
    >>> sd.soft.JointEffort(arm, 'joint_2').effort_jet([[0.1, 0.2]])
    array([[0., 1.]])
    """

    def __init__(self, robot: SoftRobot, name: str) -> None:
        super().__init__(robot)
        if name not in robot.joint_names:
            raise UnknownNameError('coordinate', name, robot.joint_names)
        self.index = robot.joint_names.index(name)

    def parts(self, jet: Array) -> list[tuple[slice, SeriesArray]]:
        """Return the coordinate."""
        own = slice(self.index, self.index + 1)
        return [(own, SeriesArray.variables(jet[:, own])[0])]


def actuation_matrix(actuators: Sequence[Actuator], joint_jet: ArrayLike) -> Array:
    """
    Return the actuation matrix A(q) with its time derivatives along a motion.

    Parameters
    ----------
    actuators : sequence of Actuator
        One or more, of one robot.
    joint_jet : (K + 1, n) array_like
        Coordinates and time derivatives [rad, m, ..., per s^d].

    Returns
    -------
    (K + 1, n, m) ndarray
        Columns dy/dq and their time derivatives.

    Raises
    ------
    InputError
        If there is no actuator, or they belong to different robots.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import actuation_matrix
    >>> arm = sd.soft.SoftRobot([sd.soft.Joint('revolute'), sd.soft.ConstantCurvature(0.3, 0, 1)])
    >>> drives = [sd.soft.JointEffort(arm, 'joint_1'), sd.soft.Thread(arm, {'body_1': (0.01, 0)})]
    >>> actuation_matrix(drives, np.zeros((1, 4)))[0].T
    array([[ 1.  ,  0.  ,  0.  ,  0.  ],
           [ 0.  ,  0.01,  0.  , -1.  ]])
    """
    jet = as_jet(robot_of(actuators), joint_jet)
    columns: Array = np.stack([actuator.effort_jet(jet) for actuator in actuators], axis=-1)
    return columns


def actuation_efforts(
    actuators: Sequence[Actuator], joint_jet: ArrayLike, input_jet: ArrayLike
) -> Array:
    """
    Return the generalised efforts ``A(q) u`` with their time derivatives.

    Parameters
    ----------
    actuators : sequence of Actuator
        m of one robot.
    joint_jet : (K + 1, n) array_like
        Coordinates and time derivatives [rad, m, ..., per s^d].
    input_jet : (K + 1, m) array_like
        Tensions [N], pressures [Pa], efforts [N m, N] and their time derivatives.

    Returns
    -------
    (K + 1, n) ndarray

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import actuation_efforts
    >>> arm = sd.soft.SoftRobot([sd.soft.Joint('revolute'), sd.soft.Joint('fixed')])
    >>> actuation_efforts([sd.soft.JointEffort(arm, 'joint_1')], [[0.0], [1.0]], [[2.0], [3.0]])
    array([[2.],
           [3.]])
    """
    matrices = actuation_matrix(actuators, joint_jet)
    inputs = require_finite('input_jet', as_float_array('input_jet', input_jet))
    rows, _, m = matrices.shape
    if inputs.shape != (rows, m):
        raise ShapeError('input_jet', f'({rows}, {m})', inputs.shape)
    efforts = np.zeros(matrices.shape[:2])
    for d in range(rows):
        for k in range(d + 1):
            efforts[d] += comb(d, k) * matrices[k] @ inputs[d - k]
    return efforts


def robot_of(actuators: Sequence[Actuator]) -> SoftRobot:
    """Return the robot of all actuators; raise InputError if there is not exactly one."""
    actuators = as_tuple('actuators', actuators, 'actuators')
    for i, actuator in enumerate(actuators):
        if not isinstance(actuator, Actuator):
            raise InputError(f'actuators[{i}]: expected an Actuator, got {shown(actuator)}')
        if actuator.robot is not actuators[0].robot:
            raise InputError(f'actuators[{i}]: expected the robot of actuators[0], got another')
    if not actuators:
        raise InputError('actuators: expected one or more, got none')
    return actuators[0].robot


def body_index(robot: SoftRobot, argument: str, name: str) -> int:
    """Return the number of a rod or body with a length; raise an error for other names."""
    if name not in robot.module_names:
        raise UnknownNameError('body', name, robot.module_names)
    index = robot.module_names.index(name)
    module: Any = robot.modules[index]
    if not isinstance(module, _KINDS) or not hasattr(module, 'length'):
        raise InputError(f'{argument}[{name!r}]: expected a rod or a body with a length')
    return index


def offsets_of(robot: SoftRobot, offsets: Mapping[str, ArrayLike]) -> dict[int, Array]:
    """Return the offsets (x, y) in bodies by their numbers; raise an error for other names."""
    return {
        body_index(robot, 'offsets', name): as_vector(f'offsets[{name!r}]', offset, 2)
        for name, offset in require_mapping('offsets', offsets, 'offsets by body').items()
    }


def as_jet(robot: SoftRobot, joint_jet: ArrayLike) -> Array:
    """Return coordinates with derivatives (k + 1, n); raise an error for others."""
    jet = as_float_array('joint_jet', joint_jet)
    if jet.ndim != 2 or jet.shape[1] != robot.n or not len(jet):
        raise ShapeError('joint_jet', f'(k + 1, {robot.n})', jet.shape)
    return require_finite('joint_jet', jet)
