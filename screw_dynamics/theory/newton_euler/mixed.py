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
    Return the wrench ON the body that causes a motion.

    Parameters
    ----------
    inertia : (6, 6) ndarray
        M in the body frame [kg m^2, kg m, kg].
    rotation : (3, 3) ndarray
        R of the body.
    twist, twist_rate : (6,) ndarray
        V^m = (R^T w; r') and its derivative [rad/s; m/s, per s].

    Returns
    -------
    (6,) ndarray
        Torque about the body's origin in body axes, force in base axes [N m; N].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.mixed import wrench
    >>> wrench(2 * np.eye(6), np.eye(3), np.zeros(6), np.eye(6)[3])
    array([0., 0., 0., 2., 0., 0.])
    """
    theta, arm, mass = inertia[:3, :3], vee(inertia[:3, 3:]), inertia[5, 5]
    w, w_rate, acceleration = twist[:3], twist_rate[:3], twist_rate[3:]
    torque = theta @ w_rate + np.cross(w, theta @ w) + np.cross(arm, rotation.T @ acceleration)
    turning = np.cross(w_rate, arm) + np.cross(w, np.cross(w, arm))
    return np.concatenate((torque, mass * acceleration + rotation @ turning))
