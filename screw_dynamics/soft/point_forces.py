# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`point_force_efforts`: the efforts of forces on the material points of bodies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import ShapeError, UnknownNameError
from screw_dynamics.series.jets import taylor_coefficients
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.actuators.actuator import as_jet
from screw_dynamics.soft.checks import require_mapping
from screw_dynamics.soft.paper.recursion import (
    BodyForces,
    chain_link,
    generalised_efforts,
    point_forces,
)
from screw_dynamics.soft.soft_robot import SoftRobot, require_soft_robot


def point_force_efforts(
    robot: SoftRobot, joint_jet: ArrayLike, force_jets: Mapping[str, ArrayLike]
) -> Array:
    """
    Return the generalised efforts of forces on the material points of bodies.

    Distributed loads as sums over the points that carry the mass [P2025, (30), (34), (36)]; their
    efforts are subtracted from those of `inverse_dynamics`. Wrenches at the ends of modules are
    its `wrench_jets`.

    Parameters
    ----------
    robot : SoftRobot
    joint_jet : (k + 1, n) array_like
        Coordinates and time derivatives [rad, m, ..., per s^d].
    force_jets : mapping of str to (k + 1, m, 3) array_like
        By the name of a body the forces ON its m points, in the order of its `positions`, in the
        axes of the base, and their time derivatives [N, per s^d].

    Returns
    -------
    (k + 1, n) ndarray
        Row d is the d-th time derivative [N m, N, ..., per s^d].

    Raises
    ------
    UnknownNameError
        If a body does not exist.
    InputError
        If coordinates are outside of the range of a body.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.02, 0.4)])
    >>> weights = np.outer(arm.modules[0].masses, arm.gravity)
    >>> q = np.array([0.5, 0.2, 0.01])
    >>> efforts = sd.soft.point_force_efforts(arm, [q], {'body_1': [weights]})[0]
    >>> np.allclose(efforts, -sd.gravity_forces(arm, q))
    True
    """
    jet = as_jet(require_soft_robot(robot), joint_jet)
    robot.check(jet[0])
    forces: dict[int, Array] = {}
    for name, value in require_mapping('force_jets', force_jets, 'forces by body').items():
        if name not in robot.module_names:
            raise UnknownNameError('body', name, robot.module_names)
        index, label = robot.module_names.index(name), f'force_jets[{name!r}]'
        forces[index] = require_finite(label, as_float_array(label, value))
        shape = (len(jet), len(robot.modules[index].masses), 3)
        if forces[index].shape != shape:
            raise ShapeError(label, str(shape), forces[index].shape)
    rows = len(jet)
    jet = np.concatenate([jet, np.zeros((2, robot.n))])  # of which the recursion takes derivatives
    motions = [
        module.motion(jet[:, own]) for module, own in zip(robot.modules, robot.slices, strict=True)
    ]
    active = [BodyForces()] * len(motions)
    rotation = SeriesArray(np.zeros((len(jet), 1, 3, 3)))
    rotation.data[0] = np.eye(3)
    for i, motion in enumerate(motions):
        rotation = rotation @ motion.rotation.plain()
        if i in forces:
            series = SeriesArray(taylor_coefficients(forces[i])[:, np.newaxis])
            active[i] = point_forces(motion, series @ rotation)  # R^T f, row by row
    parts = generalised_efforts([chain_link(motion) for motion in motions], active)
    return np.concatenate([part.truncated(rows - 1).jet() for part in parts], axis=1)
