# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The link that is touched, and the force there, from external efforts."""

from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.kinematics import frame_jacobian, frame_pose
from screw_dynamics.lie import inertia_parameters
from screw_dynamics.model import ScrewModel

_ARM = 0.2  # m, at which a force beside the centre of mass is as likely as one through it
_EXPLAINED = 1e-9  # relative singular value below which a wrench moves no joint
_EXPECTED = 10.0  # standard deviation of wrenches, relative to the smallest that is possible


class Location(NamedTuple):
    """A body, the force (3,) on it [N] in base-link axes, and the largest effort not explained."""

    body: int
    force: Array
    rest: float  # relative to the level of its joint


def locate(model: ScrewModel, q: Array, effort: Array, level: Array, rest: float) -> Location:
    """
    Return the first body of the tree, seen from the base, that explains efforts (n,).

    A body explains them if a wrench on it leaves less than `rest` times `level` (n,) in every
    joint; if none does, the result is the body that leaves the least.
    """
    found = [_fit(model, q, effort, level, body, rest) for body in range(model.body_count)]
    explaining = (fit for fit in found if fit.rest <= rest)
    return next(explaining, min(found, key=lambda fit: fit.rest))


def _fit(
    model: ScrewModel, q: Array, effort: Array, level: Array, body: int, error: float
) -> Location:
    """
    Return the force of the most likely wrench at the centre of mass.

    `error` is the standard deviation of the efforts, relative to their levels. Wrenches that
    hardly move a joint are damped: they would be noise.
    """
    mass, moment, _ = inertia_parameters(model.inertias[body])
    centre = moment / mass if mass > 0.0 else np.zeros(3)
    name = model.body_names[body]
    jacobian = frame_jacobian(model, q, name, 'hybrid')
    offset = frame_pose(model, q, name)[:3, :3] @ centre
    velocity = jacobian[3:] + np.cross(jacobian[:3].T, offset).T  # of the centre of mass
    matrix = np.concatenate([jacobian[:3] / _ARM, velocity]).T  # (n, 6), of [torque / arm; force]
    left, values, right = np.linalg.svd(matrix / level[:, None], full_matrices=False)
    relative = effort / level
    share = left.T @ relative
    largest = values.max(initial=0.0)
    explained = values > _EXPLAINED * largest
    unexplained = abs(relative - left @ np.where(explained, share, 0.0)).max(initial=0.0)
    expected = _EXPECTED * np.linalg.norm(relative) / max(largest, np.finfo(float).tiny)
    damping = (error / max(expected, np.finfo(float).tiny)) ** 2
    wrench = right.T @ (values * share / (values**2 + damping))
    return Location(body, wrench[3:], float(unexplained))
