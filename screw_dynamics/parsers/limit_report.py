# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""One warning for all joints with impossible limits, damping or friction."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from screw_dynamics.error_texts import listed
from screw_dynamics.errors import UrdfWarning
from screw_dynamics.parsers.records import Joint


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
