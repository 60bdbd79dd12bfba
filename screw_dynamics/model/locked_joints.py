# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Models of which some joints are locked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import exp_screw, transform_inertia
from screw_dynamics.model.records import Frame
from screw_dynamics.model.screw_model import ScrewModel


def without_joints(model: ScrewModel, locked: Collection[str]) -> ScrewModel:
    """
    Return the model with some coordinates locked at 0, as `read_urdf` with the other `joints`.

    Bodies that then do not move become part of those that carry them, their frames remain.
    """
    free = np.array([name not in locked for name in model.joint_names], dtype=bool)
    moves = free[model.coordinates]
    bodies = [Frame(-1, np.eye(4))] * model.body_count  # of the body that each is part of
    inertias: list[Array] = []
    parents, homes = [], []
    for i in range(model.body_count):
        parent = model.parents[i]
        carrier = Frame(-1, np.eye(4)) if parent < 0 else bodies[parent]
        home = carrier.pose @ model.home_poses[i]
        if moves[i]:
            parents.append(carrier.body)
            homes.append(home)
            bodies[i] = Frame(len(inertias), np.eye(4))
            inertias.append(model.inertias[i].copy())
            continue
        pose = home @ exp_screw(model.screws[i], float(model.offsets[i]))
        bodies[i] = Frame(carrier.body, pose)
        if carrier.body >= 0:
            inertias[carrier.body] += transform_inertia(model.inertias[i], pose)
    kept = np.flatnonzero(moves).tolist()
    frames = {}
    for name, frame in model.frames.items():
        own = Frame(-1, np.eye(4)) if frame.body < 0 else bodies[frame.body]
        frames[name] = Frame(own.body, own.pose @ frame.pose)
    numbers = np.cumsum(free) - 1
    return replace(
        model,
        joint_names=tuple(np.array(model.joint_names)[free].tolist()),
        tree_joint_names=tuple(model.tree_joint_names[i] for i in kept),
        body_names=tuple(model.body_names[i] for i in kept),
        joint_types=tuple(model.joint_types[i] for i in kept),
        parents=np.array(parents, dtype=np.int64),
        home_poses=np.array(homes).reshape(-1, 4, 4),
        screws=model.screws[kept],
        inertias=np.array(inertias).reshape(-1, 6, 6),
        coordinates=numbers[model.coordinates[kept]],
        multipliers=model.multipliers[kept],
        offsets=model.offsets[kept],
        limits=model.limits.of(free),
        damping=model.damping[free],
        friction=model.friction[free],
        frames=frames,
    )
