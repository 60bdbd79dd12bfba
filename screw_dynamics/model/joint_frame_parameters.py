# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Parameters of a model for the Taylor recursion, in joint frames with few free entries.

The z axis of every frame is the axis of the joint screw, so that a joint rotates about z and
translates along z. The remaining freedom (the angle of the frame about z) is used to make the
constant rotation between parent and child frame ``Rz(beta) Rx(alpha)``, with beta = 0 for the
first child of a rotating joint (as in modified Denavit-Hartenberg parameters, but for trees).
This needs a third of the multiplications of a full rotation matrix.
"""

from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.kernels.taylor.layout import (
    COORDINATE,
    COS_ALPHA,
    COS_GAMMA,
    HAS_BETA,
    HEADER,
    HELICAL,
    KIND,
    ORIGIN,
    PARENT,
    PITCH,
    PRISMATIC,
    REVOLUTE,
    ROW,
    SIN_BETA,
    SIN_GAMMA,
)
from screw_dynamics.lie import inverse_pose, pose, rotation_and_translation_rate, screw_type
from screw_dynamics.model.joint_frames import axis_poses, set_mimic_and_inertia
from screw_dynamics.model.records import ModelRecord

_KINDS = {'revolute': REVOLUTE, 'prismatic': PRISMATIC, 'helical': HELICAL}

# Axes with a smaller sine are parallel; the direction of the tilt would be rounding noise.
_PARALLEL = 2e-16


@dataclass(frozen=True, eq=False)
class JointFrameParameters:
    """
    Parameters of the Taylor recursion (`screw_dynamics.kernels.taylor`).

    `parameters` (2 + 26 N,) has the layout of `kernels.taylor.layout`; `poses` (N, 4, 4) are the
    frames in the frames of their bodies.
    """

    parameters: Array
    poses: Array


def joint_frame_parameters(model: ModelRecord) -> JointFrameParameters:
    """Compute the parameters of a model."""
    count = model.body_count
    parameters = np.zeros(HEADER + ROW * count)
    parameters[:HEADER] = count, model.n
    rows = parameters[HEADER:].reshape(count, ROW)
    poses = axis_poses(model)
    has_child = [False] * count

    for i in range(count):
        parent = int(model.parents[i])
        before = np.eye(4) if parent < 0 else inverse_pose(poses[parent])
        step = before @ model.home_poses[i] @ poses[i]
        cos_alpha, sin_alpha, cos_beta, sin_beta = _tilt(step[:3, :3])
        untilt = _rx(cos_alpha, sin_alpha).T @ _rz(cos_beta, sin_beta).T
        gamma = untilt @ step[:3, :3]
        poses[i] = poses[i] @ pose(gamma.T, np.zeros(3))
        rows[i, COS_GAMMA] = 1.0
        _, rows[i, PITCH] = rotation_and_translation_rate(model.screws[i])
        if parent < 0:
            rows[i, ORIGIN : ORIGIN + 3] = untilt @ -model.gravity
        else:
            origin = step[:3, 3]
            if not has_child[parent] and rows[parent, KIND] != PRISMATIC:
                # rotate the parent's frame by beta. Adding beta to the joint angle instead would
                # lose digits of large angles
                turn = _rz(cos_beta, sin_beta)
                poses[parent] = poses[parent] @ pose(turn, np.zeros(3))
                rows[parent, COS_GAMMA], rows[parent, SIN_GAMMA] = cos_beta, sin_beta
                origin = turn.T @ origin
                cos_beta, sin_beta = 1.0, 0.0
            has_child[parent] = True
            rows[i, ORIGIN : ORIGIN + 3] = origin
        rows[i, COS_ALPHA : SIN_BETA + 1] = cos_alpha, sin_alpha, cos_beta, sin_beta
        rows[i, PARENT], rows[i, COORDINATE] = parent, model.coordinates[i]
        rows[i, KIND] = _KINDS[screw_type(model.screws[i])]
        rows[i, HAS_BETA] = (cos_beta, sin_beta) != (1.0, 0.0)

    set_mimic_and_inertia(model, poses, rows)
    return JointFrameParameters(parameters, poses)


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
