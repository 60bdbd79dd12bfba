# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Transmitted efforts of a robot with spinning rotors on its links, for any tree and any order.

The robot of links and rotors (`rotor_bodies`) is an ordinary robot with the coordinates
(q, theta), so its inverse dynamics is the equation of both sides of every spring:

    u = M q'' + S theta'' + c + g + (terms of S(q)),     S^T q'' + S'^T q' + B theta'' = tau_m - u

([T1991], [DL1998]; friction acts at theta). u of the last joints does not depend on rotors; it
determines theta of these joints by their springs, and this in turn u of the joints before them:
one pass of inverse dynamics per level of `rotor_coupling`, each to the order that the remaining
levels need.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.elastic.elastic_joints import ElasticJoints
from screw_dynamics.elastic.rotors.coupling import RotorCoupling
from screw_dynamics.elastic.spring_jets import as_stiffness_jets, spring_jets
from screw_dynamics.kernels.springs.layout import RIGID
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.screw_model import as_wrench_jets


def coupled_efforts(
    model: ScrewModel,
    joints: ElasticJoints,
    coupling: RotorCoupling,
    joint_jets: Array,
    wrench_jets: Mapping[str, ArrayLike] | None,
    stiffness_jets: Mapping[str, ArrayLike] | None,
) -> tuple[Array, Array]:
    """
    Return the transmitted efforts u and the reactions ``S^T q'' + S'^T q'`` at the motors.

    For `joint_jets` (T, r, n) and p = r - coupling.rows, u has the shape (T, p + 1 + k, n) with k
    = `MotorTable.lost_orders` and the reactions (T, p + 1, m) [N m or N], T omitted for a sample;
    ``tau_m = u + B theta'' + d theta' + f_c + reaction``. Stiffness is needed up to the order of
    the effort, p + `coupling.orders`. Raise the errors of `elastic_feedforward`.
    """
    table = joints.motors(model)
    batch, (rows, n) = joint_jets.shape[:-2], joint_jets.shape[-2:]
    wrenches = as_wrench_jets(model, wrench_jets, (*batch, rows - 2, n))
    order = rows - coupling.rows
    highest = int(coupling.orders[table.variable >= 0].max(initial=0))
    stiffness = as_stiffness_jets(table, stiffness_jets, (*batch, order + highest + 1))

    positions = np.zeros((*batch, rows, coupling.model.n))
    positions[..., :n] = joint_jets
    kept = order + 1 + table.lost_orders
    efforts = np.empty((*batch, kept, n))
    reactions = np.zeros((*batch, order + 1, table.m))
    spins = range(n, coupling.model.n)
    # with rotors locked to their links, only the motion of the links contributes
    reactions[..., coupling.motors] = _efforts(coupling, positions, wrenches, order)[..., n:]
    for a, rotor in zip(spins, coupling.rotors, strict=True):
        positions[..., a] = positions[..., rotor.coordinate]

    for level in coupling.levels:
        reach = order + int(coupling.orders[list(level)].max())
        passed = _efforts(coupling, positions, wrenches, reach)
        for j in level:
            known = order + int(coupling.orders[j]) + 1
            effort = np.ascontiguousarray(passed[..., :known, j])
            efforts[..., j] = effort[..., :kept]
            felt = [a for a, i in enumerate(coupling.motors) if table.joint_of_motor[i] == j]
            if felt and table.laws[j] != RIGID:
                samples = effort.reshape(-1, known)
                phi = spring_jets(joints, table, j, samples, stiffness, single=not batch)
                for a in felt:
                    # higher orders of theta affect no row that is read
                    motor = coupling.motors[a] - table.first_motor[j]
                    positions[..., :known, n + a] += phi[:, :, motor].reshape(effort.shape)
    return efforts, reactions


def _efforts(
    coupling: RotorCoupling, positions: Array, wrench_jets: Mapping[str, Array], order: int
) -> Array:
    wrenches = {name: wrench[..., : order + 1, :] for name, wrench in wrench_jets.items()}
    return inverse_dynamics(coupling.model, positions[..., : order + 3, :], wrenches)
