# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Frame`: a named frame fixed to a body."""

from __future__ import annotations

from dataclasses import dataclass

from screw_dynamics.arrays import Array
from screw_dynamics.model.value_equality import ValueEquality


@dataclass(frozen=True, eq=False)
class Frame(ValueEquality):
    """A named frame fixed to a body (or to the base, `body` = -1).

    Parameters
    ----------
    body : int
        Index of the body, -1 for the base.
    pose : (4, 4) ndarray
        Pose of the frame in the body's frame (in base-link axes for the base).

    """

    body: int
    pose: Array
