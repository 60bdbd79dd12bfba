# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
A tree of rigid bodies in joint coordinates as a `System` without poses.

The configuration is a vector, and any Runge-Kutta method applies as it is. Beside (q, q') stands
the phase space of [M2018] (80), reduced to (q, p): the momentum of a cyclic coordinate is
preserved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from screw_dynamics.lie import twist_cross
from screw_dynamics.lie.scalars import Scalar, ScalarArray, solve
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory import newton_euler
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.forward_dynamics.any_order import forward_dynamics
from screw_dynamics.theory.geometric_integration.munthe_kaas import System

Efforts: TypeAlias = Callable[[Scalar, ScalarArray, ScalarArray], ScalarArray]


def velocity_form(model: ScrewModel, efforts: Efforts | None = None) -> System:
    """
    Return the system with y = (q, q'); ``efforts(t, q, qd)`` -> (n,) may feed back.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.geometric_integration.joint_space import velocity_form
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.eye(6)])
    >>> driven = velocity_form(wheel, lambda t, q, qd: np.array([2.0]))
    >>> driven.rates(0.0, np.zeros((0, 4, 4)), np.array([0.3, 1.0]))[1]
    array([1., 2.])
    """

    def rates(t: Scalar, poses: ScalarArray, y: ScalarArray) -> tuple[ScalarArray, ScalarArray]:
        q, qd = np.split(y, 2)
        tau = 0 * q if efforts is None else efforts(t, q, qd)
        jet = forward_dynamics(model, q, qd, tau[None])
        return np.zeros((0, 6)), np.concatenate([qd, jet[2]])

    return System(rates)


def momentum_form(model: ScrewModel, efforts: Efforts | None = None) -> System:
    """
    Return the system with y = (q, p), p = J^T M V = M(q) q', in phase space.

    With the sum Pi of the spatial momenta of the bodies that a joint moves, p_j = J_j^T Pi and
    p_j' = (ad_{V_j} J_j)^T Pi + J_j^T W + tau_j. The first term is zero for a joint on the base.
    """

    def rates(t: Scalar, poses: ScalarArray, y: ScalarArray) -> tuple[ScalarArray, ScalarArray]:
        q, p = np.split(y, 2)
        qd = velocities(model, q, p)
        momentum_rates = _momentum_rates(model, q, qd)
        if efforts is not None:
            momentum_rates = momentum_rates + efforts(t, q, qd)
        return np.zeros((0, 6)), np.concatenate([qd, momentum_rates])

    return System(rates)


def momenta(model: ScrewModel, q: ScalarArray, qd: ScalarArray) -> ScalarArray:
    """Return p = M(q) q', [M2018] (82)."""
    result: ScalarArray = SystemMatrices(model, np.stack([q, qd])).mass_matrix @ qd
    return result


def velocities(model: ScrewModel, q: ScalarArray, p: ScalarArray) -> ScalarArray:
    """Return q' = M(q)^-1 p, the inverse of `momenta`."""
    return solve(SystemMatrices(model, np.stack([q, 0 * q])).mass_matrix, p)


def _momentum_rates(model: ScrewModel, q: ScalarArray, qd: ScalarArray) -> ScalarArray:
    """Return p' without efforts, (n,): gravity and the motion of the joint screws."""
    tree = SystemMatrices(model, np.stack([q, qd])).tree
    gravity = np.concatenate([np.zeros(3), model.gravity])
    columns: list[ScalarArray] = []
    twists: list[ScalarArray] = []
    momentum: list[ScalarArray] = []
    weight: list[ScalarArray] = []
    for i, (p, to_base) in enumerate(zip(model.parents, tree.adjoints(), strict=True)):
        columns.append(to_base @ model.screws[i])
        rate = columns[i] * tree.joints[1, i]
        twists.append(rate if p < 0 else twists[p] + rate)
        inertia = newton_euler.spatial_inertia(model.inertias[i], tree.poses[i])
        momentum.append(newton_euler.momentum(inertia, twists[i]))
        weight.append(inertia @ gravity)
    of_joints = np.zeros(tree.count, tree.dtype)
    for i in reversed(range(tree.count)):
        moving = twist_cross(twists[i]) @ columns[i]
        of_joints[i] = moving @ momentum[i] + columns[i] @ weight[i]
        p = model.parents[i]
        if p >= 0:
            momentum[p] = momentum[p] + momentum[i]
            weight[p] = weight[p] + weight[i]
    return tree.to_coordinates(of_joints)
