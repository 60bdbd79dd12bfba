# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Mass matrix of bodies in their places, a step of kernels that solve for accelerations."""

from screw_dynamics.kernels.tree.composite_inertia import (
    add_to_parent,
    apply_inertia,
    dot,
    shift_wrench,
)
from screw_dynamics.kernels.tree.layout import COORDINATE, MULTIPLIER, PARENT


def add_mass_matrix(tree, bodies, placed, wrench, matrix):
    """Add the mass matrix of one sample to `matrix`; the inertias become composite."""
    screws, from_parent = placed.screws, placed.from_parent
    for i in range(bodies.shape[0] - 1, -1, -1):
        row = tree[i, COORDINATE]
        apply_inertia(placed.mass[i], placed.first[i], placed.second[i], screws[i], wrench)
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
            add_to_parent(i, tree[i, PARENT], placed)
