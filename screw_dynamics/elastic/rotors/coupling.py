# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inertial coupling between joints and rotors, and the derivatives that it requires.

The effort u_j behind joint j contains ``S_ji theta_i''`` and the gyroscopic torque of rotor i,
linear in theta_i', if joint j moves the carrier of rotor i; and theta_i = q_i + phi_i(u_i) is
known only if u_i is. The evaluation starts at the joints without coupling to elastic rotors (the
last ones) and ends at the base; every level costs two derivatives, one if only the gyroscopic
torque acts, none without coupling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.elastic.elastic_joint import ElasticJoint
from screw_dynamics.elastic.motor_table import MotorTable
from screw_dynamics.elastic.rotors.bodies import RotorBody, model_with_rotors, moving_rotors
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.springs.layout import RIGID
from screw_dynamics.kinematics import frame_jacobian
from screw_dynamics.model import ScrewModel

# Orders above that of an effort at which theta of a rotor contributes to it.
_NOTHING, _GYROSCOPIC, _INERTIAL = 0, 1, 2

# Axes given with nine digits are perpendicular only to this; smaller products are no coupling.
_PERPENDICULAR = 1e-9

# Number of random positions, which reveal coupling that vanishes in some positions only.
_POSITIONS = 4


@dataclass(frozen=True, eq=False)
class RotorCoupling:
    """
    Evaluation order of efforts and motor positions of a robot with rotors on moving links.

    `model` has links and rotors; `motors` are the rotors' indices in the `MotorTable`. Motor
    efforts need time derivatives of u_j up to `orders` (n,) and `rows` rows of the joint jet. The
    joints of one of the `levels` are evaluated together, from the last joints to the base.
    """

    model: ScrewModel
    rotors: tuple[RotorBody, ...]
    motors: NDArray[np.int64]
    orders: NDArray[np.int64]
    levels: tuple[tuple[int, ...], ...]
    rows: int


def rotor_coupling(
    model: ScrewModel, table: MotorTable, joints: Mapping[str, ElasticJoint]
) -> RotorCoupling:
    """
    Return the evaluation order of the efforts of a robot with rotors on its links.

    Raise InputError if none exists: if a spring has a damper (its deflection is a filter of the
    effort, not a function of its derivatives), an elastic joint moves the rotor of its own motor,
    or joints move each other's rotors in a cycle (theta then obeys a differential equation).
    """
    if table.damped_names:
        raise InputError(
            f'joint {table.damped_names[0]!r}: expected a spring without damper, got one: rotor '
            'coupling and dampers cannot be combined; set damping to 0 or rotor_coupling to false'
        )
    motors, rotors = moving_rotors(model, table, joints)
    extended = model_with_rotors(model, rotors)
    felt = _coupling_orders(extended, model.n, rotors)
    chain = [
        (j, rotor.coordinate, int(felt[j, a]))
        for a, rotor in enumerate(rotors)
        if table.laws[rotor.coordinate] != RIGID
        for j in np.flatnonzero(felt[:, a]).tolist()
    ]
    sequence = _solution_order(model, chain)
    # theta'' in the equation of the motor itself
    orders = np.full(model.n, table.lost_orders)
    levels = np.zeros(model.n, dtype=np.int64)
    for j in reversed(sequence):
        for i, above in ((i, above) for k, i, above in chain if k == j):
            orders[i] = max(orders[i], orders[j] + above)
    for j in sequence:
        levels[j] = max((levels[i] + 1 for k, i, _ in chain if k == j), default=0)
    # q to two orders above every effort; theta of a rigid joint is q, never of higher order
    rows = int(orders.max(initial=0)) + 3
    return RotorCoupling(
        extended,
        rotors,
        motors,
        orders,
        tuple(tuple(np.flatnonzero(levels == x).tolist()) for x in np.unique(levels)),
        rows,
    )


def _coupling_orders(
    extended: ScrewModel, n: int, rotors: Sequence[RotorBody]
) -> NDArray[np.int64]:
    """Return how far above the order of u_j the derivatives of theta_a affect it, (n, rotors)."""
    felt = np.zeros((n, len(rotors)), dtype=np.int64)
    q = np.zeros((_POSITIONS, extended.n))
    q[:, :n] = np.random.default_rng(0).uniform(-np.pi, np.pi, (_POSITIONS, n))
    for a, rotor in enumerate(rotors):
        name = extended.body_names[len(extended.body_names) - len(rotors) + a]
        turns = frame_jacobian(extended, q, name)[:, :3, :n]
        along = _largest(np.einsum('i,tij->tj', rotor.axis, turns))
        pairs = np.cross(turns[:, :, :, None], turns[:, :, None, :], axis=1)
        across = _largest(np.einsum('i,tijk->tkj', rotor.axis, pairs)).max(axis=0, initial=0.0)
        felt[across > _PERPENDICULAR, a] = _GYROSCOPIC
        felt[along > _PERPENDICULAR, a] = _INERTIAL
    return felt


def _largest(values: Array) -> Array:
    largest: Array = np.abs(values).max(axis=0)
    return largest


def _solution_order(model: ScrewModel, chain: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return the joints ordered so that each follows those whose rotors act on it."""
    graph: dict[int, set[int]] = {j: set() for j in range(model.n)}
    for j, i, _ in chain:
        graph[j].add(i)
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        names = [repr(model.joint_names[i]) for i in reversed(error.args[1])]
        raise InputError(
            'rotor coupling: expected every elastic joint to carry only rotors of joints behind '
            f'it, got {" which moves the rotor of ".join(names)}: name other carriers, or make '
            'one of these joints rigid'
        ) from None
