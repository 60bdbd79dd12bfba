# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Newton-Euler equations measured in one frame and resolved in another.

[M2018] (60) to (65), corrected. The body-fixed form is j = k = body, the spatial form j = k =
base, the hybrid form j = body and k = base axes.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie import twist_cross, wrench_cross
from screw_dynamics.lie.scalars import ScalarArray


def wrench_in_moving_frame(
    inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray, frame_twist: ScalarArray
) -> ScalarArray:
    """
    Return the wrench ON the body in a frame j that moves in any way, [M2018] (61), (62).

    jM (jV_i' + ad_{jV_j} jV_i) - ad_{jV_i}^T jM jV_i, with all quantities in frame j.

    Parameters
    ----------
    inertia : (6, 6) ndarray
        jM = Ad_{C_j}^T M^s Ad_{C_j} of the body.
    twist, twist_rate : (6,) ndarray
        jV_i = Ad_{C_j}^-1 V^s_i and the derivative of these components.
    frame_twist : (6,) ndarray
        jV_j, body-fixed twist of the frame.

    Returns
    -------
    (6,) ndarray
        jW = Ad_{C_j}^T W^s [N m; N].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.arbitrary_frame import wrench_in_moving_frame
    >>> wrench_in_moving_frame(np.eye(6), np.zeros(6), np.eye(6)[3], np.zeros(6))
    array([0., 0., 0., 1., 0., 0.])
    """
    rate = twist_rate + twist_cross(frame_twist) @ twist
    return inertia @ rate + wrench_cross(twist) @ inertia @ twist


def wrench_resolved(
    inertia: ScalarArray,
    twist: ScalarArray,
    twist_rate: ScalarArray,
    frame_twist: ScalarArray,
    relative_angular_velocity: ScalarArray,
) -> ScalarArray:
    """
    Return the wrench ON the body, measured at the origin of frame j, in axes of a frame k.

    [M2018] (63) to (65). The print multiplies the inertia by the transposed rotations and takes
    the angular velocity of frame k itself; the one relative to frame j is right.

    Parameters
    ----------
    inertia : (6, 6) ndarray
        kM = Ad_{R_kj} jM Ad_{R_kj}^T.
    twist, twist_rate : (6,) ndarray
        kV_i = Ad_{R_kj} jV_i and the derivative of these components.
    frame_twist : (6,) ndarray
        kV_j = Ad_{R_kj} jV_j.
    relative_angular_velocity : (3,) ndarray
        Of frame k relative to frame j, in axes of k [rad/s].

    Returns
    -------
    (6,) ndarray
        kW = Ad_{R_kj} jW [N m; N].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.arbitrary_frame import wrench_resolved
    >>> wrench_resolved(np.eye(6), np.zeros(6), np.eye(6)[3], np.zeros(6), np.zeros(3))
    array([0., 0., 0., 1., 0., 0.])
    """
    turning = np.concatenate((relative_angular_velocity, 0 * relative_angular_velocity))
    return wrench_in_moving_frame(inertia, twist, twist_rate, frame_twist + turning)
