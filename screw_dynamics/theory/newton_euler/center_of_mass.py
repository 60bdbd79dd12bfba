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
    Return the wrench W = M_c V_c' - ad_w^T M_c V_c in axes of the body: [M2018] (45) to (47).

    M_c = diag(Theta_c, m I) and V_c = (w; velocity of the centre) are in these axes.
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

    M_c^h = diag(R Theta_c R^T, m I) and V_c^h = (w; r_c') are in base axes. The print of (51) has
    m r_c' in place of m r_c''.
    """
    result: ScalarArray = inertia @ twist_rate
    w = twist[:3]
    result[:3] += np.cross(w, inertia[:3, :3] @ w)
    return result


def mixed_wrench(inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray) -> ScalarArray:
    """
    Return the torque in axes of the body and the force in base axes: [M2018] (59).

    M_c = diag(Theta_c, m I) is in axes of the body, the twist is (R^T w; r_c').
    """
    return hybrid_wrench(inertia, twist, twist_rate)  # m I is the same in all axes
