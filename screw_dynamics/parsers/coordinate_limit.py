# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits of a coordinate that several joints follow."""

from __future__ import annotations

from collections.abc import Iterable

from screw_dynamics.parsers.lumping import Body
from screw_dynamics.parsers.records import Limit


def coordinate_limit(own: Limit, followers: Iterable[Body]) -> Limit:
    """
    Return the limits of a coordinate: its own, narrowed by those of the joints that follow it.

    A joint at ``multiplier * q + offset`` is within its limits if q is within
    ``(limit - offset) / multiplier`` and the velocity within ``limit / |multiplier|``. Position
    limits that leave no range in combination with the coordinate's own are ignored: in some
    grippers, fingers of opposite signs have the same numbers. A velocity limit of 0 is ignored as
    not specified. No effort limit is derived: the followers' share of the effort depends on the
    motion.
    """
    lower, upper, velocity = own.lower, own.upper, own.velocity
    for body in followers:
        motion, limit = body.motion, body.joint.limit
        if motion.multiplier == 0.0:
            continue
        low, high = sorted(
            (bound - motion.offset) / motion.multiplier for bound in (limit.lower, limit.upper)
        )
        low, high = max(lower, low), min(upper, high)
        if low < high:
            lower, upper = low, high
        if limit.velocity > 0.0:
            velocity = min(velocity, limit.velocity / abs(motion.multiplier))
    return Limit(lower, upper, velocity, own.effort)
