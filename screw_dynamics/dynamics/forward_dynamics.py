# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint accelerations and their time derivatives caused by joint efforts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import (
    Array,
    as_float_array,
    as_samples,
    as_stack,
    raise_not_finite,
    require_finite,
)
from screw_dynamics.common.sample_threads import require_threads
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.state_calls import output, run_states
from screw_dynamics.errors import ShapeError, SingularMassMatrixError, listed
from screw_dynamics.kernels.bodies.accelerations import NOT_FINITE, SOLVED, joint_accelerations
from screw_dynamics.kernels.bodies.factors import SINGULAR
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.quantities import FORWARD_DYNAMICS
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import ScrewModel, require_model


@kernel_first(FORWARD_DYNAMICS.compiled, parameters='tables.tree_parameters')
def forward_dynamics(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """
    Return the joint accelerations q'' = M^-1 (tau - C q' - Q_grav), of [MK2021, (1)].

    O(n) by articulated bodies [F2008, section 7.3]; with mimic joints by the mass matrix.

    Parameters
    ----------
    model : RobotModel
    q, qd : (n,) or (..., n) array_like
        Coordinates and their rates [rad or m, per s].
    tau : (n,) or (..., n) array_like
        Joint efforts [N m or N]; damping, friction and limits do not enter (see
        `simulation.ElasticRobot`).
    out, threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (n,) or (..., n) ndarray
        [rad/s^2 or m/s^2].

    Raises
    ------
    SingularMassMatrixError
        If a joint can accelerate without moving any inertia; the joint is named.
    ShapeError, NotFiniteError, InputError

    Notes
    -----
    A pivot of the recursion, from the last joint to the first, is the effective inertia of a joint
    while the joints beyond it move freely: with the mass matrix, D_k of M = L^T D L. It is treated
    as zero below 1e-13 of the second moment (or mass) of all bodies that the joint moves. Negative
    pivots, which only non-physical inertias cause, are accepted.

    See Also
    --------
    forward_dynamics_jet : With time derivatives.
    forward_dynamics_partials : By state and efforts.
    simulate : Motions.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.forward_dynamics(pendulum, [0.0], [0.0], [10.81])
    array([2.])
    """
    model = require_model(model)
    threads = require_threads(threads)
    samples = as_samples(model.n, q=q, qd=qd, tau=tau)
    inputs = dict(zip(('q', 'qd', 'tau'), samples, strict=True))
    result = output(out, samples[0].shape, **inputs)
    parameters = model.kernel_tables.tree_parameters
    if result.size and (
        parameters is None
        or run_states(FORWARD_DYNAMICS, samples, result, parameters, threads) != OK
    ):
        by_mass_matrix(model, inputs, result, model.kernel_tables.parameters)
    return result


def by_mass_matrix(
    model: ScrewModel, inputs: Mapping[str, Array], accelerations: Array, parameters: Array
) -> None:
    """Set accelerations (..., n) by factors of the mass matrix; raise if it is singular."""
    rows, samples = as_stack(accelerations, 1), (as_stack(x, 1) for x in inputs.values())
    status = joint_accelerations(*samples, parameters, rows)
    if status == NOT_FINITE:
        raise_not_finite(accelerations, **inputs)
    if status != SOLVED:
        sample, coordinate = divmod(status, model.n)
        pivot = float(rows[sample, coordinate])
        raise _singular(model, coordinate, pivot, None if accelerations.ndim == 1 else sample)


def forward_dynamics_jet(
    model: ScrewModel,
    q: ArrayLike,
    qd: ArrayLike,
    effort_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *,
    threads: int = 1,
) -> Array:
    """
    Return the joint jet that efforts and their time derivatives cause.

    tau^(d) is affine in q^(d + 2) with the mass matrix, which gives one order after the other
    [KM2021]: q^(d + 2) = M^-1 (tau^(d) - r_d) with r_d = tau^(d) of the motion with q^(d + 2) = 0.
    Inverse to `inverse_dynamics`.

    Parameters
    ----------
    model : ScrewModel
    q, qd : (n,) or (..., n) array_like
        Coordinates and their rates [rad or m, per s].
    effort_jet : (k + 1, n) or (..., k + 1, n) array_like
        Row d is the d-th time derivative of the joint efforts [N m or N, per s^d]; damping,
        friction and limits do not enter.
    wrench_jets : mapping of str to (k + 1, 6) or (..., k + 1, 6) array_like, optional
        External wrenches ON the bodies, as in `inverse_dynamics`.
    threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (k + 3, n) or (..., k + 3, n) ndarray
        q, q', and the derivatives from the acceleration to order k + 2 [rad or m, per s^d].

    Raises
    ------
    SingularMassMatrixError
        If a joint can accelerate without moving any inertia; the joint is named.
    ShapeError, NotFiniteError, UnknownNameError, InputError

    Notes
    -----
    Efforts are computed k + 1 times by the compiled recursion of order k, so that only one kernel
    is required.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.eye(6)])
    >>> sd.forward_dynamics_jet(wheel, [0.3], [1.0], [[2.0], [4.0]]).ravel()
    array([0.3, 1. , 2. , 4. ])
    """
    n = require_model(model).n
    positions, rates = as_samples(n, q=q, qd=qd)
    efforts = require_finite('effort_jet', as_float_array('effort_jet', effort_jet))
    batch = positions.shape[:-1]
    if efforts.ndim != len(batch) + 2 or efforts.shape != (*batch, efforts.shape[-2], n):
        expected = ', '.join(map(str, (*batch, 'k + 1', n)))
        raise ShapeError('effort_jet', f'({expected}) with k >= 0', efforts.shape)
    orders = efforts.shape[-2]
    if orders == 0:
        raise ShapeError('effort_jet', 'one row or more', efforts.shape)
    jets = np.zeros((*batch, orders + 2, n))
    jets[..., 0, :], jets[..., 1, :] = positions, rates
    # at rest and without gravity, efforts are M q''
    at_rest = np.zeros((*batch, n))
    for d in range(orders):
        rest = inverse_dynamics(model, jets, wrench_jets, threads=threads)[..., d, :]
        jets[..., d + 2, :] = forward_dynamics(
            model.without_gravity(), positions, at_rest, efforts[..., d, :] - rest, threads=threads
        )
    return jets


def _singular(
    model: ScrewModel, coordinate: int, pivot: float, sample: int | None
) -> SingularMassMatrixError:
    """Return the error that names the joint without inertia and the massless links."""
    moved = model.coordinates == coordinate
    for i, parent in enumerate(model.parents):
        moved[i] |= parent >= 0 and moved[parent]
    massless = [model.body_names[i] for i in np.flatnonzero(moved) if not model.inertias[i].any()]
    if len(massless) == moved.sum():
        reason = f'all it moves is massless ({listed(massless)})'
    else:
        reason = 'what it moves has no inertia along it once the joints beyond move freely'
        if massless:
            reason += f' (massless: {", ".join(massless)})'
    return SingularMassMatrixError(model.joint_names[coordinate], pivot, SINGULAR, reason, sample)
