# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The limits of a coordinate that several joints follow."""

from __future__ import annotations

from collections.abc import Iterable

from screw_dynamics.parsers.lumping import Body
from screw_dynamics.parsers.records import Limit


def coordinate_limit(own: Limit, followers: Iterable[Body]) -> Limit:
    """
    Return the limits of a coordinate: its own, narrowed by those of the joints that follow it.

    A joint at ``multiplier * q + offset`` keeps its limits where q keeps
    ``(limit - offset) / multiplier`` and its velocity ``limit / |multiplier|``. Position limits
    that leave the coordinate no room to move beside its own contradict these, as in grippers
    whose fingers carry the same numbers in spite of opposite signs, and do not count; nor does a
    velocity limit of 0, which nobody filled in. The effort of a follower is a share of the
    coordinate's that depends on the motion: no limit is derived from it.
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
