# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Newton-Euler equations with torque in body axes and force in base axes: [M2018] (57), (58).

t^b = Theta w^b' + w^b × Theta w^b + m c × R^T r'',
f = m (r'' + R (w^b' × c + w^b × (w^b × c))).
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie import vee
from screw_dynamics.lie.scalars import ScalarArray


def wrench(
    inertia: ScalarArray, rotation: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray
) -> ScalarArray:
    """
    Return the torque about the body's origin in body axes and the force in base axes.

    The inertia is in the body frame, the twist V^m = (R^T w; r').
    """
    theta, arm, mass = inertia[:3, :3], vee(inertia[:3, 3:]), inertia[5, 5]
    w, w_rate, acceleration = twist[:3], twist_rate[:3], twist_rate[3:]
    torque = theta @ w_rate + np.cross(w, theta @ w) + np.cross(arm, rotation.T @ acceleration)
    turning = np.cross(w_rate, arm) + np.cross(w, np.cross(w, arm))
    return np.concatenate((torque, mass * acceleration + rotation @ turning))
