# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Newton-Euler equations at the centre of mass, in axes of the body, of the base, or of both.

[M2018] (45) to (51), (59). With the velocity of the centre in base axes they are decoupled.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie.scalars import ScalarArray


def wrench(inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray) -> ScalarArray:
    """
    Return the wrench ON the body that causes a motion: W = M_c V_c' - ad_w^T M_c V_c.

    [M2018] (45) to (47).

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
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.center_of_mass import wrench
    >>> wrench(2 * np.eye(6), np.zeros(6), np.eye(6)[3])
    array([0., 0., 0., 2., 0., 0.])
    """
    result: ScalarArray = inertia @ twist_rate
    moving = inertia @ twist  # each part turns with the frame
    turning = np.concatenate((np.cross(twist[:3], moving[:3]), np.cross(twist[:3], moving[3:])))
    return result + turning


def hybrid_wrench(
    inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray
) -> ScalarArray:
    """
    Return the wrench in base axes, W = M_c V_c' + ad_w M_c (w; 0): [M2018] (48) to (51).

    The print of (51) has m r_c' in place of m r_c''.

    Parameters
    ----------
    inertia : (6, 6) ndarray
        M_c^h = diag(R Theta_c R^T, m I), about the centre of mass in base axes [kg m^2, kg].
    twist, twist_rate : (6,) ndarray
        V_c^h = (w; r_c') in base axes and its derivative [rad/s; m/s, per s].

    Returns
    -------
    (6,) ndarray
        In base axes, torque about the centre of mass [N m; N].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.center_of_mass import hybrid_wrench
    >>> hybrid_wrench(2 * np.eye(6), np.zeros(6), np.eye(6)[3])
    array([0., 0., 0., 2., 0., 0.])
    """
    result: ScalarArray = inertia @ twist_rate
    w = twist[:3]
    result[:3] += np.cross(w, inertia[:3, :3] @ w)
    return result


def mixed_wrench(inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray) -> ScalarArray:
    """
    Return the torque in axes of the body and the force in base axes: [M2018] (59).

    Parameters
    ----------
    inertia : (6, 6) ndarray
        M_c = diag(Theta_c, m I) in axes of the body at its centre of mass [kg m^2, kg].
    twist, twist_rate : (6,) ndarray
        (R^T w; r_c'), the velocity of the centre in base axes, and its derivative.

    Returns
    -------
    (6,) ndarray
        [N m; N]

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.center_of_mass import mixed_wrench
    >>> mixed_wrench(2 * np.eye(6), np.zeros(6), np.eye(6)[3])
    array([0., 0., 0., 2., 0., 0.])
    """
    return hybrid_wrench(inertia, twist, twist_rate)  # m I is the same in all axes
