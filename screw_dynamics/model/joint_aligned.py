# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Parameters of a model in joint-aligned frames, for the Taylor recursion.

The z axis of every frame is the axis of the joint screw, so that a joint rotates about z and
translates along z. The remaining freedom (the angle of the frame about z) is used to make the
constant rotation between parent and child frame ``Rz(beta) Rx(alpha)``, with beta = 0 for the
first child of a rotating joint (as in modified Denavit-Hartenberg parameters, but for trees).
This needs a third of the multiplications of a full rotation matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie import (
    inertia_parameters,
    inverse_pose,
    pose,
    pose_on_axis,
    screw_type,
    second_moment,
    transform_inertia,
    turn_and_travel,
)
from screw_dynamics.model.records import ModelRecord

# Layout of the parameters: a header, then a row per body. Integers are stored as doubles, because
# each further array argument costs a call from Python as much time as the dynamics of one joint.
BODY_COUNT, COORDINATE_COUNT = range(2)
HEADER = 2
PARENT, KIND, COORDINATE, HAS_BETA = range(4)
MULTIPLIER, OFFSET, PITCH, COS_ALPHA, SIN_ALPHA, COS_BETA, SIN_BETA = range(4, 11)
COS_TURN, SIN_TURN = 11, 12  # constant rotation about the axis, besides that by the joint angle
ORIGIN = 13  # 3: origin in the parent's frame; for a root body -g in the frame before the joint
MASS = 16
FIRST_MOMENT = 17  # 3: m c
SECOND_MOMENT = 20  # 6: integral of r r^T dm as xx, yy, zz, xy, xz, yz
ROW = 26

REVOLUTE, PRISMATIC, HELICAL = range(3)
_KINDS = {'revolute': REVOLUTE, 'prismatic': PRISMATIC, 'helical': HELICAL}

# Axes with a smaller sine are parallel; the direction of the tilt would be rounding noise.
_PARALLEL = 2e-16


@dataclass(frozen=True, eq=False)
class JointAligned:
    """
    Parameters of the Taylor recursion (`screw_dynamics.kernels.taylor.recursion`).

    `parameters` (2 + 26 N,) has the layout defined in this module; `poses` (N, 4, 4) are the
    aligned frames in the frames of their bodies. `prepared` caches compiled kernels by the shape
    of their output, so that a control tick needs one look-up (`dynamics.inverse_dynamics`).
    """

    parameters: Array
    poses: Array
    prepared: dict[tuple[int, ...], Callable[..., int]] = field(default_factory=dict)


def joint_aligned(model: ModelRecord) -> JointAligned:
    """Compute the joint-aligned parameters of a model."""
    count = model.body_count
    parameters = np.zeros(HEADER + ROW * count)
    parameters[:HEADER] = count, model.n
    rows = parameters[HEADER:].reshape(count, ROW)
    poses = np.array([pose_on_axis(screw) for screw in model.screws]).reshape(count, 4, 4)
    has_child = [False] * count

    for i in range(count):
        parent = int(model.parents[i])
        before = np.eye(4) if parent < 0 else inverse_pose(poses[parent])
        step = before @ model.home_poses[i] @ poses[i]
        cos_alpha, sin_alpha, cos_beta, sin_beta = _tilt(step[:3, :3])
        untilt = _rx(cos_alpha, sin_alpha).T @ _rz(cos_beta, sin_beta).T
        gamma = untilt @ step[:3, :3]
        poses[i] = poses[i] @ pose(gamma.T, np.zeros(3))
        rows[i, MULTIPLIER] = model.multipliers[i]
        rows[i, OFFSET] = model.offsets[i]
        rows[i, COS_TURN] = 1.0
        _, rows[i, PITCH] = turn_and_travel(model.screws[i])
        if parent < 0:
            rows[i, ORIGIN : ORIGIN + 3] = untilt @ -model.gravity
        else:
            origin = step[:3, 3]
            if not has_child[parent] and rows[parent, KIND] != PRISMATIC:
                # rotate the parent's frame by beta. Adding beta to the joint angle instead would
                # lose digits of large angles
                turn = _rz(cos_beta, sin_beta)
                poses[parent] = poses[parent] @ pose(turn, np.zeros(3))
                rows[parent, COS_TURN], rows[parent, SIN_TURN] = cos_beta, sin_beta
                origin = turn.T @ origin
                cos_beta, sin_beta = 1.0, 0.0
            has_child[parent] = True
            rows[i, ORIGIN : ORIGIN + 3] = origin
        rows[i, COS_ALPHA : SIN_BETA + 1] = cos_alpha, sin_alpha, cos_beta, sin_beta
        rows[i, PARENT : HAS_BETA + 1] = (
            parent,
            _KINDS[screw_type(model.screws[i])],
            model.coordinates[i],
            (cos_beta, sin_beta) != (1.0, 0.0),
        )

    for i in range(count):
        inertia = transform_inertia(model.inertias[i], inverse_pose(poses[i]))
        mass, first_moment, rotational = inertia_parameters(inertia)
        rows[i, MASS] = mass
        rows[i, FIRST_MOMENT : FIRST_MOMENT + 3] = first_moment
        rows[i, SECOND_MOMENT:] = second_moment(rotational)
    return JointAligned(parameters, poses)


def _tilt(rotation: Array) -> tuple[float, float, float, float]:
    """Return cos and sin of alpha and beta in R = Rz(beta) Rx(alpha) Rz(gamma)."""
    x, y, z = rotation[:, 2]
    sine = float(np.hypot(x, y))
    if sine <= _PARALLEL:
        return float(np.sign(z)), 0.0, 1.0, 0.0
    norm = float(np.hypot(sine, z))
    return float(z) / norm, sine / norm, float(-y) / sine, float(x) / sine


def _rx(c: float, s: float) -> Array:
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def _rz(c: float, s: float) -> Array:
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
