# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint efforts that keep a robot at rest against gravity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_samples, raise_not_finite
from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.tree.forward_kinematics import all_finite, place_body
from screw_dynamics.kinematics.axis_frames import (
    COORDINATE,
    FIRST_MOMENT,
    MASS,
    MULTIPLIER,
    PARENT,
    TRAVEL,
    TURN,
    axis_frames,
)

if TYPE_CHECKING:
    from screw_dynamics.model import ScrewModel


def gravity_forces(model: ScrewModel, q: ArrayLike) -> Array:
    """
    Return the joint efforts Q_grav that keep the robot at rest: the gradient of its potential.

    Q_grav = -J^T stack(M_i Ad_{C_i}^-1 (0; g)) [MK2021, (25), (26)], computed from the mass and
    first moment of the bodies that each joint moves, O(n).

    Parameters
    ----------
    model : ScrewModel
    q : (n,) or (T, n) array_like
        Coordinates [rad or m].

    Returns
    -------
    (n,) or (T, n) ndarray
        [N m or N]

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    References
    ----------
    [MK2021] A. Mueller, S. Kumar, Closed-form time derivatives of the equations of motion of
    rigid body systems, Multibody System Dynamics 53, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.gravity_forces(pendulum, [0.0])
    array([9.81])

    """
    frames = axis_frames(model)
    samples, single = as_samples('q', q, model.n)
    forces = np.empty((len(samples), model.n))
    if not _KERNEL(samples, frames.tree, frames.bodies, frames.gravity, forces):
        raise_not_finite(forces, single, q=q)
    return forces[0] if single else forces


def _gravity_forces(q, tree, bodies, gravity, forces):
    """Set the gravity efforts of every sample; return False if any is not finite."""
    count = bodies.shape[0]
    rotations, steps = np.empty((count, 3, 3)), np.empty((count, 3))
    mass, first = np.empty(count), np.empty((count, 3))
    gx, gy, gz = gravity[0], gravity[1], gravity[2]
    for t in range(q.shape[0]):
        if not all_finite(q[t]):
            return False
        for i in range(count):
            place_body(i, q[t], tree, bodies, rotations, steps)
            mass[i] = bodies[i, MASS]
            for a in range(3):
                first[i, a] = (
                    rotations[i, a, 0] * bodies[i, FIRST_MOMENT]
                    + rotations[i, a, 1] * bodies[i, FIRST_MOMENT + 1]
                    + rotations[i, a, 2] * bodies[i, FIRST_MOMENT + 2]
                )
        forces[t] = 0.0
        for i in range(count - 1, -1, -1):
            parent = tree[i, PARENT]
            x, y, z = rotations[i, 0, 2], rotations[i, 1, 2], rotations[i, 2, 2]
            u, v, w = first[i, 0], first[i, 1], first[i, 2]
            # work of gravity per unit of the joint variable: e . (h × g) and m e . g
            torque = x * (v * gz - w * gy) + y * (w * gx - u * gz) + z * (u * gy - v * gx)
            force = mass[i] * (x * gx + y * gy + z * gz)
            work = bodies[i, TURN] * torque + bodies[i, TRAVEL] * force
            forces[t, tree[i, COORDINATE]] -= bodies[i, MULTIPLIER] * work
            if parent >= 0:
                for a in range(3):
                    first[parent, a] += first[i, a] + mass[i] * steps[i, a]
                mass[parent] += mass[i]
        if not all_finite(forces[t]):
            return False
    return True


_KERNEL = Kernel(
    _gravity_forces,
    f'boolean({read_only(2)}, {read_only(2, "int64")}, {read_only(2)}, {read_only(1)}, '
    'float64[:, ::1])',
    helpers=(place_body, all_finite),
)
