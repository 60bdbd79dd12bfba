# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Exponentials, logarithms and adjoints against 4x4 matrices in 60 digits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from oracles.exact_model import generator, inverse
from oracles.taylor import Series, exact, high_precision

from benchmarks.verification.checks import Result, against
from benchmarks.verification.scenes import Scene, slope
from screw_dynamics import lie
from screw_dynamics.common.arrays import Array

MATRICES = '4x4 matrices in 60 digits'


@high_precision
def exponential(twist: Any) -> Series:
    """Return exp of the 4x4 matrix of a twist by its power series."""
    matrix = hat(twist if np.asarray(twist).dtype == object else exact(twist))
    result = term = exact(np.eye(4))
    for k in range(1, 120):
        term = term @ matrix / k
        result = result + term
    return result


def hat(twist: Series) -> Series:
    """Return the 4x4 matrix of a twist."""
    x, y, z = twist[:3]
    matrix = exact(np.zeros((4, 4)))
    matrix[0, 1], matrix[0, 2], matrix[1, 2] = -z, y, -x
    matrix[1, 0], matrix[2, 0], matrix[2, 1] = z, -y, x
    matrix[:3, 3] = twist[3:]
    return matrix


def vee(matrix: Series) -> Series:
    """Return the twist of a 4x4 matrix."""
    m = matrix
    return np.array([m[..., 2, 1], m[..., 0, 2], m[..., 1, 0], *np.moveaxis(m[..., :3, 3], -1, 0)])


@against(MATRICES)
@high_precision
def exponentials(scene: Scene) -> Iterator[Result]:
    """Compare exponentials, logarithms and their differentials at small and large angles."""
    found = []
    for angle in (1e-9, 1e-3, 1.0, 3.0, np.pi - 1e-7):
        axis = scene.rng.normal(size=3)
        twist = np.concatenate([angle * axis / np.linalg.norm(axis), scene.rng.normal(size=3)])
        pose = exponential(twist)
        floats = pose.astype(float)
        rate = np.array([vee(_rate(twist, unit) @ inverse(pose[None])[0]) for unit in np.eye(6)]).T
        differential = rate.astype(float)
        turning = differential[:3, :3]
        found += [
            Result(lie.exp_so3, lie.exp_so3(twist[:3]), floats[:3, :3]),
            Result(lie.exp_se3, lie.exp_se3(twist), floats),
            Result(lie.log_so3, lie.log_so3(floats[:3, :3]), twist[:3], 1.0),
            Result(lie.log_se3, lie.log_se3(floats), twist, 1.0),
            Result(lie.dexp_so3, lie.dexp_so3(twist[:3]), turning),
            Result(lie.dexp_se3, lie.dexp_se3(twist), differential),
        ]
        for function, argument, direct in (
            (lie.dexp_inverse_so3, twist[:3], turning),
            (lie.dexp_inverse_se3, twist, differential),
        ):
            got = function(argument)
            size = 1e3 * np.abs(got).max() * np.abs(direct).max()
            found.append(Result(function, got @ direct, np.eye(len(direct)), float(size)))
        screw = scene.model.screws[scene.body]
        expected = _on_axis(screw, angle).astype(float)
        found.append(Result(lie.exp_screw, lie.exp_screw(screw, angle), expected))
    yield from found


def _rate(twist: Array, direction: Array) -> Series:
    return slope(exponential, exact(twist), exact(direction))


def _on_axis(screw: Array, angle: float) -> Series:
    matrix = generator(screw) * exact(angle)[()]
    return exponential(vee(matrix))


@against(MATRICES)
@high_precision
def adjoints(scene: Scene) -> Iterator[Result]:
    """Compare transformations of twists and wrenches, and Lie brackets."""
    pose = scene.poses[scene.body][0]
    floats, back = pose.astype(float), inverse(pose[None])[0]
    a, b = scene.rng.normal(size=(2, 6))
    matrix = hat(exact(a))
    moved, moved_back = vee(pose @ matrix @ back), vee(back @ matrix @ pose)
    bracket = vee(matrix @ hat(exact(b)) - hat(exact(b)) @ matrix).astype(float)
    power = float(moved_back @ exact(b))  # of a wrench b seen from the other frame
    return_power = -float(bracket @ a[::-1])
    yield from [
        Result(lie.adjoint, lie.adjoint(floats) @ a, moved.astype(float)),
        Result(lie.adjoint_inverse, lie.adjoint_inverse(floats) @ a, moved_back.astype(float)),
        Result(lie.coadjoint, a @ lie.coadjoint(floats) @ b, power, _size(floats)),
        Result(lie.twist_cross, lie.twist_cross(a) @ b, bracket),
        Result(lie.wrench_cross, b @ lie.wrench_cross(a) @ a[::-1], return_power, 10.0),
    ]


def _size(pose: Array) -> float:
    return float(10.0 * max(1.0, np.abs(pose).max()))
