# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Mass matrices of many samples by composite rigid bodies."""

from __future__ import annotations

import numpy as np

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.tree.composite_inertia import (
    add_to_parent,
    apply_inertia,
    body_arrays,
    dot,
    set_inertia,
    set_joint_axis,
    shift_wrench,
)
from screw_dynamics.kernels.tree.forward_kinematics import all_finite, forward_kinematics_step
from screw_dynamics.kernels.tree.layout import COORDINATE, MULTIPLIER, PARENT


def add_mass_matrix(tree, bodies, from_parent, screws, mass, first, second, wrench, matrix):
    """
    Add the mass matrix of one sample to `matrix`; the inertias become composite.

    `wrench` (6,) is workspace.
    """
    for i in range(bodies.shape[0] - 1, -1, -1):
        row = tree[i, COORDINATE]
        apply_inertia(mass[i], first[i], second[i], screws[i], wrench)
        matrix[row, row] += bodies[i, MULTIPLIER] ** 2 * dot(screws[i], wrench)
        shift_wrench(from_parent[i], wrench)
        j = tree[i, PARENT]
        while j >= 0:
            column = tree[j, COORDINATE]
            entry = bodies[i, MULTIPLIER] * bodies[j, MULTIPLIER] * dot(screws[j], wrench)
            # both triangles, also if a joint mimics its own ancestor
            matrix[row, column] += entry
            matrix[column, row] += entry
            shift_wrench(from_parent[j], wrench)
            j = tree[j, PARENT]
        if tree[i, PARENT] >= 0:
            add_to_parent(i, tree[i, PARENT], from_parent, mass, first, second)


def _mass_matrices(q, tree, bodies, matrices):
    """Set the mass matrix of every sample; return False if any is not finite."""
    count = bodies.shape[0]
    rotations, from_parent, screws, mass, first, second = body_arrays(count)
    wrench = np.empty(6)
    for t in range(q.shape[0]):
        if not all_finite(q[t]):
            return False
        for i in range(count):
            forward_kinematics_step(i, q[t], tree, bodies, rotations, from_parent)
            set_inertia(i, bodies, rotations, mass, first, second)
            set_joint_axis(i, bodies, rotations, screws)
        matrices[t] = 0.0
        add_mass_matrix(
            tree, bodies, from_parent, screws, mass, first, second, wrench, matrices[t]
        )
        if not all_finite(matrices[t].ravel()):
            return False
    return True


mass_matrices = Kernel(
    _mass_matrices,
    f'boolean({read_only(2)}, {read_only(2, "int64")}, {read_only(2)}, float64[:, :, ::1])',
)
