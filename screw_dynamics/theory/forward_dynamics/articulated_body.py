# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Forward dynamics by articulated bodies: accelerations in linear time [F2008, chapter 7].

The inertia that a subtree shows at its root, when its joints move freely, is found from the leaves
to the root. Joints that mimic others close the tree and are not covered; `any_order` covers them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import InputError
from screw_dynamics.lie import twist_cross, wrench_cross
from screw_dynamics.lie.scalars import ScalarArray, dtype
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.theory.kinematics.body_fixed import twist_jets
from screw_dynamics.theory.tree import Tree, as_row, require_model


def forward_dynamics(
    model: ScrewModel, q: ArrayLike, qd: ArrayLike, efforts: ArrayLike
) -> ScalarArray:
    """Return the joint accelerations (n,) that efforts cause; mimic joints raise InputError."""
    n = require_model(model).n
    tree = Tree(model, np.stack([as_row('q', q, n), as_row('qd', qd, n)]))
    if tree.count != n:
        raise InputError('model: expected one without mimic joints, got joints that mimic others')
    tau = as_row('efforts', efforts, n)[model.coordinates] * model.multipliers
    twists = twist_jets(tree)[:, 0]
    inertias = [inertia.astype(tree.dtype) for inertia in model.inertias]
    biases = [
        wrench_cross(v) @ inertia @ v for v, inertia in zip(twists, model.inertias, strict=True)
    ]
    # V_i' = Ad V_p' + c_i + X_i s_i'', [M2018] (67)
    drifts = [
        -rate * twist_cross(x) @ v
        for rate, x, v in zip(tree.joints[1], model.screws, twists, strict=True)
    ]
    at_joint = []  # X^T I, X^T I X, tau - X^T p
    for i in reversed(range(tree.count)):
        screw = model.screws[i]
        row = screw @ inertias[i]
        own = row @ screw
        free = tau[i] - screw @ biases[i]
        at_joint.append((row, own, free))
        p = model.parents[i]
        if p >= 0:
            seen = inertias[i] - np.outer(row, row) / own
            transform = tree.transforms[i]
            inertias[p] = inertias[p] + transform.T @ seen @ transform
            pushed = biases[i] + seen @ drifts[i] + row * free / own
            biases[p] = biases[p] + transform.T @ pushed
    at_joint.reverse()
    accelerations: list[ScalarArray] = []
    result = np.zeros(n, dtype(tree.jet, tau))
    for i, p in enumerate(model.parents):
        row, own, free = at_joint[i]
        carried = tree.transforms[i] @ (accelerations[p] if p >= 0 else tree.G) + drifts[i]
        joint = (free - row @ carried) / own
        accelerations.append(carried + model.screws[i] * joint)
        result[model.coordinates[i]] = joint / model.multipliers[i]
    return result
