# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint-space mass matrix by composite rigid bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_samples, raise_not_finite
from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.tree.composite_bodies import (
    COMPOSITE_HELPERS,
    add_to_parent,
    apply_inertia,
    body_arrays,
    dot,
    set_inertia,
    set_screw,
    shift_wrench,
)
from screw_dynamics.kernels.tree.forward_kinematics import all_finite, place_body
from screw_dynamics.kinematics.axis_frames import COORDINATE, MULTIPLIER, PARENT, axis_frames

if TYPE_CHECKING:
    from screw_dynamics.model import ScrewModel


def mass_matrix(model: ScrewModel, q: ArrayLike) -> Array:
    """
    Return the mass matrix M of the kinetic energy q'^T M q' / 2.

    M = J^T blkdiag(M_i) J [MK2021, (20)], evaluated by the composite-rigid-body algorithm
    [F2008, section 6.2] in O(n d) for depth d, with mimic joints reduced as G^T M G.

    Parameters
    ----------
    model : ScrewModel
    q : (n,) or (T, n) array_like
        Coordinates [rad or m].

    Returns
    -------
    (n, n) or (T, n, n) ndarray
        Exactly symmetric [kg m^2, kg m, kg]; rotor inertia is not included.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    References
    ----------
    [MK2021] A. Mueller, S. Kumar, Closed-form time derivatives of the equations of motion of
    rigid body systems, Multibody System Dynamics 53, 2021.
    [F2008] R. Featherstone, Rigid Body Dynamics Algorithms, Springer, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [link])
    >>> sd.mass_matrix(pendulum, [0.3])
    array([[0.5]])

    """
    frames = axis_frames(model)
    samples, single = as_samples('q', q, model.n)
    matrices = np.empty((len(samples), model.n, model.n))
    if not _KERNEL(samples, frames.tree, frames.bodies, matrices):
        raise_not_finite(matrices, single, q=q)
    return matrices[0] if single else matrices


def add_mass_matrix(tree, bodies, steps, screws, mass, first, second, wrench, matrix):
    """
    Add the mass matrix of one sample to `matrix`; the inertias become composite.

    `wrench` (6,) is workspace.
    """
    for i in range(bodies.shape[0] - 1, -1, -1):
        row = tree[i, COORDINATE]
        apply_inertia(mass[i], first[i], second[i], screws[i], wrench)
        matrix[row, row] += bodies[i, MULTIPLIER] ** 2 * dot(screws[i], wrench)
        shift_wrench(steps[i], wrench)
        j = tree[i, PARENT]
        while j >= 0:
            column = tree[j, COORDINATE]
            entry = bodies[i, MULTIPLIER] * bodies[j, MULTIPLIER] * dot(screws[j], wrench)
            # both triangles, also if a joint mimics its own ancestor
            matrix[row, column] += entry
            matrix[column, row] += entry
            shift_wrench(steps[j], wrench)
            j = tree[j, PARENT]
        if tree[i, PARENT] >= 0:
            add_to_parent(i, tree[i, PARENT], steps, mass, first, second)


def _mass_matrices(q, tree, bodies, matrices):
    """Set the mass matrix of every sample; return False if any is not finite."""
    count = bodies.shape[0]
    rotations, steps, screws, mass, first, second = body_arrays(count)
    wrench = np.empty(6)
    for t in range(q.shape[0]):
        if not all_finite(q[t]):
            return False
        for i in range(count):
            place_body(i, q[t], tree, bodies, rotations, steps)
            set_inertia(i, bodies, rotations, mass, first, second)
            set_screw(i, bodies, rotations, screws)
        matrices[t] = 0.0
        add_mass_matrix(tree, bodies, steps, screws, mass, first, second, wrench, matrices[t])
        if not all_finite(matrices[t].ravel()):
            return False
    return True


_KERNEL = Kernel(
    _mass_matrices,
    f'boolean({read_only(2)}, {read_only(2, "int64")}, {read_only(2)}, float64[:, :, ::1])',
    helpers=(place_body, all_finite, add_mass_matrix, *COMPOSITE_HELPERS),
)
