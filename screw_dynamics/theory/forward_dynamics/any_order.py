# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Joint accelerations and their derivatives from efforts and theirs, by [KM2021] (48), (49).

Q^(k) is affine in q^(k + 2), and its matrix is the mass matrix:

    q^(k + 2) = M^-1 (Q^(k) - Q^(k) at q^(k + 2) = 0)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import ShapeError
from screw_dynamics.lie.scalars import ScalarArray, dtype, solve
from screw_dynamics.model.screw_model import ScrewModel, as_wrench_jets
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.inverse_dynamics import body_fixed
from screw_dynamics.theory.tree import as_row, as_scalars, require_model


def forward_dynamics(
    model: ScrewModel,
    q: ArrayLike,
    qd: ArrayLike,
    effort_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *,
    wrench_representation: str = 'body',
) -> ScalarArray:
    """
    Return the joint jet (k + 3, n) that efforts and their time derivatives (k + 1, n) cause.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.theory.forward_dynamics.any_order import forward_dynamics
    >>> wheel = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.eye(6)])
    >>> forward_dynamics(wheel, [0.3], [1.0], [[2.0], [4.0]]).ravel()
    array([0.3, 1. , 2. , 4. ])
    """
    efforts = as_scalars('effort_jet', effort_jet)
    n = require_model(model).n
    if efforts.ndim != 2 or not len(efforts) or efforts.shape[1] != n:
        raise ShapeError('effort_jet', f'(k + 1, {n})', efforts.shape)
    state = [as_row('q', q, n), as_row('qd', qd, n)]
    wrenches = as_wrench_jets(model, wrench_jets, efforts.shape, as_scalars)
    jet = np.zeros((len(efforts) + 2, n), dtype(*state, efforts, *wrenches.values()))
    jet[:2] = state
    mass = SystemMatrices(model, jet[:2]).mass_matrix
    for k in range(len(efforts)):
        loads = {name: wrench[: k + 1] for name, wrench in wrenches.items()}
        without = body_fixed.inverse_dynamics(
            model, jet[: k + 3], loads, wrench_representation=wrench_representation
        )[k]
        jet[k + 2] = solve(mass, efforts[k] - without)
    return jet
