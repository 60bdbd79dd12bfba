# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checked dynamics of a soft robot, for the public functions of the same names."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_solve, lapack

from screw_dynamics.arrays import (
    Array,
    as_float_array,
    as_samples,
    as_samples_like,
    require_out,
)
from screw_dynamics.errors import InputError, ShapeError, SingularMassMatrixError, shown
from screw_dynamics.kernels.soft.dynamics import soft_dynamics
from screw_dynamics.kernels.soft.layout import OK
from screw_dynamics.soft.kernel_dynamics import run_chain
from screw_dynamics.soft.kernel_table import KernelTable

_ARRAY = np.ndarray
_NO_SERIES, _NO_MATRICES = np.zeros((1, 0)), np.empty((1, 0, 0))
_NO_POSES = np.empty((1, 0, 4, 4))
_SINGULAR = 1e-13  # relative pivot


class Chain(Protocol):
    """What these functions use of a `SoftRobot`."""

    n: int
    joint_names: tuple[str, ...]
    modules: tuple[Any, ...]

    @property
    def kernel_table(self) -> KernelTable:
        """Tables of the kernels."""

    def module_series(self, jets: Array) -> Array:
        """Return the series of the modules that the kernels do not know."""

    def frame_index(self, frame: str) -> int:
        """Return the number of a module by name."""


def inverse_dynamics(
    robot: Chain, joint_jet: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return the efforts (k + 1, n) of a jet (k + 3, n), or those of a batch."""
    table = robot.kernel_table
    if type(joint_jet) is _ARRAY and table.given_width == 0 and out is None:
        # tests by identity and shape; the kernel rejects other types
        shape = joint_jet.shape
        if len(shape) == 2 and shape[1] == robot.n and shape[0] > 2:
            tau = np.empty((1, shape[0] - 2, shape[1]))
            try:
                status = soft_dynamics(
                    joint_jet[np.newaxis], table.modules, table.reals, _NO_SERIES, tau,
                    _NO_MATRICES, _NO_POSES,
                )  # fmt: skip
            except TypeError:
                status = -1
            if status == OK:
                return np.asarray(tau[0])
    return _checked(robot, joint_jet, out, threads)


def _checked(robot: Chain, joint_jet: ArrayLike, out: Array | None, threads: int) -> Array:
    jet = as_float_array('joint_jet', joint_jet)
    if jet.ndim not in (2, 3) or jet.shape[-1] != robot.n or jet.shape[-2] < 3:
        raise ShapeError(
            'joint_jet',
            f"(k + 3, {robot.n}) or (T, k + 3, {robot.n}) with k >= 0: rows q, q', q'', ...",
            jet.shape,
        )
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise InputError(f'threads: expected a positive integer, got {shown(threads)}')
    shape = (*jet.shape[:-2], jet.shape[-2] - 2, robot.n)
    if out is None:
        out = np.empty(shape)
    elif require_out(out).shape != shape:
        raise ShapeError('out', str(shape), out.shape)
    elif np.may_share_memory(jet, out):
        raise InputError('out: expected memory of its own, got memory of joint_jet')
    jets, taus = (jet, out) if jet.ndim == 3 else (jet[np.newaxis], out[np.newaxis])
    if len(jets):
        _run(robot, jets, taus, threads=threads)
    return out


def _run(
    robot: Chain,
    jets: Array,
    taus: Array | None,
    matrices: Array | None = None,
    poses: Array | None = None,
    threads: int = 1,
) -> None:
    table, names, series = robot.kernel_table, robot.joint_names, robot.module_series(jets)
    run_chain(table, names, jets, series, taus, matrices, poses, threads)


def mass_matrix(robot: Chain, q: ArrayLike) -> Array:
    """Return the mass matrix (n, n)."""
    samples, single = as_samples('q', q, robot.n)
    matrices = np.empty((len(samples), robot.n, robot.n))
    if samples.size:
        _run(robot, samples[:, np.newaxis], None, matrices)
    return np.asarray(matrices[0]) if single else matrices


def mass_inverse_dynamics(
    robot: Chain, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> tuple[Array, Array]:
    """
    Return the mass matrix and the efforts in one pass [P2025, Algorithm 3].

    Parameters
    ----------
    robot : SoftRobot
    q, qd, qdd : (n,) or (T, n) array_like
        Coordinates, rates and accelerations.

    Returns
    -------
    M : (n, n) or (T, n, n) ndarray
        Mass matrix, symmetric.
    tau : (n,) or (T, n) ndarray
        ``M q'' + c + g + s`` with the elastic and damping efforts s.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arc = sd.soft.PlanarConstantCurvature(1.0, 0.0, 1.0)
    >>> arm = sd.soft.SoftRobot([arc], gravity=(0, 0, 0))
    >>> sd.soft.mass_inverse_dynamics(arm, [0.0], [0.0], [2.0])
    (array([[0.05]]), array([0.1]))
    """
    samples, single = as_samples('q', q, robot.n)
    rates = as_samples_like('qd', qd, 'q', samples, single)
    accelerations = as_samples_like('qdd', qdd, 'q', samples, single)
    jets = np.stack([samples, rates, accelerations], axis=1)
    taus = np.empty((len(samples), 1, robot.n))
    matrices = np.empty((len(samples), robot.n, robot.n))
    if jets.size:
        _run(robot, jets, taus, matrices)
    return (matrices[0], taus[0, 0]) if single else (matrices, taus[:, 0])


def forward_dynamics(robot: Chain, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
    """Return the accelerations (n,) that efforts cause; raise SingularMassMatrixError."""
    samples, single = as_samples('q', q, robot.n)
    rates = as_samples_like('qd', qd, 'q', samples, single)
    efforts = as_samples_like('tau', tau, 'q', samples, single)
    matrices, bias = mass_inverse_dynamics(robot, samples, rates, np.zeros_like(samples))
    result = np.empty_like(samples)
    for t, (matrix, effort) in enumerate(zip(matrices, efforts - bias, strict=True)):
        # units of coordinates differ by orders of magnitude
        diagonal = np.sqrt(np.maximum(np.diagonal(matrix), np.finfo(float).tiny))
        factor, info = lapack.dpotrf(matrix / np.outer(diagonal, diagonal), lower=1)
        pivots = np.diagonal(factor) ** 2
        weakest = info - 1 if info > 0 else int(np.argmin(pivots))
        if info > 0 or pivots[weakest] < _SINGULAR:
            pivot = 0.0 if info > 0 else float(pivots[weakest])
            reason = 'it can move without moving any mass, or is a combination of others'
            raise SingularMassMatrixError(
                robot.joint_names[weakest], pivot, _SINGULAR, reason, None if single else t
            )
        result[t] = cho_solve((factor, True), effort / diagonal) / diagonal
    return np.asarray(result[0]) if single else result


def frame_pose(robot: Chain, q: ArrayLike, frame: str) -> Array:
    """Return the pose (4, 4) of the distal frame of a module, 'base' or 'tip', in the base."""
    index = robot.frame_index(frame)
    samples, single = as_samples('q', q, robot.n)
    poses = np.empty((len(samples), len(robot.modules), 4, 4))
    if len(samples) and len(robot.modules):
        _run(robot, samples[:, np.newaxis], None, None, poses)
    chosen = poses[:, index] if index >= 0 else np.tile(np.eye(4), (len(samples), 1, 1))
    return np.array(chosen[0] if single else chosen)


def bias_forces(robot: Chain, q: ArrayLike, qd: ArrayLike) -> Array:
    """Return the efforts at zero acceleration, elastic and damping efforts included."""
    samples, single = as_samples('q', q, robot.n)
    rates = as_samples_like('qd', qd, 'q', samples, single)
    taus = _checked(robot, np.stack([samples, rates, 0.0 * rates], axis=1), None, 1)[:, 0]
    return np.asarray(taus[0]) if single else taus


def gravity_forces(robot: Chain, q: ArrayLike) -> Array:
    """Return the gradient of the potential of gravity."""
    samples, single = as_samples('q', q, robot.n)
    jets = np.stack([samples, 0.0 * samples, 0.0 * samples], axis=1)
    heavy, light = np.empty((2, len(samples), 1, robot.n))
    if jets.size:
        series, table = robot.module_series(jets), robot.kernel_table
        run_chain(table, robot.joint_names, jets, series, heavy)
        run_chain(table.without_gravity(), robot.joint_names, jets, series, light)
    forces = (heavy - light)[:, 0]
    return np.asarray(forces[0]) if single else forces
