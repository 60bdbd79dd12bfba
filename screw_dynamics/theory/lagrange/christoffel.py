# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Christoffel symbols of the mass matrix, in three closed forms: [M2018] (86) to (88), corrected.

    Gamma_ijk = (dM_ik/dq_j + dM_ij/dq_k - dM_jk/dq_i) / 2,  (C q')_i = sum_jk Gamma_ijk q_j' q_k'

The print of (87) restricts the order of the indices and sums over other bodies, and (88) does not
equal (86) for any choice of its factors; the forms below hold for all indices, as sums over the
bodies l whose path contains i, j and k.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.scalars import require_choice
from screw_dynamics.lie import (
    adjoint_inverse,
    hat,
    pose,
    pseudo_inertia,
    skew,
    twist_cross,
    vee,
)
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.kinematics.body_fixed import column_jets
from screw_dynamics.theory.tree import Tree

Form: TypeAlias = Literal['brackets', 'matrices', 'binet']


def christoffel_symbols(model: ScrewModel, q: ArrayLike, form: Form = 'brackets') -> ScalarArray:
    """
    Return the Christoffel symbols of the first kind, Gamma[i, j, k] = Gamma[i, k, j].

    `form` is 'brackets', [M2018] (87): three screw products; 'matrices': the trace of 4 x 4
    matrices, with the pseudo-inertia; or 'binet', [M2018] (88): angular and linear parts at the
    centres of mass.
    """
    tree = Tree.at(model, q)
    columns = column_jets(tree)[:, :, 0]
    term = _FORMS[require_choice('form', form, _FORMS)](tree, columns)
    symbols = np.zeros((tree.count,) * 3, tree.dtype)
    for body in range(tree.count):
        for i, j, k in product(tree.path(body), repeat=3):
            symbols[i, j, k] += term(body, i, j, k)
    g = tree.mimic_matrix
    return np.einsum('abc,ai,bj,ck->ijk', symbols, g, g, g)


def efforts(model: ScrewModel, joint_jet: ArrayLike, form: Form = 'brackets') -> ScalarArray:
    """Return Q_i = sum_j M_ij q_j'' + sum_jk Gamma_ijk q_j' q_k' + Q_grav_i, [M2018] (86)."""
    system = SystemMatrices(model, joint_jet)
    q, qd, qdd = system.tree.at_least(3).jet[:3]
    symbols = christoffel_symbols(model, q, form)
    return system.mass_matrix @ qdd + symbols @ qd @ qd + system.gravity_forces


_Term = Callable[[int, int, int, int], ScalarArray]


def _brackets(tree: Tree, columns: ScalarArray) -> _Term:
    """Return the terms of [M2018] (87) with the third one between the joints j and k."""

    def term(body: int, i: int, j: int, k: int) -> ScalarArray:
        inertia, column = tree.model.inertias[body], columns[body]
        low, high = sorted((j, k))
        return (
            column[k] @ inertia @ twist_cross(column[i]) @ column[j]
            + column[j] @ inertia @ twist_cross(column[i]) @ column[k]
            + column[i] @ inertia @ twist_cross(column[low]) @ column[high]
        ) / 2

    return term


def _matrices(tree: Tree, columns: ScalarArray) -> _Term:
    """Return tr(hat(J_i) P (hat(J_lo) hat(J_hi))^T), P the pseudo-inertia."""
    moments = [pseudo_inertia(inertia) for inertia in tree.model.inertias]

    def term(body: int, i: int, j: int, k: int) -> ScalarArray:
        low, high = sorted((j, k))
        first, second, third = (hat(columns[body, c]) for c in (i, low, high))
        return np.trace(first @ moments[body] @ (second @ third).T)

    return term


def _binet(tree: Tree, columns: ScalarArray) -> _Term:
    """Return w_lo^T vartheta (w_hi × w_i) + m v_i . (w_lo × v_hi), at the centre of mass."""
    at_centre = np.zeros(columns.shape, tree.dtype)
    vartheta = []
    for body, inertia in enumerate(tree.model.inertias):
        mass = inertia[5, 5]
        centre = vee(inertia[:3, 3:]) / mass if mass else np.zeros(3, inertia.dtype)
        centred = adjoint_inverse(pose(np.eye(3, dtype=centre.dtype), centre))
        at_centre[body] = columns[body] @ centred.T
        theta = inertia[:3, :3] + mass * skew(centre) @ skew(centre)
        vartheta.append(np.trace(theta) / 2 * np.eye(3, dtype=theta.dtype) - theta)

    def term(body: int, i: int, j: int, k: int) -> ScalarArray:
        low, high = sorted((j, k))
        (w_i, v_i), (w_low, _), (w_high, v_high) = (
            (column[:3], column[3:]) for column in at_centre[body, [i, low, high]]
        )
        mass = tree.model.inertias[body, 5, 5]
        turning = w_low @ vartheta[body] @ np.cross(w_high, w_i)
        return turning + mass * v_i @ np.cross(w_low, v_high)

    return term


_FORMS: dict[Form, Callable[[Tree, ScalarArray], _Term]] = {
    'brackets': _brackets,
    'matrices': _matrices,
    'binet': _binet,
}
