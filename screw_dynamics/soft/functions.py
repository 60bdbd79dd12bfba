# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of `dynamics` for soft-rigid robots, of the same names."""

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
from screw_dynamics.common.sample_threads import require_threads
from screw_dynamics.dynamics.frames import representation_number
from screw_dynamics.dynamics.state_calls import output
from screw_dynamics.errors import ShapeError, SingularMassMatrixError
from screw_dynamics.model.records import Representation
from screw_dynamics.model.screw_model import checked_wrenches
from screw_dynamics.soft.kernel_dynamics import efforts_at_once, own_series, run_chain
from screw_dynamics.soft.soft_robot import SoftRobot, require_soft_robot

_ONE = 1  # by identity: True must be rejected


def inverse_dynamics(
    robot: SoftRobot,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """
    Return M q'' + c + g + s and its derivatives (..., k + 1, n).

    The inputs of [P2025] (1), (51), (52).
    """
    if wrench_jets is None and threads is _ONE:
        at_once = efforts_at_once(robot, joint_jet, out)
        if at_once is not None:
            return at_once
    jet = _checked_jet(robot, joint_jet)
    shape = (*jet.shape[:-2], jet.shape[-2] - 2, robot.n)
    out = output(out, shape, joint_jet=jet)
    threads = require_threads(threads)
    wrenches = _wrenches(robot, wrench_jets, shape)
    efforts = as_stack(out, 2)
    run_chain(robot, as_stack(jet, 2), efforts, threads=threads, wrenches=wrenches)
    return out


def _checked_jet(robot: SoftRobot, joint_jet: ArrayLike) -> Array:
    """Return a jet (k + 3, n) or a batch of them (..., k + 3, n); raise an error for others."""
    jet = as_float_array('joint_jet', joint_jet)
    if jet.ndim < 2 or jet.shape[-1] != robot.n or jet.shape[-2] < 3:
        raise ShapeError(
            'joint_jet', f'(k + 3, {robot.n}) or (..., k + 3, {robot.n}) with k >= 0', jet.shape
        )
    return require_finite('joint_jet', jet)


def _wrenches(
    robot: SoftRobot, wrench_jets: Mapping[str, ArrayLike] | None, shape: tuple[int, ...]
) -> dict[int, Array]:
    """Return wrenches (T or 1, k + 1, 6) by the number of the module whose tip they act on."""
    found: dict[int, Array] = {}
    for name, wrench in checked_wrenches(robot.modules_to, wrench_jets, shape).items():
        index = robot.modules_to(name) - 1
        if index >= 0:  # a wrench on the base has no effect
            found[index] = found.get(index, 0.0) + as_stack(wrench, 2)
    return found


def mass_inverse_dynamics(
    robot: SoftRobot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> tuple[Array, Array]:
    """
    Return the mass matrix and the efforts of a motion, in one pass (MID) [P2025, algorithm 3].

    Parameters
    ----------
    robot : SoftRobot
    q, qd, qdd : (n,) or (..., n) array_like
        Coordinates and two time derivatives [rad, m, ..., per s^d].

    Returns
    -------
    mass_matrix : (n, n) or (..., n, n) ndarray
    efforts : (n,) or (..., n) ndarray
        M q'' + c + g + s.

    Raises
    ------
    InputError
        If coordinates are outside of the range of a body.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import mass_inverse_dynamics
    >>> arc = sd.soft.PlanarConstantCurvature(1.0, 1.0, 3.141592653589793)
    >>> arm = sd.soft.SoftRobot([arc], gravity=(0, 0, 0))
    >>> matrix, efforts = mass_inverse_dynamics(arm, [0.7], [-1.3], [2.1])
    >>> efforts.round(9)
    array([0.86605792])
    """
    return _mass_and_efforts(robot, inertial=False, q=q, qd=qd, qdd=qdd)


def inertial_inverse_dynamics(robot: SoftRobot, joint_jet: ArrayLike) -> Array:
    """
    Return the inertial efforts ``M q'' + c`` with time derivatives (IID) [P2025, algorithm 1].

    Without gravity, elastic and damping efforts, which `inverse_dynamics` adds.

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
    jet = _checked_jet(require_soft_robot(robot), joint_jet)
    efforts = np.empty((*jet.shape[:-2], jet.shape[-2] - 2, robot.n))
    run_chain(robot, as_stack(jet, 2), as_stack(efforts, 2), inertial=True)
    return efforts


def mass_inertial_inverse_dynamics(
    robot: SoftRobot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> tuple[Array, Array]:
    """
    Return the mass matrix and the inertial efforts of a motion (MIID) [P2025, algorithm 3].

    Parameters
    ----------
    robot, q, qd, qdd
        As of `mass_inverse_dynamics`.

    Returns
    -------
    mass_matrix : (n, n) or (..., n, n) ndarray
    efforts : (n,) or (..., n) ndarray
        M q'' + c [N m, N, ...], as of `inertial_inverse_dynamics`.

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> slider = sd.soft.Joint('prismatic')
    >>> cart = sd.soft.SoftRobot([slider, sd.soft.RigidBody(2.0, np.zeros(3), np.eye(3))])
    >>> sd.soft.mass_inertial_inverse_dynamics(cart, [0.1], [0.2], [0.3])
    (array([[2.]]), array([0.6]))
    """
    return _mass_and_efforts(robot, inertial=True, q=q, qd=qd, qdd=qdd)


def _mass_and_efforts(
    robot: SoftRobot, *, inertial: bool, **inputs: ArrayLike
) -> tuple[Array, Array]:
    rows = _finite(require_soft_robot(robot), **inputs)
    leading, jets = rows[0].shape[:-1], np.stack([as_stack(x, 1) for x in rows], axis=1)
    efforts = np.empty((len(jets), 1, robot.n))
    matrices = np.empty((len(jets), robot.n, robot.n))
    run_chain(robot, jets, efforts, matrices, inertial=inertial)
    return matrices.reshape(*leading, robot.n, robot.n), efforts.reshape(*leading, robot.n)


def _finite(robot: SoftRobot, **inputs: ArrayLike) -> tuple[Array, ...]:
    """Return finite arrays (..., n) of one shape."""
    arrays = as_samples(robot.n, **inputs)
    for name, array in zip(inputs, arrays, strict=True):
        require_finite(name, array)
    return arrays


def _samples(robot: SoftRobot, q: ArrayLike) -> tuple[Array, tuple[int, ...]]:
    """Return samples (T, n), and the shape that they had before the last axis."""
    (array,) = _finite(robot, q=q)
    return as_stack(array, 1), array.shape[:-1]


def mass_matrix(robot: SoftRobot, q: ArrayLike) -> Array:
    """Return M (..., n, n)."""
    samples, leading = _samples(robot, q)
    matrices = np.empty((len(samples), robot.n, robot.n))
    run_chain(robot, samples[:, np.newaxis], None, matrices)
    return matrices.reshape(*leading, robot.n, robot.n)


def gravity_forces(robot: SoftRobot, q: ArrayLike) -> Array:
    """Return the efforts that hold the robot against gravity, without elastic ones."""
    samples, leading = _samples(robot, q)
    jets = np.stack([samples, 0.0 * samples, 0.0 * samples], axis=1)
    heavy, light = np.empty((2, len(samples), 1, robot.n))
    given = own_series(robot, jets)
    run_chain(robot, jets, heavy, given=given)
    run_chain(robot.without_gravity(), jets, light, given=given)
    return (heavy - light).reshape(*leading, robot.n)


def bias_forces(robot: SoftRobot, q: ArrayLike, qd: ArrayLike) -> Array:
    """Return c + g + s: the efforts without acceleration."""
    positions, rates = _finite(robot, q=q, qd=qd)
    jets = np.stack([positions, rates, 0.0 * rates], axis=-2)
    return inverse_dynamics(robot, jets)[..., 0, :]


def forward_dynamics(robot: SoftRobot, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
    """Return q'' = M^-1 (tau - c - g - s)."""
    positions, rates, efforts = _finite(robot, q=q, qd=qd, tau=tau)
    matrices, bias = mass_inverse_dynamics(robot, positions, rates, 0.0 * rates)
    accelerations = efforts - bias
    pairs = zip(as_stack(matrices, 2), as_stack(accelerations, 1), strict=True)
    for i, (matrix, right) in enumerate(pairs):
        right[...] = _solved(robot, matrix, right, i if efforts.ndim > 1 else None)
    return accelerations


_SINGULAR = 1e-13  # smallest pivot, of a matrix with a unit diagonal


def _solved(robot: SoftRobot, matrix: Array, right: Array, sample: int | None) -> Array:
    """Solve by Cholesky, scaled to a unit diagonal: units of coordinates differ by far."""
    diagonal = np.diag(matrix)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled = matrix * scale * scale[:, np.newaxis]
    values, vectors = np.linalg.eigh(scaled)
    if len(values) and values[0] <= _SINGULAR:
        weakest = robot.joint_names[int(np.argmax(abs(vectors[:, 0])))]
        raise SingularMassMatrixError(
            weakest, float(values[0]), _SINGULAR, 'nothing that it moves has inertia', sample
        )
    result: Array = scale * (vectors @ ((vectors.T @ (scale * right)) / values))
    return result


def frame_pose(robot: SoftRobot, q: ArrayLike, frame: str) -> Array:
    """Return the pose of a module's distal frame in that of the base [P2025] (9), (10)."""
    samples, leading = _samples(robot, q)
    count = robot.modules_to(frame)
    if robot.kernel_table.given_width:
        # the series of such bodies hold far more than their ends
        found = np.empty((len(samples), 4, 4))
        for sample, pose in zip(samples, found, strict=True):
            robot.check(sample)
            pose[...] = robot.places(sample, count)[-1]
        return found.reshape(*leading, 4, 4)
    poses = np.empty((len(samples), len(robot.modules), 4, 4))
    run_chain(robot, samples[:, np.newaxis], poses=poses)
    return _behind(poses, count).reshape(*leading, 4, 4)


def _behind(poses: Array, count: int) -> Array:
    """Return the poses (T, 4, 4) behind the first modules; of none that of the base."""
    if count == 0:
        return np.tile(np.eye(4), (len(poses), 1, 1))
    return np.ascontiguousarray(poses[:, count - 1])


def frame_jacobian(
    robot: SoftRobot, q: ArrayLike, frame: str, representation: Representation = 'body'
) -> Array:
    """Return J (..., 6, n) of a module's distal frame."""
    representation_number(representation)
    samples, leading = _samples(robot, q)
    count = robot.modules_to(frame)
    jacobians = np.zeros((len(samples), 6, robot.n))
    poses = np.empty((len(samples), len(robot.modules), 4, 4))
    states = samples[:, np.newaxis]
    run_chain(robot, states, poses=poses, frames=count, jacobians=jacobians)
    for pose, jacobian in zip(_behind(poses, count), jacobians, strict=True):
        _represent(jacobian, representation, pose[:3, :3], pose[:3, 3])
    return jacobians.reshape(*leading, 6, robot.n)


def _represent(
    jacobian: Array, representation: Representation, rotation: Array, place: Array
) -> None:
    """Convert a body-fixed Jacobian (6, n) in place."""
    if representation != 'body':
        jacobian[3:] = rotation @ jacobian[3:]
    if representation in ('spatial', 'hybrid'):
        jacobian[:3] = rotation @ jacobian[:3]
    if representation == 'spatial':
        jacobian[3:] += np.cross(place, jacobian[:3], axisb=0, axisc=0)
