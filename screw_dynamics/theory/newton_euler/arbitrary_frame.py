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
    Return the wrench jW = Ad_{C_j}^T W^s in a frame j that moves in any way, [M2018] (61), (62).

    jM (jV_i' + ad_{jV_j} jV_i) - ad_{jV_i}^T jM jV_i, with all quantities in frame j: jM =
    Ad_{C_j}^T M^s Ad_{C_j}, jV_i = Ad_{C_j}^-1 V^s_i with the derivative of these components, and
    the body-fixed twist jV_j of the frame.
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
    Return the wrench kW = Ad_{R_kj} jW, measured at the origin of frame j, in axes of a frame k.

    The arguments are kM = Ad_{R_kj} jM Ad_{R_kj}^T, kV_i = Ad_{R_kj} jV_i with the derivative of
    these components, kV_j = Ad_{R_kj} jV_j, and the angular velocity of frame k relative to frame
    j, in axes of k. [M2018] (63) to (65). The print multiplies the inertia by the transposed
    rotations and takes the angular velocity of frame k itself; the one relative to frame j is
    right.
    """
    turning = np.concatenate((relative_angular_velocity, 0 * relative_angular_velocity))
    return wrench_in_moving_frame(inertia, twist, twist_rate, frame_twist + turning)
