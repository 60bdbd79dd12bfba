# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots in motion on which algorithms are judged, with exact values in 60-digit arithmetic."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import gmpy2
import numpy as np
from oracles.exact_model import body_poses, generator, inverse, pseudo_inertia, tree_joint_series
from oracles.frame_motion import ReferenceTwist, reference_columns, reference_twists
from oracles.high_precision import exact_efforts, reference_efforts
from oracles.load_scale import Reference
from oracles.random_models import (
    JOINT_TYPES,
    BodyRecipe,
    random_joint_jet,
    random_model,
    random_wrench_jets,
)
from oracles.robots import bundled_urdfs
from oracles.taylor import Series, constant, derivatives_of, exact, high_precision, product

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.model import Frame, ScrewModel

ORDER = 5
ROWS = 4  # of derivatives of matrices
FORMS = ('body', 'spatial', 'hybrid', 'mixed')
# of differences in 60 digits: a third derivative keeps 24 digits
_STEP = '1e-12'


def random_scene(seed: int) -> Scene:
    """Return a random tree in motion; one in three is near-singular."""
    rng = np.random.default_rng(seed)
    special = rng.random() < 1 / 3
    model = random_model(rng, [_recipe(rng, special) for _ in range(rng.integers(2, 6))])
    jet = random_joint_jet(rng, model.n, ORDER)
    if special:
        jet[0] *= rng.choice([1.0, 0.0, 1e-9, 30.0])
        jet[1:] *= rng.choice([1.0, 0.0, 1e-8, 3.0])
    return Scene(f'tree {seed}', model, jet, rng)


def _recipe(rng: np.random.Generator, special: bool) -> BodyRecipe:
    """Return a body; special ones have degenerate geometry and mass."""
    plain = BodyRecipe(
        joint_type=str(rng.choice(JOINT_TYPES)),
        parent_back=int(rng.choice([1, 1, 1, 2, 3])),
        mimics=int(rng.integers(3)) if rng.random() < 0.25 else None,
    )
    if not special:
        return plain
    return replace(
        plain,
        coordinate_axis=rng.random() < 0.5,
        tilt=float(rng.choice([0.0, 1e-12, 1e-9, 1e-6])),
        identity_home=rng.random() < 0.25,
        parallel_home=rng.random() < 0.5,
        com_on_axis=rng.random() < 0.3,
        mass_scale=float(rng.choice([1.0, 1e-3, 1e-9])),
        points=int(rng.choice([6, 2, 1])),
    )


def robot_scenes() -> Iterator[Scene]:
    """Yield the robots of the package in motion."""
    for path in bundled_urdfs():
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            model = sd.read_urdf(path)
        rng = np.random.default_rng(len(path.stem))
        yield Scene(Path(path).stem, model, random_joint_jet(rng, model.n, ORDER), rng)


class Scene:
    """
    A robot in motion; the exact values are computed when they are first used.

    Attributes
    ----------
    model : ScrewModel
        With a frame 'body_i' at the origin of each body (i from 0) and no others.
    jet : (ORDER + 3, n) ndarray
    wrenches : mapping of str to (ORDER + 1, 6) ndarray
    rng : numpy.random.Generator
    """

    def __init__(self, name: str, model: ScrewModel, jet: Array, rng: np.random.Generator):
        frames = {f'body_{i}': Frame(i, np.eye(4)) for i in range(model.body_count)}
        self.name, self.jet, self.rng = name, jet, rng
        self.model = replace(model, frames=frames)
        self.wrenches = random_wrench_jets(rng, self.model, ORDER)
        self.body = int(rng.integers(model.body_count))

    def efforts(self, order: int = ORDER, *, wrenches: bool = False) -> Reference:
        """Return the exact efforts up to an order."""
        jets = {name: jet[: order + 1] for name, jet in self.wrenches.items()}
        return reference_efforts(self.model, self.jet[: order + 3], jets if wrenches else None)

    @cached_property
    def weightless(self) -> ScrewModel:
        """The robot without gravity."""
        return replace(self.model, gravity=np.zeros(3))

    @cached_property
    def twists(self) -> list[dict[str, ReferenceTwist]]:
        """Twist jets of the bodies, in all representations."""
        return [reference_twists(self.model, self.jet, f'body_{i}') for i in self.bodies]

    @cached_property
    def columns(self) -> dict[str, Array]:
        """Jets of the Jacobian columns (N, N, ROWS, 6), in all representations."""
        shape = (len(self.bodies), len(self.bodies), ROWS, 6)
        poses = [pose[:ROWS] for pose in self.poses]
        result = {form: np.zeros(shape) for form in FORMS}
        for i in self.bodies:
            columns = reference_columns(self.model, poses, f'body_{i}')
            for joint, by_form in columns.items():
                for form, column in by_form.items():
                    result[form][i, joint] = column.astype(np.float64)
        return result

    @property
    def bodies(self) -> range:
        """Numbers of the bodies."""
        return range(self.model.body_count)

    @cached_property
    def growth(self) -> Array:
        """Size of the derivatives of the exponentials of the joints, (r,): k! times a power."""
        orders = np.arange(1, len(self.jet))
        factorials = np.cumprod(orders)
        speed = ((np.abs(self.jet[1:]).max(axis=1) / factorials) ** (1 / orders)).max()
        return np.concatenate([[1.0], factorials * speed**orders])

    @cached_property
    @high_precision
    def poses(self) -> list[Series]:
        """Series of the poses of the bodies, of mpfr."""
        return body_poses(self.model, tree_joint_series(self.model, self.jet))

    @cached_property
    @high_precision
    def mass_matrices(self) -> Array:
        """M and its time derivatives, (r, n, n)."""
        return derivatives_of(mass_matrix_series(self.model, self.jet[:ROWS])).astype(np.float64)

    @cached_property
    def mass_matrix_partials(self) -> Array:
        """DM/dq_k, (n, n, n) with k first."""
        return slopes(lambda q: mass_matrix_series(self.model, q[None])[0], self.jet[0])

    @cached_property
    def effort_partials(self) -> Array:
        """Partials of the efforts of order 0 and 1, [d, r] as `effort_partials`."""
        jet = self.jet[:4]
        steps = slopes(lambda values: exact_efforts(self.model, values), jet)
        return np.moveaxis(steps, (2, 0, 3, 1), (0, 1, 2, 3))

    @high_precision
    def energy(self, p: int) -> float:
        """Return the half sum of the squares of the (p + 1)-th derivatives of all mass points."""
        total = gmpy2.mpfr(0)
        for pose, inertia in zip(self.poses, self.model.inertias, strict=True):
            moved = derivatives_of(pose)[p + 1]
            total += np.trace(moved @ pseudo_inertia(inertia) @ moved.T) / 2
        return float(total)

    @property
    def regular(self) -> bool:
        """True if the mass matrix is far enough from singular to be inverted."""
        return bool(np.linalg.cond(self.mass_matrices[0]) < 1e10)


@high_precision
def slopes(function: Callable[[Series], Series], values: Array) -> Array:
    """Return the derivatives by every entry of an array, which is the first axes of the result."""
    start = exact(values)
    units = (_unit(start, index) for index in np.ndindex(start.shape))
    rows = [slope(function, start, unit).astype(np.float64) for unit in units]
    return np.array(rows).reshape(*start.shape, *rows[0].shape)


@high_precision
def slope(function: Callable[[Series], Series], start: Series, direction: Series) -> Series:
    """Return the derivative along a direction, of central differences in 60 digits."""
    step = gmpy2.mpfr(_STEP)
    forth, back = function(start + step * direction), function(start - step * direction)
    return np.asarray((forth - back) / (2 * step))


def _unit(like: Series, index: tuple[int, ...]) -> Series:
    unit = 0 * like
    unit[index] += 1
    return unit


@high_precision
def mass_matrix_series(model: ScrewModel, joint_jet: Array | Series) -> Series:
    """Return the series of M: <Z_a C, Z_b C> with the generators Z_j in the base frame."""
    poses = body_poses(model, tree_joint_series(model, joint_jet))
    terms = len(poses[0])
    moving = [
        product(product(pose, constant(generator(screw), terms)), inverse(pose))
        for pose, screw in zip(poses, model.screws, strict=True)
    ]
    result = constant(exact(np.zeros((model.n, model.n))), terms)
    for body, pose in enumerate(poses):
        path = path_of(model, body)
        masses = product(
            product(pose, constant(pseudo_inertia(model.inertias[body]), terms)),
            pose.transpose(0, 2, 1),
        )
        for a in path:
            weighted = product(moving[a], masses)
            for b in path:
                squares = product(weighted, moving[b].transpose(0, 2, 1))
                factor = exact(model.multipliers[[a, b]]).prod()
                entry = factor * squares.trace(axis1=1, axis2=2)
                result[:, model.coordinates[a], model.coordinates[b]] += entry
    return result


def path_of(model: ScrewModel, body: int) -> list[int]:
    """Return the bodies from the base to a body."""
    path: list[int] = []
    while body >= 0:
        path.insert(0, body)
        body = int(model.parents[body])
    return path
