# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Time derivatives of a wrench in another frame: body-fixed, spatial and hybrid components.

External wrenches of [KM2021]. The components change with the wrench and with the frame:
W^b = Ad_C^T W^s = Ad_R^T W^h. With Y_0 = W and Y_(m+1) = Y_m' + Omega Y_m, where T' = T Omega,
(T W)^(m) = T Y_m. Wrench jets are (k + 1, 6); pose and rotation are those of the body; twists and
angular velocities w have their derivatives in rows, k or more.
"""

from __future__ import annotations

from math import comb

import numpy as np

from screw_dynamics.lie import adjoint, adjoint_inverse, twist_cross
from screw_dynamics.lie.scalars import ScalarArray, dtype


def body_from_spatial(
    wrench_jet: ScalarArray, pose: ScalarArray, spatial_twists: ScalarArray
) -> ScalarArray:
    """Return W^b = Ad_C^T W^s and its derivatives, with the spatial twists of the body."""
    rates = [twist_cross(v).T for v in spatial_twists]
    return _carried(wrench_jet, rates) @ adjoint(pose)


def spatial_from_body(
    wrench_jet: ScalarArray, pose: ScalarArray, body_twists: ScalarArray
) -> ScalarArray:
    """Return W^s = Ad_C^-T W^b and its derivatives, with the body-fixed twists of the body."""
    rates = [-twist_cross(v).T for v in body_twists]
    return _carried(wrench_jet, rates) @ adjoint_inverse(pose)


def body_from_hybrid(
    wrench_jet: ScalarArray, rotation: ScalarArray, angular_velocities: ScalarArray
) -> ScalarArray:
    """Return W^b = Ad_R^T W^h and its derivatives, with w in base axes."""
    return _carried(wrench_jet, [-_turning(w) for w in angular_velocities]) @ _rotating(rotation)


def hybrid_from_body(
    wrench_jet: ScalarArray, rotation: ScalarArray, angular_velocities: ScalarArray
) -> ScalarArray:
    """Return W^h = Ad_R W^b and its derivatives, with R^T w in body axes."""
    return _carried(wrench_jet, [_turning(w) for w in angular_velocities]) @ _rotating(rotation).T


def _carried(wrench_jet: ScalarArray, rates: list[ScalarArray]) -> ScalarArray:
    """Return Y_m, (k + 1, 6), for Omega and its derivatives."""
    result = np.empty(wrench_jet.shape, dtype(wrench_jet, *rates[:1]))
    row = list(wrench_jet)  # Y_m and its derivatives
    for m in range(len(wrench_jet)):
        result[m] = row[0]
        row = [
            row[b + 1] + sum(comb(b, s) * rates[s] @ row[b - s] for s in range(b + 1))
            for b in range(len(row) - 1)
        ]
    return result


def _turning(angular_velocity: ScalarArray) -> ScalarArray:
    """Return ad_(w; 0)."""
    return twist_cross(np.concatenate((angular_velocity, 0 * angular_velocity)))


def _rotating(rotation: ScalarArray) -> ScalarArray:
    """Return Ad_R."""
    matrix = np.zeros((6, 6), dtype(rotation))
    matrix[:3, :3] = matrix[3:, 3:] = rotation
    return matrix
