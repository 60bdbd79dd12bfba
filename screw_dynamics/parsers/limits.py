# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits of a coordinate that several joints follow."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

from screw_dynamics.error_texts import listed
from screw_dynamics.errors import UrdfWarning
from screw_dynamics.parsers.lumping import Body
from screw_dynamics.parsers.records import Joint, Limit


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


def warn_of_limits(joints: Sequence[Joint], stacklevel: int) -> None:
    """
    Warn once (`UrdfWarning`) and name all joints with contradictory or negative values.

    A `stacklevel` of 1 is the caller of this function.
    """
    kinds = (
        ('lower limit above the upper one', [j for j in joints if j.limit.lower > j.limit.upper]),
        ('negative velocity limit', [j for j in joints if j.limit.velocity < 0.0]),
        ('negative effort limit', [j for j in joints if j.limit.effort < 0.0]),
        ('negative damping', [j for j in joints if j.damping < 0.0]),
        ('negative friction', [j for j in joints if j.friction < 0.0]),
    )
    parts = [f'{kind}: {listed(joint.name for joint in odd)}' for kind, odd in kinds if odd]
    if parts:
        warnings.warn(
            f'joints whose limits or damping no joint has, used as they are ({"; ".join(parts)})',
            UrdfWarning,
            stacklevel=stacklevel + 1,
        )
