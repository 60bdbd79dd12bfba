# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The link that is touched, and the force there, from external efforts."""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics import frame_jacobian, frame_pose
from screw_dynamics.lie import inertia_parameters
from screw_dynamics.model import ScrewModel

_ARM = 0.2  # m, at which a force beside the centre of mass is as likely as one through it
_EXPLAINED = 1e-9  # relative singular value below which a wrench moves no joint
_EXPECTED = 10.0  # standard deviation of wrenches, relative to the smallest that is possible


class Location(NamedTuple):
    """
    A body and the wrench [torque; force] (6,) at its centre of mass, in base-link axes.

    `rest` is the largest effort that no wrench on it explains, relative to the level of its joint.
    """

    body: int
    wrench: Array
    rest: float


def locate(model: ScrewModel, q: Array, effort: Array, level: Array, rest: float) -> Location:
    """
    Return the first body, seen from the base, that explains efforts (n,).

    Joints beyond it have less than `rest` times `level` (n,), and a wrench on it leaves less than
    that in all joints. If no wrench does, the result is the body that leaves the least, of those
    beyond which no joint has more.
    """
    relative = effort / level
    jacobians = [frame_jacobian(model, q, name, 'hybrid') for name in model.body_names]
    beyond = [
        float(abs(relative[~jacobian.any(axis=0)]).max(initial=0.0)) for jacobian in jacobians
    ]
    bodies = [body for body, value in enumerate(beyond) if value <= rest]
    found = []
    for body in bodies or range(model.body_count):
        fit = _fit(model, q, relative, level, body, jacobians[body], rest)
        if fit.rest <= rest:
            return fit
        found.append(fit)
    return min(found, key=lambda fit: fit.rest)


def _fit(
    model: ScrewModel,
    q: Array,
    relative: Array,
    level: Array,
    body: int,
    jacobian: Array,
    error: float,
) -> Location:
    """
    Return the most likely wrench at the centre of mass, and what it leaves.

    `relative` (n,) are the efforts in units of their levels, `error` their standard deviation.
    Wrenches that hardly move a joint are damped: they would be noise.
    """
    mass, moment, _ = inertia_parameters(model.inertias[body])
    centre = moment / mass if mass > 0.0 else np.zeros(3)
    offset = frame_pose(model, q, model.body_names[body])[:3, :3] @ centre
    velocity = jacobian[3:] + np.cross(jacobian[:3].T, offset).T  # of the centre of mass
    matrix = np.concatenate([_ARM * jacobian[:3], velocity]).T  # (n, 6), of [torque / arm; force]
    left, values, right = np.linalg.svd(matrix / level[:, None], full_matrices=False)
    share = left.T @ relative
    largest = values.max(initial=0.0)
    explained = values > _EXPLAINED * largest
    unexplained = abs(relative - left @ np.where(explained, share, 0.0)).max(initial=0.0)
    expected = _EXPECTED * np.linalg.norm(relative) / max(largest, np.finfo(float).tiny)
    damping = (error / max(expected, np.finfo(float).tiny)) ** 2
    wrench = right.T @ (values * share / (values**2 + damping))
    wrench[:3] *= _ARM
    return Location(body, wrench, float(unexplained))
