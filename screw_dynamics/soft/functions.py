# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of `dynamics` and `kinematics` for soft-rigid robots, of the same names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import (
    Array,
    as_samples,
    as_stack,
    require_finite,
)
from screw_dynamics.common.sample_threads import require_threads
from screw_dynamics.dynamics.dispatch import register_kind
from screw_dynamics.dynamics.frames import representation_number
from screw_dynamics.errors import SingularMassMatrixError
from screw_dynamics.model.records import Representation
from screw_dynamics.model.screw_model import checked_wrenches
from screw_dynamics.model.term_calls import output
from screw_dynamics.soft.kernel_dynamics import efforts_at_once, run_chain
from screw_dynamics.soft.recursion import inertial_efforts
from screw_dynamics.soft.recursion import mass_matrix as matrix_of_links
from screw_dynamics.soft.recursive_dynamics import (
    chain_efforts,
    chain_links,
    checked_jet,
)
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
    jet = checked_jet(robot, joint_jet)
    shape = (*jet.shape[:-2], jet.shape[-2] - 2, robot.n)
    out = output(out, shape, joint_jet=jet)
    threads = require_threads(threads)
    wrenches = _wrenches(robot, wrench_jets, shape)
    samples, efforts = as_stack(jet, 2), as_stack(out, 2)
    table = robot.kernel_table
    if table is not None:
        run_chain(robot, table, samples, efforts, threads=threads, wrenches=wrenches)
        return out
    for t, (sample, row) in enumerate(zip(samples, efforts, strict=True)):
        own = {i: wrench[t if len(wrench) > 1 else 0] for i, wrench in wrenches.items()}
        row[...] = chain_efforts(robot, sample, own)
    return require_finite('result', out, 'overflow')


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
    require_soft_robot(robot)
    rows = _finite(robot, q=q, qd=qd, qdd=qdd)
    leading, jets = rows[0].shape[:-1], np.stack([as_stack(x, 1) for x in rows], axis=1)
    samples = jets[:, 0]
    efforts = np.empty((len(samples), 1, robot.n))
    matrices = np.empty((len(samples), robot.n, robot.n))
    if robot.kernel_table is not None:
        run_chain(robot, robot.kernel_table, jets, efforts, matrices)
    else:
        for jet, effort, matrix in zip(jets, efforts, matrices, strict=True):
            links = chain_links(robot, jet)
            own = zip(links, inertial_efforts(links, robot.gravity), strict=True)
            effort[0] = np.concatenate([part.value + link.stress.value for link, part in own])
            matrix[...] = matrix_of_links(links)
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
    if robot.kernel_table is not None:
        run_chain(robot, robot.kernel_table, samples[:, np.newaxis], None, matrices)
        return matrices.reshape(*leading, robot.n, robot.n)
    for sample, matrix in zip(samples, matrices, strict=True):
        matrix[...] = matrix_of_links(chain_links(robot, _at_rest(sample)))
    return matrices.reshape(*leading, robot.n, robot.n)


def _at_rest(q: Array) -> Array:
    return np.stack([q, 0.0 * q, 0.0 * q])


def gravity_forces(robot: SoftRobot, q: ArrayLike) -> Array:
    """Return the efforts that hold the robot against gravity, without elastic ones."""
    samples, leading = _samples(robot, q)
    forces = np.empty(samples.shape)
    table = robot.kernel_table
    if table is not None:
        jets = np.stack([samples, 0.0 * samples, 0.0 * samples], axis=1)
        heavy, light = np.empty((2, len(samples), 1, robot.n))
        run_chain(robot, table, jets, heavy)
        run_chain(robot, table.without_gravity(), jets, light)
        return (heavy - light).reshape(*leading, robot.n)
    for sample, force in zip(samples, forces, strict=True):
        force[...] = chain_efforts(robot, _at_rest(sample), stress=False)[0]
    return forces.reshape(*leading, robot.n)


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
    poses = np.tile(np.eye(4), (len(samples), 1, 1))
    if robot.kernel_table is not None and count:
        every = np.empty((len(samples), len(robot.modules), 4, 4))
        run_chain(robot, robot.kernel_table, samples[:, np.newaxis], poses=every)
        return np.ascontiguousarray(every[:, count - 1]).reshape(*leading, 4, 4)
    for sample, pose in zip(samples, poses, strict=True):
        robot.check(sample)
        for module, own in zip(robot.modules[:count], robot.slices, strict=False):
            rotation, translation = module.tip_pose(sample[own])
            pose[:3, 3] += pose[:3, :3] @ translation
            pose[:3, :3] = pose[:3, :3] @ rotation
    return poses.reshape(*leading, 4, 4)


def frame_jacobian(
    robot: SoftRobot, q: ArrayLike, frame: str, representation: Representation = 'body'
) -> Array:
    """Return J (..., 6, n) of a module's distal frame."""
    representation_number(representation)
    samples, leading = _samples(robot, q)
    count = robot.modules_to(frame)
    jacobians = np.zeros((len(samples), 6, robot.n))
    table = robot.kernel_table
    if table is not None:
        states = samples[:, np.newaxis]
        poses = np.empty((len(samples), len(robot.modules), 4, 4))
        run_chain(robot, table, states, poses=poses, frames=count, jacobians=jacobians)
        for every, jacobian in zip(poses, jacobians, strict=True):
            pose = every[count - 1] if count else np.eye(4)
            _represent(jacobian, representation, pose[:3, :3], pose[:3, 3])
        return jacobians.reshape(*leading, 6, robot.n)
    for sample, jacobian in zip(samples, jacobians, strict=True):
        total = np.eye(3)
        for link, own in zip(
            chain_links(robot, _at_rest(sample))[:count], robot.slices, strict=False
        ):
            rotation, t = link.rotation.value, link.translation.value
            linear = jacobian[3:] - np.cross(t, jacobian[:3], axisb=0, axisc=0)
            jacobian[3:], jacobian[:3] = rotation.T @ linear, rotation.T @ jacobian[:3]
            jacobian[:3, own] += link.angular.value.T
            jacobian[3:, own] += link.linear.value.T
            total = total @ rotation
        _represent(jacobian, representation, total, frame_pose(robot, sample, frame)[:3, 3])
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


def _filling(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a function with the arguments `out` and `threads`, of which it uses one."""

    @wraps(function)
    def call(robot: SoftRobot, *inputs: Any, out: Array | None = None, threads: int = 1) -> Array:
        require_threads(threads)
        result = function(robot, *inputs)
        if out is None:
            return result
        out = output(out, result.shape)
        out[...] = result
        return out

    return call


register_kind(
    SoftRobot,
    inverse_dynamics=inverse_dynamics,
    **{
        function.__name__: _filling(function)
        for function in (
            bias_forces,
            forward_dynamics,
            frame_jacobian,
            frame_pose,
            gravity_forces,
            mass_matrix,
        )
    },
)
