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
    """Return the wrench ON the body in the body frame."""
    return inertia @ twist_rate + wrench_cross(twist) @ momentum(inertia, twist)


def momentum(inertia: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """Return the momentum Pi = M V about the origin; W = Pi' - ad_V^T Pi, [M2018] (42)."""
    result: ScalarArray = inertia @ twist
    return result
