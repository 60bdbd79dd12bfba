# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses, twists, Jacobians and their derivatives against the series of the exact poses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement

import numpy as np
from oracles.exact_model import body_poses, inverse, tree_joint_series
from oracles.frame_motion import reference_columns, reference_jacobians, reference_twists
from oracles.taylor import Series, high_precision, product

import screw_dynamics as sd
from benchmarks.verification.checks import Result, against
from benchmarks.verification.scenes import FORMS, ROWS, Scene, path_of, slope
from screw_dynamics.common.arrays import Array
from screw_dynamics.theory.acceleration_energy import differential_matrices as differential
from screw_dynamics.theory.kinematics import (
    accelerations,
    body_fixed,
    hybrid,
    inverse_kinematics,
    mixed,
    spatial,
    task_space,
)

POSES = 'exact poses'
MODULES = dict(zip(FORMS, (body_fixed, spatial, hybrid, mixed), strict=True))


def _rows(values: Array) -> Array:
    """Return an array by bodies, then orders, with the orders first."""
    return np.moveaxis(values, -2, 0)


@against(POSES)
def twists(scene: Scene) -> Iterator[Result]:
    """Compare twists, accelerations and jerks of all bodies."""
    for form, module in MODULES.items():
        exact = np.array([twist[form].jet for twist in scene.twists])
        sizes = np.array([twist[form].scale for twist in scene.twists])
        size = sizes.max(axis=(0, 2))
        got = module.twists(scene.model, scene.jet)
        yield Result(module.twists, _rows(got), _rows(exact), size)
        name = 'body_fixed' if form == 'body' else form
        for order, kind in ((1, 'accelerations'), (2, 'jerks')):
            function = getattr(accelerations, f'{name}_{kind}')
            yield Result(function, function(scene.model, scene.jet), exact[:, order], size[order])
        if form == 'spatial':
            got = spatial.system_accelerations(scene.model, scene.jet)
            yield Result(spatial.system_accelerations, got, exact[:, 1], size[1])
        for batch in (scene.jet, np.stack([scene.jet] * 3)):
            got = sd.frame_twist(scene.model, batch, f'body_{scene.body}', form)
            own = scene.twists[scene.body][form]
            yield Result(
                sd.frame_twist, got if got.ndim == 2 else got[1], own.jet, own.scale.max(axis=1)
            )
        got = task_space.task_jet(scene.model, scene.jet, f'body_{scene.body}', form)
        yield Result(task_space.task_jet, got, own.jet, own.scale.max(axis=1))


@against(POSES)
def jacobians(scene: Scene) -> Iterator[Result]:
    """Compare Jacobians and their time derivatives."""
    name = f'body_{scene.body}'
    jet = scene.jet[:ROWS]
    whole = reference_jacobians(scene.model, jet, name)
    for form, module in MODULES.items():
        exact = scene.columns[form]
        size = np.abs(exact[:, :, 0]).max() * scene.growth[:ROWS]
        got = module.jacobian_columns(scene.model, jet)
        yield Result(module.jacobian_columns, _rows(got), _rows(exact), size)
        if form == 'hybrid':
            got = differential.jacobian_columns(scene.model, jet)
            yield Result(differential.jacobian_columns, _rows(got), _rows(exact), size)
            got = differential.exponential_jacobian(scene.model, scene.jet[0], scene.body)
            yield Result(differential.exponential_jacobian, got, whole[form][0], size[0])
        for function in (sd.frame_jacobian_jet, task_space.jacobian_jet):
            yield Result(function, function(scene.model, jet, name, form), whole[form], size)
        got = sd.frame_jacobian(scene.model, scene.jet[0], name, form)
        yield Result(sd.frame_jacobian, got, whole[form][0])


@against(POSES)
def poses(scene: Scene) -> Iterator[Result]:
    """Compare the pose of a frame and its differential matrices, up to the third order."""
    body, q = scene.body, scene.jet[0]
    exact = scene.poses[body][0].astype(float)
    yield Result(sd.frame_pose, sd.frame_pose(scene.model, q, f'body_{body}'), exact)
    for order in range(4):
        path = path_of(scene.model, body)[-3:]
        for by in list(combinations_with_replacement(path, order))[:4]:
            exact = partial(scene, lambda poses: poses[body][0], by)
            got = differential.differential_matrix(scene.model, q, body, by)
            yield Result(differential.differential_matrix, got, exact, reach(scene))


def reach(scene: Scene) -> float:
    """Return the size of the entries of the poses."""
    return max(1.0, *(np.abs(pose[0].astype(float)).max() for pose in scene.poses))


@high_precision
def partial(scene: Scene, of_poses: Callable[[list[Series]], Series], by: Sequence[int]) -> Array:
    """Return the derivative of a function of the poses by joint variables, of any order."""
    joints = tree_joint_series(scene.model, scene.jet[:1])

    def differentiated(s: Series, left: Sequence[int]) -> Series:
        if not left:
            return of_poses(body_poses(scene.model, s[None]))
        direction = 0 * s
        direction[left[0]] += 1
        return slope(lambda moved: differentiated(moved, left[1:]), s, direction)

    return differentiated(joints[0], by).astype(float)


@against('differences in 60 digits')
def partials(scene: Scene) -> Iterator[Result]:
    """Compare partial derivatives of relative poses and of columns by the joints of a path."""
    model, q, body = scene.model, scene.jet[0], scene.body
    path = path_of(model, body)
    first, last = path[0], path[-1]

    for joint in path:
        got = body_fixed.partial_of_relative_pose(model, q, body, first, joint)
        exact = partial(
            scene, lambda poses: product(inverse(poses[body]), poses[first])[0], (joint,)
        )
        yield Result(body_fixed.partial_of_relative_pose, got, exact, reach(scene) ** 2)
    for form, module in MODULES.items():
        for joint in {first, last}:
            for by in ((first,), (last,), (first, last)):
                exact = partial(scene, column_of(model, body, joint, form), by)
                got = module.partial_derivative(model, q, body, joint, by)
                columns = np.abs(scene.columns[form][:, :, 0]).max()
                yield Result(module.partial_derivative, got, exact, columns ** (len(by) + 1))


def column_of(
    model: sd.ScrewModel, body: int, joint: int, form: str
) -> Callable[[list[Series]], Series]:
    """Return the function of the poses that is a column of a Jacobian."""
    return lambda poses: reference_columns(model, poses, f'body_{body}')[joint][form][0]


@against('exact twists of the result')
def motions_from_twists(scene: Scene) -> Iterator[Result]:
    """Compare the twists of joint motions with those that were asked for."""
    exact = np.array([twist['body'].jet for twist in scene.twists])[:, :3]
    jet = inverse_kinematics.joint_jet(scene.model, scene.jet[0], exact)
    yield Result(inverse_kinematics.joint_jet, jet, scene.jet[:4], np.abs(scene.jet[:4]).max(1))
    name = f'body_{scene.body}'
    jacobian = reference_jacobians(scene.model, scene.jet[:1], name)['hybrid'][0]
    row = int(np.abs(jacobian).max(axis=1).argmax())
    wished = scene.rng.normal(size=(3, 1))
    words = ('wx', 'wy', 'wz', 'vx', 'vy', 'vz')
    arguments = scene.model, scene.jet[0], wished, name, 'hybrid'
    for function, jet in (
        (sd.task_to_joint_jet, sd.task_to_joint_jet(*arguments, components=[words[row]])),
        (task_space.joint_jet, task_space.joint_jet(*arguments, [row])),
    ):
        twist = reference_twists(scene.model, jet, name)['hybrid']
        yield Result(function, twist.jet[:, [row]], wished, twist.scale.max(axis=1))
