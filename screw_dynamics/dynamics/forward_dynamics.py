# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint accelerations that given joint forces cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_samples, as_samples_like, raise_not_finite
from screw_dynamics.dynamics.bias_forces import BIAS_HELPERS, add_bias_forces
from screw_dynamics.dynamics.composite_bodies import body_arrays, set_inertia, set_screw
from screw_dynamics.dynamics.mass_matrix import add_mass_matrix
from screw_dynamics.errors import SingularMassMatrixError
from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kinematics.axis_frames import (
    COORDINATE,
    MULTIPLIER,
    TRAVEL,
    TURN,
    axis_frames,
)
from screw_dynamics.kinematics.place_body import all_finite, place_body

if TYPE_CHECKING:
    from screw_dynamics.model import ScrewModel

# A pivot below this part of the inertia it is the rest of has lost all but three digits.
SINGULAR = 1e-13

_SOLVED, _NOT_FINITE = -1, -2


def forward_dynamics(model: ScrewModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
    """
    Return the joint accelerations q'' = M^-1 (tau - C q' - Q_grav).

    Parameters
    ----------
    model : ScrewModel
    q : (n,) or (T, n) array_like
        Coordinates [rad or m].
    qd : (n,) or (T, n) array_like
        Their rates [rad/s or m/s].
    tau : (n,) or (T, n) array_like
        Joint forces [N m or N]; damping, friction and limits do not enter.

    Returns
    -------
    (n,) or (T, n) ndarray
        [rad/s^2 or m/s^2]

    Raises
    ------
    SingularMassMatrixError
        If a joint can accelerate without moving any inertia; the joint is named.
    ShapeError, NotFiniteError, InputError

    Notes
    -----
    M = L^T D L (a Cholesky factorisation without square roots) from the last coordinate to the
    first, so that a pivot D_k of a chain is the inertia that joint k feels while the joints beyond
    it move freely. It counts as zero below 1e-13 of the second moment (or mass) of all that the
    joint moves. Negative pivots, which only non-physical inertias cause, are not refused.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.forward_dynamics(pendulum, [0.0], [0.0], [10.81])
    array([2.])

    """
    frames = axis_frames(model)
    positions, single = as_samples('q', q, model.n)
    rates = as_samples_like('qd', qd, 'q', positions, single)
    efforts = as_samples_like('tau', tau, 'q', positions, single)
    accelerations = np.empty((len(positions), model.n))
    status = _KERNEL(
        positions, rates, efforts, frames.tree, frames.bodies, frames.gravity, accelerations
    )
    if status == _NOT_FINITE:
        raise_not_finite(accelerations, single, q=q, qd=qd, tau=tau)
    if status != _SOLVED:
        sample, coordinate = divmod(status, model.n)
        pivot = float(accelerations[sample, coordinate])
        raise _singular(model, coordinate, pivot, None if single else sample)
    return accelerations[0] if single else accelerations


def _singular(
    model: ScrewModel, coordinate: int, pivot: float, sample: int | None
) -> SingularMassMatrixError:
    """Return the error that says which joint is too light and which links make it so."""
    moved = np.zeros(model.body_count, dtype=bool)
    for i in range(model.body_count):
        parent = model.parents[i]
        moved[i] = model.coordinates[i] == coordinate or (parent >= 0 and moved[parent])
    massless = [model.body_names[i] for i in np.flatnonzero(moved) if not model.inertias[i].any()]
    if len(massless) == moved.sum():
        reason = f'all it moves is massless ({", ".join(massless)})'
    else:
        reason = 'what it moves has no inertia along it once the joints beyond move freely'
        if massless:
            reason += f' (massless: {", ".join(massless)})'
    return SingularMassMatrixError(model.joint_names[coordinate], pivot, SINGULAR, reason, sample)


def _solve(matrix, scale, x):
    """
    Solve M x = b in place by M = L^T D L; the coordinate of a pivot that vanishes, or -1.

    Only the lower triangle of `matrix` is read; it is overwritten. At a vanishing pivot k, x[k]
    is set to the pivot over its scale, which is not finite where the pivot overflows.
    """
    n = x.shape[0]
    for k in range(n - 1, -1, -1):
        pivot = matrix[k, k]
        if not SINGULAR * scale[k] < abs(pivot) < np.inf:
            x[k] = pivot / scale[k] if scale[k] > 0.0 else pivot
            return k
        for i in range(k):
            factor = matrix[k, i] / pivot
            for j in range(i + 1):
                matrix[i, j] -= factor * matrix[k, j]
            x[i] -= factor * x[k]
        for i in range(k):
            matrix[k, i] /= pivot
    for k in range(n):
        x[k] /= matrix[k, k]
        for i in range(k):
            x[k] -= matrix[k, i] * x[i]
    return -1


def _forward_dynamics(q, qd, tau, tree, bodies, gravity, accelerations):
    """
    Solve every sample; -1, or T-index * n + singular joint.

    -2 at a sample that is, or becomes, not finite.
    """
    count, n = bodies.shape[0], q.shape[1]
    rotations, steps, screws, mass, first, second = body_arrays(count)
    rates, bias_accelerations = np.empty((count, 3)), np.empty((count, 6))
    wrenches, wrench = np.empty((count, 6)), np.empty(6)
    bias, matrix, scale = np.empty(n), np.empty((n, n)), np.empty(n)
    for t in range(q.shape[0]):
        if not (all_finite(q[t]) and all_finite(qd[t]) and all_finite(tau[t])):
            return _NOT_FINITE
        for i in range(count):
            place_body(i, q[t], tree, bodies, rotations, steps)
            set_inertia(i, bodies, rotations, mass, first, second)
            set_screw(i, bodies, rotations, screws)
        bias[:] = 0.0
        add_bias_forces(
            qd[t], tree, bodies, gravity, steps, screws, mass, first, second,
            rates, bias_accelerations, wrenches, bias,
        )  # fmt: skip
        matrix[:] = 0.0
        add_mass_matrix(tree, bodies, steps, screws, mass, first, second, wrench, matrix)
        scale[:] = 0.0
        for i in range(count):
            spread = abs(second[i, 0, 0]) + abs(second[i, 1, 1]) + abs(second[i, 2, 2])
            inertia = bodies[i, TURN] ** 2 * spread + bodies[i, TRAVEL] ** 2 * mass[i]
            scale[tree[i, COORDINATE]] += bodies[i, MULTIPLIER] ** 2 * inertia
        for k in range(n):
            accelerations[t, k] = tau[t, k] - bias[k]
        singular = -1
        if all_finite(scale) and all_finite(matrix.ravel()):
            singular = _solve(matrix, scale, accelerations[t])
        else:
            accelerations[t] = np.nan  # no pivot tells an overflow from a singular matrix
        if not all_finite(accelerations[t]):
            return _NOT_FINITE
        if singular >= 0:
            return t * n + singular
    return _SOLVED


_KERNEL = Kernel(
    _forward_dynamics,
    f'int64({read_only(2)}, {read_only(2)}, {read_only(2)}, {read_only(2, "int64")}, '
    f'{read_only(2)}, {read_only(1)}, float64[:, ::1])',
    helpers=(add_mass_matrix, _solve, *BIAS_HELPERS),
)
