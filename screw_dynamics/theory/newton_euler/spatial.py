# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler equations in the base frame: W^s = (M^s V^s)', [M2018] (35) to (39)."""

from __future__ import annotations

from screw_dynamics.lie import adjoint_inverse, wrench_cross
from screw_dynamics.lie.scalars import ScalarArray


def inertia_in_base(inertia: ScalarArray, pose: ScalarArray) -> ScalarArray:
    """Return M^s = Ad_C^-T M Ad_C^-1 of a body with the pose C, [M2018] (35)."""
    to_body = adjoint_inverse(pose)
    result: ScalarArray = to_body.T @ inertia @ to_body
    return result


def wrench(inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray) -> ScalarArray:
    """Return the wrench W^s = M^s V^s' - ad_{V^s}^T M^s V^s ON the body, [M2018] (39)."""
    return inertia @ twist_rate + wrench_cross(twist) @ inertia @ twist


def momentum(inertia: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """Return the momentum Pi^s = M^s V^s, whose derivative is the wrench: [M2018] (36), (37)."""
    result: ScalarArray = inertia @ twist
    return result


def inertia_rate(inertia: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """Return M^s' = -ad_{V^s}^T M^s - M^s ad_{V^s}, [M2018] (38)."""
    half = wrench_cross(twist) @ inertia
    result: ScalarArray = half + half.T
    return result
