# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Gravity efforts of many samples from composite masses and first moments."""

import numpy as np

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.tree.forward_kinematics import all_finite, forward_kinematics_step
from screw_dynamics.kernels.tree.layout import (
    COORDINATE,
    FIRST_MOMENT,
    MASS,
    MULTIPLIER,
    PARENT,
    ROTATION,
    TRANSLATION,
)


def _gravity_efforts(q, tree, bodies, gravity, forces):
    """Set the gravity efforts of every sample; return False if any is not finite."""
    count = bodies.shape[0]
    rotations, from_parent = np.empty((count, 3, 3)), np.empty((count, 3))
    mass, first = np.empty(count), np.empty((count, 3))
    gx, gy, gz = gravity[0], gravity[1], gravity[2]
    for t in range(q.shape[0]):
        if not all_finite(q[t]):
            return False
        for i in range(count):
            forward_kinematics_step(i, q[t], tree, bodies, rotations, from_parent)
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
            work = bodies[i, ROTATION] * torque + bodies[i, TRANSLATION] * force
            forces[t, tree[i, COORDINATE]] -= bodies[i, MULTIPLIER] * work
            if parent >= 0:
                for a in range(3):
                    first[parent, a] += first[i, a] + mass[i] * from_parent[i, a]
                mass[parent] += mass[i]
        if not all_finite(forces[t]):
            return False
    return True


gravity_efforts = Kernel(
    _gravity_efforts,
    f'boolean({read_only(2)}, {read_only(2, "int64")}, {read_only(2)}, {read_only(1)}, '
    'float64[:, ::1])',
)
