# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Newton-Euler equations in base axes at the body's origin: [M2018] (52) to (56), corrected.

W^h = M^h V^h' + ad_w M^h (w; 0). In terms of momentum W^h = Pi^h' + (r' × p; 0): the print of
[M2018] (53) lacks the last term, which vanishes only at the centre of mass.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie import twist_cross
from screw_dynamics.lie.scalars import ScalarArray, dtype


def inertia_in_base_axes(inertia: ScalarArray, rotation: ScalarArray) -> ScalarArray:
    """Return M^h = Ad_R M Ad_R^T, [M2018] (52)."""
    turn = np.zeros((6, 6), dtype(inertia, rotation))
    turn[:3, :3] = turn[3:, 3:] = rotation
    result: ScalarArray = turn @ inertia @ turn.T
    return result


def wrench(inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray) -> ScalarArray:
    """Return the wrench ON the body from M^h and V^h = (w; r'), in base axes: [M2018] (54)."""
    turning = twist.copy()
    turning[3:] = 0
    return inertia @ twist_rate + twist_cross(turning) @ inertia @ turning
