# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Transmitted efforts of a robot whose links carry the spinning rotors, any tree, any order.

The robot of links and rotors (`rotor_bodies`) is an ordinary one with the coordinates (q, theta),
so its inverse dynamics gives both sides of every spring:

    u = M q'' + S theta'' + c + g + (terms of S(q)),     S^T q'' + S'^T q' + B theta'' = tau_m - u

(Tomei 1991; De Luca, Lucibello 1998; with friction at theta). u of the last joints feels no
rotor; with it theta of these joints is known from their springs, and with that u of the joints
before them: one pass of inverse dynamics per level of `rotor_coupling`, each to the order that
the remaining ones need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.elastic.rotor_coupling import RotorCoupling
from screw_dynamics.errors import ShapeError

# (joint, its effort jet (T, rows)) -> deflection jets (T, rows) of the joint's motors, by name
Deflections = Callable[[int, Array], Mapping[str, Array]]


def coupled_efforts(
    coupling: RotorCoupling,
    joint_jets: Array,
    wrench_jets: Mapping[str, Array],
    deflections: Deflections,
) -> tuple[Array, dict[str, Array]]:
    """
    Return the efforts behind the springs, and what the links' motion adds at the motors.

    Parameters
    ----------
    coupling : RotorCoupling
    joint_jets : (T, rows, n) ndarray
        Row d is the d-th time derivative of the positions. ``rows - coupling.rows`` is the order
        p of the motor efforts that they suffice for.
    wrench_jets : mapping of str to (rows - 2, 6) or (T, rows - 2, 6) ndarray
        External wrenches, see `inverse_dynamics`.
    deflections : callable
        ``deflections(joint, effort_jet)`` -> deflection jet of each motor of an elastic joint, by
        motor name; empty for a rigid one.

    Returns
    -------
    efforts : (T, p + 1 + coupling.lost_orders, n) ndarray
        u and its time derivatives [N m or N]: tau of the reduced model with the rotors' part.
    reactions : dict of str to (T, p + 1) ndarray
        ``S^T q'' + S'^T q'`` and its time derivatives per motor on a moving link [N m or N]:
        ``tau_m = u + B theta'' + d theta' + f_c + reaction``.

    Raises
    ------
    ShapeError
        If there are fewer rows than the motor efforts need.
    NotFiniteError

    """
    samples, rows, n = joint_jets.shape
    order = rows - coupling.rows
    if order < 0:
        raise ShapeError(
            'joint_jet',
            f'(m, {n}) or (T, m, {n}) with m >= {coupling.rows}: the rotors on the moving links '
            f'of this robot take derivatives of the positions up to order {coupling.rows - 1}',
            f'{rows} rows',
        )
    positions = np.zeros((samples, rows, coupling.model.n))
    positions[:, :, :n] = joint_jets
    reactions = _efforts(coupling, positions, wrench_jets, order)[:, :, n:]
    for a, rotor in enumerate(coupling.rotors):
        positions[:, :, n + a] = joint_jets[:, :, rotor.coordinate]

    kept = order + 1 + coupling.lost_orders
    result = np.empty((samples, kept, n))
    for level in coupling.levels:
        highest = order + int(coupling.orders[list(level)].max())
        efforts = _efforts(coupling, positions, wrench_jets, highest)
        for j in level:
            effort = efforts[:, : order + int(coupling.orders[j]) + 1, j]
            result[:, :, j] = effort[:, :kept]
            by_motor = deflections(j, np.ascontiguousarray(effort))
            for a, rotor in enumerate(coupling.rotors):
                if rotor.motor in by_motor:
                    known = by_motor[rotor.motor]
                    # beyond what is known of theta no row is read that theta enters
                    positions[:, : known.shape[1], n + a] += known
    return result, {
        rotor.motor: np.ascontiguousarray(reactions[:, :, a])
        for a, rotor in enumerate(coupling.rotors)
    }


def _efforts(
    coupling: RotorCoupling, positions: Array, wrench_jets: Mapping[str, Array], order: int
) -> Array:
    wrenches = {name: wrench[..., : order + 1, :] for name, wrench in wrench_jets.items()}
    return inverse_dynamics(coupling.model, positions[:, : order + 3], wrenches)
