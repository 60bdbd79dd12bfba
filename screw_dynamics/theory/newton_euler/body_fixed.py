# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Newton-Euler equations in the body frame: W = M V' - ad_V^T M V.

[M2018] (42) to (44), [KM2021] (13).
"""

from __future__ import annotations

from screw_dynamics.lie import wrench_cross
from screw_dynamics.lie.scalars import ScalarArray


def wrench(inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray) -> ScalarArray:
    """
    Return the wrench ON the body that causes a motion.

    Parameters
    ----------
    inertia : (6, 6) ndarray
        M in the body frame [kg m^2, kg m, kg].
    twist, twist_rate : (6,) ndarray
        V^b and its derivative [rad/s; m/s, per s].

    Returns
    -------
    (6,) ndarray
        Body-fixed components [N m; N].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.body_fixed import wrench
    >>> wrench(2 * np.eye(6), np.zeros(6), np.eye(6)[3])
    array([0., 0., 0., 2., 0., 0.])
    """
    return inertia @ twist_rate + wrench_cross(twist) @ momentum(inertia, twist)


def momentum(inertia: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """
    Return the momentum Pi = M V; W = Pi' - ad_V^T Pi, [M2018] (42).

    Parameters
    ----------
    inertia : (6, 6) ndarray
    twist : (6,) ndarray

    Returns
    -------
    (6,) ndarray
        Angular momentum about the origin, momentum [N m s; N s].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.body_fixed import momentum
    >>> momentum(2 * np.eye(6), np.eye(6)[3])
    array([0., 0., 0., 2., 0., 0.])
    """
    result: ScalarArray = inertia @ twist
    return result
