# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inertial efforts and the efforts of active forces, by the readable recursion of P2025."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import (
    Array,
    as_float_array,
    as_samples,
    as_stack,
    require_finite,
)
from screw_dynamics.errors import ShapeError, UnknownNameError
from screw_dynamics.series.jets import taylor_coefficients
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.checks import require_mapping
from screw_dynamics.soft.recursion import (
    BodyForces,
    ChainLink,
    chain_link,
    generalised_efforts,
    inertial_efforts,
    mass_matrix,
    point_forces,
)
from screw_dynamics.soft.soft_robot import SoftRobot, require_soft_robot


def checked_jet(robot: SoftRobot, joint_jet: ArrayLike) -> Array:
    """Return a jet (k + 3, n) or a batch of them (..., k + 3, n); raise an error for others."""
    jet = as_float_array('joint_jet', joint_jet)
    if jet.ndim < 2 or jet.shape[-1] != robot.n or jet.shape[-2] < 3:
        raise ShapeError(
            'joint_jet', f'(k + 3, {robot.n}) or (..., k + 3, {robot.n}) with k >= 0', jet.shape
        )
    return require_finite('joint_jet', jet)


def chain_links(robot: SoftRobot, jet: Array) -> list[ChainLink]:
    """Return the modules along a motion, prepared for the recursion."""
    robot.check(jet[0])
    return [
        chain_link(module.motion(jet[:, own]))
        for module, own in zip(robot.modules, robot.slices, strict=True)
    ]


def chain_efforts(robot: SoftRobot, jet: Array, *, stress: bool = True) -> Array:
    """Return the efforts (k + 1, n) of a jet (k + 3, n)."""
    links = chain_links(robot, jet)
    rows = len(jet) - 2
    parts = inertial_efforts(links, robot.gravity)
    efforts = np.empty((rows, robot.n))
    for link, part, own in zip(links, parts, robot.slices, strict=True):
        total = part + link.stress if stress else part
        efforts[:, own] = total.truncated(rows - 1).jet()
    return efforts


def inertial_inverse_dynamics(robot: SoftRobot, joint_jet: ArrayLike) -> Array:
    """
    Return the inertial efforts ``M q'' + c`` with time derivatives (IID) [P2025, algorithm 1].

    Without gravity, elastic and damping efforts, which `inverse_dynamics` adds. By the recursion
    in NumPy, for study; `inverse_dynamics` is compiled.

    Parameters
    ----------
    robot : SoftRobot
    joint_jet : (k + 3, n) or (..., k + 3, n) array_like
        Coordinates and time derivatives up to order k + 2 [rad, m, ..., per s^d].

    Returns
    -------
    (k + 1, n) or (..., k + 1, n) ndarray
        Row d is the d-th time derivative [N m, N, ..., per s^d].

    Raises
    ------
    InputError
        If coordinates are outside of the range of a body.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arc = sd.soft.PlanarConstantCurvature(1.0, 1.0, np.pi, bending_stiffness=0.5)
    >>> arm = sd.soft.SoftRobot([arc])
    >>> sd.soft.inertial_inverse_dynamics(arm, [[0.7], [-1.3], [2.1]]).round(9)
    array([[0.86605792]])
    """
    jet = checked_jet(require_soft_robot(robot), joint_jet)
    efforts = np.empty((*jet.shape[:-2], jet.shape[-2] - 2, robot.n))
    for sample, row in zip(as_stack(jet, 2), as_stack(efforts, 2), strict=True):
        row[...] = chain_efforts(robot.without_gravity(), sample, stress=False)
    return require_finite('result', efforts, 'overflow')


def mass_inertial_inverse_dynamics(
    robot: SoftRobot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> tuple[Array, Array]:
    """
    Return the mass matrix and the inertial efforts of a motion (MIID) [P2025, algorithm 3].

    Parameters
    ----------
    robot : SoftRobot
    q, qd, qdd : (n,) or (..., n) array_like
        Coordinates and two time derivatives [rad, m, ..., per s^d].

    Returns
    -------
    mass_matrix : (n, n) or (..., n, n) ndarray
    efforts : (n,) or (..., n) ndarray
        M q'' + c [N m, N, ...], as of `inertial_inverse_dynamics`.

    Raises
    ------
    InputError
        If coordinates are outside of the range of a body.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> slider = sd.soft.Joint('prismatic')
    >>> cart = sd.soft.SoftRobot([slider, sd.soft.RigidBody(2.0, np.zeros(3), np.eye(3))])
    >>> sd.soft.mass_inertial_inverse_dynamics(cart, [0.1], [0.2], [0.3])
    (array([[2.]]), array([0.6]))
    """
    rows = as_samples(require_soft_robot(robot).n, q=q, qd=qd, qdd=qdd)
    stacked = require_finite('q, qd, qdd', np.stack(rows, axis=-2))
    leading, jets = rows[0].shape[:-1], as_stack(stacked, 2)
    matrices, efforts = np.empty((len(jets), robot.n, robot.n)), np.empty((len(jets), robot.n))
    for jet, matrix, effort in zip(jets, matrices, efforts, strict=True):
        links = chain_links(robot, jet)
        matrix[...] = mass_matrix(links)
        effort[...] = np.concatenate([part.value for part in inertial_efforts(links, np.zeros(3))])
    return matrices.reshape(*leading, robot.n, robot.n), efforts.reshape(*leading, robot.n)


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
    jet = as_float_array('joint_jet', joint_jet)
    if jet.ndim != 2 or jet.shape[1] != require_soft_robot(robot).n or not len(jet):
        raise ShapeError('joint_jet', f'(k + 1, {robot.n})', jet.shape)
    robot.check(require_finite('joint_jet', jet)[0])
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
