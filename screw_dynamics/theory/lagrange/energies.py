# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinetic and potential energy, their derivatives, Lagrange's equations: [M2018] (81) to (85)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.lie import vee
from screw_dynamics.lie.scalars import Scalar, ScalarArray, zero_like
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.tree import Tree, as_row, require_model


def kinetic_energy(model: ScrewModel, q: ArrayLike, qd: ArrayLike) -> Scalar:
    """Return T = V^T Mm V / 2 [J]."""
    system = _system(model, q, qd)
    return system.V @ system.Mm @ system.V / 2


def kinetic_energy_gradients(
    model: ScrewModel, q: ArrayLike, qd: ArrayLike
) -> tuple[ScalarArray, ScalarArray]:
    """Return dT/dq = (Mm A b X)^T J q' and dT/dq' = J^T Mm V, [M2018] (82) to (84)."""
    system = _system(model, q, qd)
    by_position = (system.Mm @ system.A @ system.b(system.V) @ system.X).T @ system.V
    return by_position, system.J.T @ system.Mm @ system.V


def lagrange_coriolis_matrix(model: ScrewModel, q: ArrayLike, qd: ArrayLike) -> ScalarArray:
    """
    Return C as Lagrange's equations give it, [M2018] (84), which equals (85).

    C = -(a J + b X)^T A^T Mm J - J^T Mm A a J; the two are equal since A (a J + b X) = b J.
    """
    s = _system(model, q, qd)
    turning = s.a() @ s.J + s.b(s.V) @ s.X
    return -turning.T @ s.A.T @ s.Mm @ s.J - s.J.T @ s.Mm @ s.Aa @ s.J


def lagrange_efforts(model: ScrewModel, joint_jet: ArrayLike) -> ScalarArray:
    """
    Return Q = (dT/dq')' - dT/dq + dU/dq, [M2018] (81), without external wrenches.

    (dT/dq')' = M q'' - J^T ((Mm A a)^T + Mm A a) J q', the sentence below (82).
    """
    s = SystemMatrices(model, joint_jet)
    q, qd, qdd = s.tree.at_least(3).jet[:3]
    moving = s.Mm @ s.Aa
    momentum_rate = s.mass_matrix @ qdd - s.J.T @ (moving + moving.T) @ s.V
    return momentum_rate - kinetic_energy_gradients(model, q, qd)[0] + s.gravity_forces


def potential_energy(model: ScrewModel, q: ArrayLike) -> Scalar:
    """Return the energy of gravity [J], 0 with all centres of mass at the height of the base."""
    tree = Tree.at(model, q)
    energy = zero_like(model.gravity)
    for pose, inertia in zip(tree.poses, model.inertias, strict=True):
        moment = inertia[5, 5] * pose[:3, 3] + pose[:3, :3] @ vee(inertia[:3, 3:])
        energy = energy - model.gravity @ moment
    return energy


def _system(model: ScrewModel, q: ArrayLike, qd: ArrayLike) -> SystemMatrices:
    n = require_model(model).n
    return SystemMatrices(model, np.stack([as_row('q', q, n), as_row('qd', qd, n)]))
