# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tree joint that carries the name of a coordinate."""

from __future__ import annotations

import numpy as np

from screw_dynamics.model import ScrewModel


def leading_joint(model: ScrewModel, coordinate: int) -> int:
    """Return the body whose joint has a coordinate's name, else the first that mimics it."""
    followers = np.flatnonzero(model.coordinates == coordinate)
    own = [i for i in followers if model.tree_joint_names[i] == model.joint_names[coordinate]]
    return int((*own, *followers)[0])
