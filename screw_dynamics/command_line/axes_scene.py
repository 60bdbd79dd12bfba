# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Screw axes, links and frames of a robot at one configuration, as they are drawn."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics import frame_pose
from screw_dynamics.lie import pose_on_axis, screw_pitch, screw_type
from screw_dynamics.model import ScrewModel

_PARALLEL, _COINCIDENT = 1.0 - 1e-9, 1e-9  # cosine; distance [m]
_GAP = 0.2  # between arrows on one axis, in lengths of arrows


class Axis(NamedTuple):
    """One joint of the tree at the drawn configuration, in base-link axes."""

    name: str
    kind: str
    pitch: float  # [m/rad], of a helical joint
    mimics: bool
    pose: Array  # (4, 4), z along the axis
    begin: float  # of the arrow on the axis, in lengths of arrows
    slide: float  # beside others on the axis


class Scene(NamedTuple):
    """All that is drawn, in base-link axes [m]."""

    axes: list[Axis]
    links: list[tuple[Array, Array]]
    frames: dict[str, Array]
    low: Array
    high: Array


def scene_of(model: ScrewModel, position: Array) -> Scene:
    """Return the axes, links and frames of a robot at one configuration."""
    bodies = [frame_pose(model, position, name) for name in model.body_names]
    placed = [body @ pose_on_axis(screw) for body, screw in zip(bodies, model.screws, strict=True)]
    axes = [
        Axis(
            model.tree_joint_names[i],
            screw_type(screw),
            float(screw_pitch(screw)) if screw_type(screw) == 'helical' else math.nan,
            model.tree_joint_names[i] != model.joint_names[model.coordinates[i]],
            placed[i],
            _span(screw)[0],
            _slide(i, model, placed),
        )
        for i, screw in enumerate(model.screws)
    ]
    origins = [np.zeros(3), *(pose[:3, 3] for pose in placed)]
    links = [(origins[parent + 1], origins[i + 1]) for i, parent in enumerate(model.parents)]
    frames = {model.base_link: np.eye(4)}
    for i in sorted(set(range(model.body_count)) - set(model.parents.tolist())):
        name, tip = _tip(model, position, i, origins[i + 1])
        frames[name] = tip
        links.append((origins[i + 1], tip[:3, 3]))
    points = np.array([*origins, *(pose[:3, 3] for pose in frames.values())])
    return Scene(axes, links, frames, points.min(axis=0), points.max(axis=0))


def _span(screw: Array) -> tuple[float, float]:
    """Return where an arrow begins and ends along its axis, in lengths of arrows."""
    # slides begin at their origin: fingers that move apart
    return (0.0, 1.0) if screw_type(screw) == 'prismatic' else (-0.5, 0.5)


def _slide(i: int, model: ScrewModel, placed: list[Array]) -> float:
    """Return by how much joint i gives way to later ones with the same axis and origin."""
    origin, direction = placed[i][:3, 3], placed[i][:3, 2]
    parent = model.parents[i]
    before = placed[parent][:3, 3] if parent >= 0 else np.zeros(3)
    forward = direction @ (before - origin) >= 0.0  # towards the parent
    begin, end = _span(model.screws[i])
    slide = 0.0
    for j in range(i + 1, len(placed)):
        cosine = float(direction @ placed[j][:3, 2])
        if abs(cosine) < _PARALLEL or math.dist(origin, placed[j][:3, 3]) > _COINCIDENT:
            continue
        low, high = sorted(math.copysign(1.0, cosine) * x for x in _span(model.screws[j]))
        if low < end and begin < high:
            slide += high + _GAP - begin if forward else low - _GAP - end
    return slide


def _tip(model: ScrewModel, position: Array, body: int, origin: Array) -> tuple[str, Array]:
    """Return name and pose of the frame of a body that is farthest from its joint."""
    names = [name for name, frame in model.frames.items() if frame.body == body]
    poses = {name: frame_pose(model, position, name) for name in names}
    # rounded: of frames at the same distance, the last
    farthest = max(
        enumerate(names),
        key=lambda item: (round(math.dist(poses[item[1]][:3, 3], origin), 9), item[0]),
    )[1]
    return farthest, poses[farthest]
