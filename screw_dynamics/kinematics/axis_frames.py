# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Tables of a model for the kernels, with one frame per body on its joint axis.

The axis frame of body i has its origin on the axis of screw X_i and z along it. In base-link axes
and referred to this origin, the joint screw is then ``(turn e; travel e)``, where e is the third
column of the rotation and (turn, travel) is (1, 0) for a revolute joint, (1, h) for a helical
one, (0, 1) for a prismatic one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.lie import (
    inertia_parameters,
    inverse_pose,
    pose_on_axis,
    second_moment,
    transform_inertia,
    turn_and_travel,
)
from screw_dynamics.model.screw_model import require_model

if TYPE_CHECKING:
    from screw_dynamics.model import ScrewModel

# Columns of the integer table.
PARENT, COORDINATE = range(2)

# Columns of the real table: home pose in the parent's axis frame (rotation by rows, then
# position), joint variable s = MULTIPLIER q + OFFSET, angle TURN s and shift TRAVEL s along z,
# inertia about the origin of the axis frame (second moment: integral of x x^T dm).
HOME_ROTATION = 0
HOME_POSITION = 9
MULTIPLIER, OFFSET, TURN, TRAVEL, MASS = range(12, 17)
FIRST_MOMENT = 17
SECOND_MOMENT = 20  # xx, yy, zz, xy, xz, yz
COLUMNS = 26


@dataclass(frozen=True, eq=False)
class AxisFrames:
    """
    Tables of a model in axis frames.

    `tree` (N, 2) and `bodies` (N, 26) have the columns named in this module; a parent of -1 is
    the base. `gravity` (3,) is in base-link axes [m/s^2], `poses` (N, 4, 4) are the axis frames in
    the frames of their bodies, `named` caches the results of `named_frame`.
    """

    tree: NDArray[np.int64]
    bodies: Array
    gravity: Array
    poses: Array
    named: dict[str, tuple[NDArray[np.int64], Array]]


_known: WeakKeyDictionary[ScrewModel, AxisFrames] = WeakKeyDictionary()


def axis_frames(model: ScrewModel) -> AxisFrames:
    """Return the axis frames of a model, computed at the first call."""
    found = _known.get(require_model(model))
    if found is None:
        found = _known[model] = _derive(model)
    return found


def named_frame(model: ScrewModel, name: str) -> tuple[AxisFrames, NDArray[np.int64], Array]:
    """
    Return the axis frames of a model, and the path to a named frame and its pose.

    The path lists the bodies from the base to the frame; it is empty for a frame on the base. The
    pose (4, 4) is in the axis frame of the last body, or in base-link axes for the base. Raises
    UnknownNameError if there is no such frame.
    """
    frames = axis_frames(model)
    try:
        return frames, *frames.named[name]
    except (KeyError, TypeError):
        frame = model.frame(name)
    path: list[int] = []
    body = frame.body
    while body >= 0:
        path.insert(0, body)
        body = int(model.parents[body])
    local = inverse_pose(frames.poses[path[-1]]) @ frame.pose if path else frame.pose
    frames.named[name] = np.array(path, dtype=np.int64), local
    return frames, *frames.named[name]


def _derive(model: ScrewModel) -> AxisFrames:
    count = model.body_count
    poses = np.array([pose_on_axis(screw) for screw in model.screws]).reshape(count, 4, 4)
    tree = np.column_stack([model.parents, model.coordinates]).astype(np.int64)
    bodies = np.empty((count, COLUMNS))
    for i in range(count):
        parent = int(model.parents[i])
        home = model.home_poses[i] @ poses[i]
        if parent >= 0:
            home = inverse_pose(poses[parent]) @ home
        row = bodies[i]
        row[HOME_ROTATION : HOME_ROTATION + 9] = home[:3, :3].ravel()
        row[HOME_POSITION : HOME_POSITION + 3] = home[:3, 3]
        row[MULTIPLIER], row[OFFSET] = model.multipliers[i], model.offsets[i]
        row[TURN], row[TRAVEL] = turn_and_travel(model.screws[i])
        inertia = transform_inertia(model.inertias[i], inverse_pose(poses[i]))
        row[MASS], row[FIRST_MOMENT : FIRST_MOMENT + 3], rotational = inertia_parameters(inertia)
        row[SECOND_MOMENT:] = second_moment(rotational)
    return AxisFrames(tree, bodies, model.gravity, poses, {})
