# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint forces of a motion without joint accelerations, C q' + Q_grav."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_equal_samples, raise_not_finite
from screw_dynamics.dynamics.composite_bodies import (
    COMPOSITE_HELPERS,
    apply_inertia,
    dot,
    set_inertia,
    set_screw,
    shift_wrench,
)
from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kinematics.axis_frames import (
    COORDINATE,
    MULTIPLIER,
    PARENT,
    axis_frames,
)
from screw_dynamics.kinematics.place_body import all_finite, place_body

if TYPE_CHECKING:
    from screw_dynamics.model import ScrewModel


def bias_forces(model: ScrewModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """
    Return the joint forces C(q, q') q' + Q_grav(q), all that is left where q'' = 0.

    Newton-Euler recursion in base-link axes with the bodies' own origins (the hybrid
    representation, [M2018, (76), (77)]), O(n).

    Parameters
    ----------
    model : ScrewModel
    q : (n,) or (T, n) array_like
        Coordinates [rad or m].
    qd : (n,) or (T, n) array_like
        Their rates [rad/s or m/s].

    Returns
    -------
    (n,) or (T, n) ndarray
        [N m or N]

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    References
    ----------
    [M2018] A. Mueller, Screw and Lie group theory in multibody dynamics, Multibody System
    Dynamics 42, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.bias_forces(pendulum, [0.0], [3.0])
    array([9.81])

    """
    (positions, rates), single = as_equal_samples(model.n, q=q, qd=qd)
    frames = axis_frames(model)
    forces = np.empty((len(positions), model.n))
    if not _KERNEL(positions, rates, frames.tree, frames.bodies, frames.gravity, forces):
        raise_not_finite(q=q, qd=qd)
    return forces[0] if single else forces


def add_bias_forces(
    qd, tree, bodies, gravity, steps, screws, mass, first, second, rates, accelerations, wrenches,
    forces,
):  # fmt: skip
    """
    Add the bias forces of one sample to zeros.

    Parameters
    ----------
    qd : (n,) ndarray
        Rates of the coordinates.
    tree, bodies, gravity : ndarray
        See `AxisFrames`.
    steps, screws, mass, first, second : ndarray
        Placed by `place_body`, `set_screw` and `set_inertia` (bodies alone, not composite).
    rates, accelerations, wrenches : (N, 3), (N, 6), (N, 6) ndarray
        Workspace.
    forces : (n,) ndarray

    """
    count = bodies.shape[0]
    for i in range(count):
        rate = bodies[i, MULTIPLIER] * qd[tree[i, COORDINATE]]
        _set_acceleration(i, rate, tree, gravity, steps, screws, rates, accelerations)
        _set_wrench(mass[i], first[i], second[i], rates[i], accelerations[i], wrenches[i])
    for i in range(count - 1, -1, -1):
        parent = tree[i, PARENT]
        forces[tree[i, COORDINATE]] += bodies[i, MULTIPLIER] * dot(screws[i], wrenches[i])
        if parent >= 0:
            shift_wrench(steps[i], wrenches[i])
            for a in range(6):
                wrenches[parent, a] += wrenches[i, a]


def _set_acceleration(i, rate, tree, gravity, steps, screws, rates, accelerations):
    """Set angular velocity w, angular acceleration and acceleration of the origin of body i."""
    parent = tree[i, PARENT]
    w, screw, d, acceleration = rates[i], screws[i], steps[i], accelerations[i]
    if parent < 0:
        w[:] = 0.0
        acceleration[:3] = 0.0
        # weight as an upward acceleration of the base
        acceleration[3:] = -gravity
    else:
        w[:] = rates[parent]
        acceleration[:] = accelerations[parent]
    along = w[0] * d[0] + w[1] * d[1] + w[2] * d[2]
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        # w' × d + w × (w × d), and the Coriolis acceleration along the joint
        acceleration[3 + a] += acceleration[b] * d[c] - acceleration[c] * d[b]
        acceleration[3 + a] += w[a] * along - square * d[a]
        acceleration[3 + a] += 2.0 * rate * (w[b] * screw[3 + c] - w[c] * screw[3 + b])
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        acceleration[a] += rate * (w[b] * screw[c] - w[c] * screw[b])
    for a in range(3):
        w[a] += rate * screw[a]


def _set_wrench(m, h, second, w, acceleration, wrench):
    """Set the wrench that gives one body its acceleration (M2018, (54)-(56))."""
    apply_inertia(m, h, second, acceleration, wrench)
    along = w[0] * h[0] + w[1] * h[1] + w[2] * h[2]
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    sx = second[0, 0] * w[0] + second[0, 1] * w[1] + second[0, 2] * w[2]
    sy = second[1, 0] * w[0] + second[1, 1] * w[1] + second[1, 2] * w[2]
    sz = second[2, 0] * w[0] + second[2, 1] * w[1] + second[2, 2] * w[2]
    # w × Theta w = S w × w, as Theta = tr(S) I - S
    wrench[0] += sy * w[2] - sz * w[1]
    wrench[1] += sz * w[0] - sx * w[2]
    wrench[2] += sx * w[1] - sy * w[0]
    for a in range(3):
        wrench[3 + a] += w[a] * along - square * h[a]


def _bias_forces(q, qd, tree, bodies, gravity, forces):
    """Set the bias forces of every sample; False at a sample that is not finite."""
    count = bodies.shape[0]
    rotations, steps, screws = np.empty((count, 3, 3)), np.empty((count, 3)), np.empty((count, 6))
    mass, first, second = np.empty(count), np.empty((count, 3)), np.empty((count, 3, 3))
    rates, accelerations = np.empty((count, 3)), np.empty((count, 6))
    wrenches = np.empty((count, 6))
    for t in range(q.shape[0]):
        if not (all_finite(q[t]) and all_finite(qd[t])):
            return False
        for i in range(count):
            place_body(i, q[t], tree, bodies, rotations, steps)
            set_inertia(i, bodies, rotations, mass, first, second)
            set_screw(i, bodies, rotations, screws)
        forces[t] = 0.0
        add_bias_forces(
            qd[t], tree, bodies, gravity, steps, screws, mass, first, second,
            rates, accelerations, wrenches, forces[t],
        )  # fmt: skip
    return True


BIAS_HELPERS = (
    place_body,
    all_finite,
    add_bias_forces,
    _set_acceleration,
    _set_wrench,
    *COMPOSITE_HELPERS,
)

_KERNEL = Kernel(
    _bias_forces,
    f'boolean({read_only(2)}, {read_only(2)}, {read_only(2, "int64")}, {read_only(2)}, '
    f'{read_only(1)}, float64[:, ::1])',
    helpers=BIAS_HELPERS,
)
