# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler equations in a body-fixed frame at the centre of mass: M(45) to M(47)."""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie.scalars import ScalarArray


def wrench(inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray) -> ScalarArray:
    """
    Return the wrench ON the body that causes a motion: W = M_c V_c' - ad_w^T M_c V_c.

    Parameters
    ----------
    inertia : (6, 6) ndarray
        M_c = diag(Theta_c, m I) in axes of the body at its centre of mass [kg m^2, kg].
    twist, twist_rate : (6,) ndarray
        V_c = (w; velocity of the centre), in these axes, and its derivative [rad/s; m/s, per s].

    Returns
    -------
    (6,) ndarray
        Components in these axes, torque about the centre of mass [N m; N].

    Examples
    --------
    >>> wrench(2 * np.eye(6), np.zeros(6), np.eye(6)[3])
    array([0., 0., 0., 2., 0., 0.])
    """
    result: ScalarArray = inertia @ twist_rate
    moving = inertia @ twist  # each part turns with the frame
    turning = np.concatenate((np.cross(twist[:3], moving[:3]), np.cross(twist[:3], moving[3:])))
    return result + turning
