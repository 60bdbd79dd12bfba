# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inertias and the Newton-Euler equations of one body against its mass points in 60 digits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from oracles.exact_model import inverse, pseudo_inertia
from oracles.taylor import Series, derivatives_of, exact, high_precision, product, series_of

from benchmarks.verification.checks import Result, against
from benchmarks.verification.lie_checks import hat, vee
from benchmarks.verification.scenes import ROWS, Scene
from screw_dynamics import lie
from screw_dynamics.common.arrays import Array
from screw_dynamics.theory import newton_euler as single
from screw_dynamics.theory import wrench_rates

POINTS = 'exact mass points'


class Body:
    """A body of a scene in motion: integrals over its mass points, seen from any frame."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.index = scene, scene.body
        self.inertia = scene.model.inertias[self.index]
        self.pose = scene.poses[self.index]
        self.points = pseudo_inertia(self.inertia)

    def moments(self, order: int) -> Series:
        """Return the integral of (r × x; x) dm with x = r^(order), about the base origin."""
        moved = derivatives_of(self.pose)[order]
        return _torque_and_force(self.pose[0] @ self.points @ moved.T)

    def seen(self, wrench: Series, origin: Series, rotation: Series) -> Array:
        """Return a wrench about a point, in the axes of a rotation."""
        torque, force = wrench[:3] - np.cross(origin, wrench[3:]), wrench[3:]
        return np.concatenate([rotation.T @ torque, rotation.T @ force]).astype(float)

    @cached_property
    def rotation(self) -> Series:
        """R of the body."""
        return self.pose[0, :3, :3]

    @cached_property
    def center(self) -> Series:
        """Centre of mass in the body frame."""
        return self.points[:3, 3] / self.points[3, 3]

    def twist_of(self, form: str) -> tuple[Array, Array]:
        """Return a twist and its rate."""
        jet = self.scene.twists[self.index][form].jet
        return jet[0], jet[1]

    def center_twists(self) -> dict[str, tuple[Array, Array]]:
        """Return (w; velocity of the centre) and the rate: both, none or one in base axes."""
        path = derivatives_of(self.pose)[..., :3, 3] + derivatives_of(self.pose)[:, :3, :3] @ (
            self.center
        )
        velocity = path[1:3].astype(float)
        turned = product(
            np.moveaxis(self.pose[:, :3, :3], 1, 2)[:2], series_of(path[1:3])[..., None]
        )[..., 0].astype(float)
        body, base = self.twist_of('body'), self.twist_of('hybrid')
        return {
            'body': tuple(np.r_[body[k][:3], turned[k]] for k in range(2)),
            'hybrid': tuple(np.r_[base[k][:3], velocity[k]] for k in range(2)),
            'mixed': tuple(np.r_[body[k][:3], velocity[k]] for k in range(2)),
        }


def _torque_and_force(matrix: Series) -> Series:
    """Return (r × x; x) of the integral of (r; 1) (x; 0)^T."""
    m = matrix
    torque = [m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0]]
    return np.array([*torque, *m[3, :3]])


def _inertia_about_base(points: Series) -> Array:
    """Return the 6x6 inertia of the mass points: the momenta of six unit twists."""
    columns = [_torque_and_force(points @ hat(exact(unit)).T) for unit in np.eye(6)]
    return np.array(columns).T.astype(float)


def _load(inertia: Array, twist: Array, rate: Array) -> float:
    return float(np.abs(inertia).max() * (np.abs(rate).max() + np.abs(twist).max() ** 2))


@against(POINTS)
@high_precision
def inertias(scene: Scene) -> Iterator[Result]:
    """Compare inertia matrices in other frames, their rate and their parts."""
    body = Body(scene)
    c, pose = body.pose[0], body.pose[0].astype(float)
    turn = c.copy()
    turn[:3, 3] = 0 * turn[:3, 3]
    in_base = _inertia_about_base(c @ body.points @ c.T)
    in_axes = _inertia_about_base(turn @ body.points @ turn.T)
    rate = derivatives_of(body.pose)[1] @ body.points @ c.T
    size = float(np.abs(in_base).max() * np.abs(body.twist_of('spatial')[0]).max())
    mass, moment, theta = lie.inertia_parameters(body.inertia)
    points, center = body.points.astype(float), body.center.astype(float)
    yield from [
        Result(single.spatial_inertia, single.spatial_inertia(body.inertia, pose), in_base),
        Result(
            lie.transform_inertia,
            lie.transform_inertia(body.inertia, pose),
            in_base,
        ),
        Result(
            single.hybrid_inertia,
            single.hybrid_inertia(body.inertia, pose[:3, :3]),
            in_axes,
        ),
        Result(
            single.spatial_inertia_rate,
            single.spatial_inertia_rate(in_base, body.twist_of('spatial')[0]),
            _inertia_about_base(rate + rate.T),
            size,
        ),
        Result(lie.pseudo_inertia, lie.pseudo_inertia(body.inertia), points),
        Result(
            lie.second_moment,
            lie.second_moment(theta),
            points[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]],
        ),
        Result(lie.inertia_parameters, [mass, *moment], [points[3, 3], *points[:3, 3]]),
        Result(
            lie.inertia_matrix,
            lie.inertia_matrix(mass, center, theta + mass * lie.skew(center) @ lie.skew(center)),
            _inertia_about_base(body.points),
        ),
    ]


@against(POINTS)
@high_precision
def newton_euler(scene: Scene) -> Iterator[Result]:
    """Compare the wrench that moves a body, and its momentum, in all frames."""
    body = Body(scene)
    force, momentum = body.moments(2), body.moments(1)
    pose = body.pose[0].astype(float)
    r, axes = body.pose[0, :3, 3], exact(np.eye(3))
    origin = exact(np.zeros(3))
    base = single.spatial_inertia(body.inertia, pose)
    in_axes = single.hybrid_inertia(body.inertia, pose[:3, :3])
    own, s, h, m = (body.twist_of(form) for form in ('body', 'spatial', 'hybrid', 'mixed'))
    fixed, of_base = body.seen(force, r, body.rotation), body.seen(force, origin, axes)
    of_axes = body.seen(force, r, axes)
    both = np.r_[fixed[:3], of_axes[3:]]
    yield Result(
        single.body_fixed_wrench,
        single.body_fixed_wrench(body.inertia, *own),
        fixed,
        _load(body.inertia, *own),
    )
    yield Result(single.spatial_wrench, single.spatial_wrench(base, *s), of_base, _load(base, *s))
    yield Result(
        single.hybrid_wrench, single.hybrid_wrench(in_axes, *h), of_axes, _load(in_axes, *h)
    )
    got = single.mixed_wrench(body.inertia, pose[:3, :3], *m)
    yield Result(single.mixed_wrench, got, both, _load(in_axes, *h))
    got = single.momentum(body.inertia, own[0])
    size = float(np.abs(body.inertia).max() * np.abs(own[0]).max())
    yield Result(single.momentum, got, body.seen(momentum, r, body.rotation), size)
    got = single.momentum(base, s[0])
    size = float(np.abs(base).max() * np.abs(s[0]).max())
    yield Result(single.momentum, got, body.seen(momentum, origin, axes), size)
    yield from _about_center(body, force)
    yield from _in_other_frames(body, force, base)


def _about_center(body: Body, force: Series) -> Iterator[Result]:
    mass, moment, theta = lie.inertia_parameters(body.inertia)
    if mass < 1e-6:
        return
    arm = lie.skew(moment / mass)
    central = np.zeros((6, 6))
    central[:3, :3], central[3:, 3:] = theta + mass * arm @ arm, mass * np.eye(3)
    turned = central.copy()
    rotation = body.rotation.astype(float)
    turned[:3, :3] = rotation @ central[:3, :3] @ rotation.T
    point = body.pose[0, :3, 3] + body.rotation @ body.center
    fixed = body.seen(force, point, body.rotation)
    base = body.seen(force, point, exact(np.eye(3)))
    twists = body.center_twists()
    for function, form, inertia, expected in (
        (single.central_wrench, 'body', central, fixed),
        (single.central_hybrid_wrench, 'hybrid', turned, base),
        (single.central_mixed_wrench, 'mixed', central, np.r_[fixed[:3], base[3:]]),
    ):
        got = function(inertia, *twists[form])
        yield Result(function, got, expected, _load(body.inertia, *twists[form]))


def _in_other_frames(body: Body, force: Series, base: Array) -> Iterator[Result]:
    """Compare the wrench measured in frame j of another body, resolved in axes of a third."""
    scene = body.scene
    j, k = 0, scene.model.body_count - 1
    frame = scene.poses[j][:2]
    rate = np.array([(s + 1) * body.pose[s + 1] for s in range(2)])
    seen = product(product(rate, inverse(body.pose[:2])), frame)
    relative = vee(product(inverse(frame), seen)).T
    adjoint = lie.adjoint(frame[0].astype(float))
    inertia = adjoint.T @ base @ adjoint
    twist, twist_rate = relative.astype(float)
    own = scene.twists[j]['body'].jet[0]
    expected = body.seen(force, frame[0, :3, 3], frame[0, :3, :3])
    got = single.wrench_in_moving_frame(inertia, twist, twist_rate, own)
    load = _load(inertia, twist, twist_rate) + _load(inertia, own, own)
    yield Result(single.wrench_in_moving_frame, got, expected, load)
    turn = product(scene.poses[k][:2, :3, :3].transpose(0, 2, 1), frame[:, :3, :3])
    parts = [product(turn, part[..., None])[..., 0] for part in _halves(relative)]
    resolved = np.concatenate(parts, axis=1).astype(float)
    rotation = np.kron(np.eye(2), turn[0].astype(float))
    angular = scene.twists[k]['body'].jet[0, :3] - rotation[:3, :3] @ own[:3]
    got = single.wrench_resolved(
        rotation @ inertia @ rotation.T, *resolved, rotation @ own, angular
    )
    load += _load(inertia, np.r_[angular, angular], np.r_[angular, angular])
    yield Result(single.wrench_resolved, got, rotation @ expected, load)


def _halves(rows: Series) -> tuple[Series, Series]:
    """Return angular and linear parts (or torques and forces) of rows."""
    return rows[:, :3], rows[:, 3:]


@against('4x4 matrices in 60 digits')
@high_precision
def wrenches(scene: Scene) -> Iterator[Result]:
    """Compare derivatives of wrenches in other frames with products of series."""
    jet = scene.rng.normal(size=(ROWS, 6))
    pose = scene.poses[scene.body][:ROWS]
    turn, origin = pose[:, :3, :3], pose[:, :3, 3]
    back = turn.transpose(0, 2, 1)
    series = series_of(exact(jet))
    float_pose = pose[0].astype(float)
    twists = {form: scene.twists[scene.body][form].jet for form in ('body', 'spatial', 'hybrid')}
    reach = max(1.0, np.abs(float_pose).max()) * np.abs(jet).max()
    size = reach * scene.growth[:ROWS]

    def rotated(rotation: Series, wrench: Series) -> Any:
        torque, force = (product(rotation, part[..., None]) for part in _halves(wrench))
        return np.concatenate([torque, force], axis=1)[..., 0]

    def shifted(wrench: Series, sign: int) -> Any:
        crossed = np.array(
            [
                sum(np.cross(origin[s], wrench[k - s, 3:]) for s in range(k + 1))
                for k in range(len(wrench))
            ]
        )
        moved = wrench.copy()
        moved[:, :3] += sign * crossed
        return moved

    for function, expected, frame, rates in (
        (
            wrench_rates.body_from_spatial,
            rotated(back, shifted(series, -1)),
            float_pose,
            twists['spatial'],
        ),
        (
            wrench_rates.spatial_from_body,
            shifted(rotated(turn, series), 1),
            float_pose,
            twists['body'],
        ),
        (
            wrench_rates.body_from_hybrid,
            rotated(back, series),
            float_pose[:3, :3],
            twists['hybrid'][:, :3],
        ),
        (
            wrench_rates.hybrid_from_body,
            rotated(turn, series),
            float_pose[:3, :3],
            twists['body'][:, :3],
        ),
    ):
        got = function(jet, frame, rates)
        yield Result(function, got, derivatives_of(expected).astype(float), size)
