# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Newton-Euler equations of one body, by the frame in which they are written (M2018 section 3).

A `..._wrench` is the wrench ON the body that causes a motion, (6,), from its inertia (6, 6), twist
and twist rate (6,) in that representation.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie import adjoint_inverse, twist_cross, vee, wrench_cross
from screw_dynamics.lie.scalars import ScalarArray, dtype


def body_fixed_wrench(
    inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray
) -> ScalarArray:
    """Return W = M V' - ad_V^T M V in the body frame: [M2018] (42) to (44), [KM2021] (13)."""
    return inertia @ twist_rate + wrench_cross(twist) @ momentum(inertia, twist)


def momentum(inertia: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """
    Return the momentum Pi = M V about the origin of the frame, in which W = Pi' - ad_V^T Pi.

    [M2018] (42); in the base frame Pi^s = M^s V^s, whose derivative is W^s: [M2018] (36), (37).
    """
    result: ScalarArray = inertia @ twist
    return result


def spatial_inertia(inertia: ScalarArray, pose: ScalarArray) -> ScalarArray:
    """Return M^s = Ad_C^-T M Ad_C^-1 of a body with the pose C, [M2018] (35)."""
    to_body = adjoint_inverse(pose)
    result: ScalarArray = to_body.T @ inertia @ to_body
    return result


def spatial_inertia_rate(inertia: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """Return M^s' = -ad_{V^s}^T M^s - M^s ad_{V^s}, [M2018] (38)."""
    half = wrench_cross(twist) @ inertia
    result: ScalarArray = half + half.T
    return result


def spatial_wrench(
    inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray
) -> ScalarArray:
    """Return W^s = (M^s V^s)' = M^s V^s' - ad_{V^s}^T M^s V^s in the base frame, [M2018] (39)."""
    return inertia @ twist_rate + wrench_cross(twist) @ inertia @ twist


def hybrid_inertia(inertia: ScalarArray, rotation: ScalarArray) -> ScalarArray:
    """Return M^h = Ad_R M Ad_R^T, [M2018] (52)."""
    turn = np.zeros((6, 6), dtype(inertia, rotation))
    turn[:3, :3] = turn[3:, 3:] = rotation
    result: ScalarArray = turn @ inertia @ turn.T
    return result


def hybrid_wrench(
    inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray
) -> ScalarArray:
    """
    Return W^h = M^h V^h' + ad_w M^h (w; 0) at the origin of the body, in base axes.

    V^h = (w; r'): [M2018] (54) to (56). In terms of momentum W^h = Pi^h' + (r' × p; 0): the print
    of [M2018] (53) lacks the last term, which vanishes only at the centre of mass.
    """
    turning = twist.copy()
    turning[3:] = 0
    return inertia @ twist_rate + twist_cross(turning) @ inertia @ turning


def mixed_wrench(
    inertia: ScalarArray, rotation: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray
) -> ScalarArray:
    """
    Return the torque about the origin of the body in its axes, and the force in base axes.

    t^b = Theta w^b' + w^b × Theta w^b + m c × R^T r'',
    f = m (r'' + R (w^b' × c + w^b × (w^b × c))): [M2018] (57), (58). The inertia is in the body
    frame, the twist V^m = (R^T w; r').
    """
    theta, arm, mass = inertia[:3, :3], vee(inertia[:3, 3:]), inertia[5, 5]
    w, w_rate, acceleration = twist[:3], twist_rate[:3], twist_rate[3:]
    torque = theta @ w_rate + np.cross(w, theta @ w) + np.cross(arm, rotation.T @ acceleration)
    turning = np.cross(w_rate, arm) + np.cross(w, np.cross(w, arm))
    return np.concatenate((torque, mass * acceleration + rotation @ turning))


def central_wrench(
    inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray
) -> ScalarArray:
    """
    Return W = M_c V_c' - ad_w^T M_c V_c at the centre of mass, in axes of the body.

    [M2018] (45) to (47). M_c = diag(Theta_c, m I) and V_c = (w; velocity of the centre) are in
    these axes.
    """
    result: ScalarArray = inertia @ twist_rate
    moving = inertia @ twist  # each part turns with the frame
    turning = np.concatenate((np.cross(twist[:3], moving[:3]), np.cross(twist[:3], moving[3:])))
    return result + turning


def central_hybrid_wrench(
    inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray
) -> ScalarArray:
    """
    Return W = M_c V_c' + ad_w M_c (w; 0) at the centre of mass, in base axes: decoupled.

    [M2018] (48) to (51). M_c^h = diag(R Theta_c R^T, m I) and V_c^h = (w; r_c') are in base axes.
    The print of (51) has m r_c' in place of m r_c''.
    """
    result: ScalarArray = inertia @ twist_rate
    w = twist[:3]
    result[:3] += np.cross(w, inertia[:3, :3] @ w)
    return result


def central_mixed_wrench(
    inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray
) -> ScalarArray:
    """
    Return the torque at the centre of mass in axes of the body, and the force in base axes.

    [M2018] (59). M_c = diag(Theta_c, m I) is in axes of the body, the twist is (R^T w; r_c').
    """
    return central_hybrid_wrench(inertia, twist, twist_rate)  # m I is the same in all axes


def wrench_in_moving_frame(
    inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray, frame_twist: ScalarArray
) -> ScalarArray:
    """
    Return the wrench jW = Ad_{C_j}^T W^s in a frame j that moves in any way.

    jM (jV_i' + ad_{jV_j} jV_i) - ad_{jV_i}^T jM jV_i, [M2018] (60) to (62), with all quantities in
    frame j: jM = Ad_{C_j}^T M^s Ad_{C_j}, jV_i = Ad_{C_j}^-1 V^s_i with the derivative of these
    components, and the body-fixed twist jV_j of the frame. With j = body and j = base they are the
    body-fixed and the spatial form.
    """
    return spatial_wrench(inertia, twist, twist_rate + twist_cross(frame_twist) @ twist)


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
    right. The hybrid form has j = body and k = base axes.
    """
    turning = np.concatenate((relative_angular_velocity, 0 * relative_angular_velocity))
    return wrench_in_moving_frame(inertia, twist, twist_rate, frame_twist + turning)
