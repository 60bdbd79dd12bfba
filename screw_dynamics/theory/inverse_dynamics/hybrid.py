# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Recursive inverse dynamics in hybrid twists, of any order: [M2018] (73) to (77).

Each body is written at its origin in base axes: force = m (r + d)'', torque = (Theta w)' + m d ×
r'', with d the arm of the centre of mass and Theta the inertia about the origin.
"""

from __future__ import annotations

from math import comb

import numpy as np

from screw_dynamics.lie import skew, vee
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.series import leibniz_terms
from screw_dynamics.theory.inverse_dynamics.arguments import of_samples
from screw_dynamics.theory.kinematics.body_fixed import twist_jets
from screw_dynamics.theory.kinematics.hybrid import HybridMotion
from screw_dynamics.theory.tree import Tree
from screw_dynamics.theory.wrench_rates import hybrid_from_body


@of_samples
def inverse_dynamics(tree: Tree, external: ScalarArray) -> ScalarArray:
    """Return the joint efforts and their time derivatives up to order k."""
    rows = external.shape[1]
    motion, body_twists = HybridMotion(tree), twist_jets(tree)
    wrenches = np.zeros((tree.count, rows, 6), tree.dtype)
    efforts = np.zeros((rows, tree.count), tree.dtype)
    for i in reversed(range(tree.count)):
        rotation = tree.poses[i][:3, :3]
        wrenches[i] += _inertial(tree, i, motion.twists[i], rows)
        wrenches[i] -= hybrid_from_body(external[i], rotation, body_twists[i, :, :3])
        screw, p = motion.screws[i], tree.model.parents[i]
        efforts[:, i] = [sum(leibniz_terms(k, screw, wrenches[i])) for k in range(rows)]
        if p < 0:
            continue
        wrenches[p] += wrenches[i]
        for k in range(rows):  # the force acts with the arm rho_i
            for s in range(k + 1):
                moment = np.cross(motion.arms[i, s], wrenches[i, k - s, 3:])
                wrenches[p, k, :3] += comb(k, s) * moment
    return efforts


def _inertial(tree: Tree, body: int, twists: ScalarArray, rows: int) -> ScalarArray:
    """Return the wrenches (rows, 6) that move a body and hold it against gravity."""
    inertia, rotation = tree.model.inertias[body], tree.poses[body][:3, :3]
    mass, gravity = inertia[5, 5], tree.model.gravity
    w, velocity = twists[:, :3], twists[:, 3:]
    arm = np.zeros((rows + 2, 3), tree.dtype)  # m d
    arm[0] = rotation @ vee(inertia[:3, 3:])
    theta = np.zeros((rows + 1, 3, 3), tree.dtype)
    theta[0] = rotation @ inertia[:3, :3] @ rotation.T
    for k in range(rows + 1):
        for s in range(k + 1):
            arm[k + 1] += comb(k, s) * np.cross(w[s], arm[k - s])
            if k < rows:
                turning = comb(k, s) * skew(w[s]) @ theta[k - s]
                theta[k + 1] += turning + turning.T
    result = np.zeros((rows, 6), tree.dtype)
    for k in range(rows):
        result[k, :3] = -np.cross(arm[k], gravity)
        result[k, 3:] = mass * velocity[k + 1] + arm[k + 2] - (mass * gravity if k == 0 else 0.0)
        for s in range(k + 2):
            result[k, :3] += comb(k + 1, s) * theta[s] @ w[k + 1 - s]
        for s in range(k + 1):
            result[k, :3] += comb(k, s) * np.cross(arm[s], velocity[k - s + 1])
    return result
