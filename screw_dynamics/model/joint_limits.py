# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`JointLimits`: position, velocity and effort limits of a robot description."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.model.value_equality import ValueEquality


@dataclass(frozen=True, eq=False)
class JointLimits(ValueEquality):
    """Limits of the n coordinates; infinite if not specified. Data only, never enforced.

    Parameters
    ----------
    lower, upper : (n,) ndarray
        Position [rad or m].
    velocity : (n,) ndarray
        [rad/s or m/s].
    effort : (n,) ndarray
        [N m or N].

    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array

    @staticmethod
    def none(n: int) -> JointLimits:
        """
        Return infinite limits.

        Parameters
        ----------
        n : int
            Number of coordinates.

        Returns
        -------
        JointLimits

        """
        return JointLimits(
            np.full(n, -np.inf), np.full(n, np.inf), np.full(n, np.inf), np.full(n, np.inf)
        )
