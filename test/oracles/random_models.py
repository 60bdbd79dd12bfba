# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Random robots with physical inertias, and random joint jets, from a seeded generator."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import inertia_matrix, pose
from screw_dynamics.model import Frame, JointLimits, ScrewModel

JOINT_TYPES = ('revolute', 'prismatic', 'helical')


@dataclass(frozen=True)
class BodyRecipe:
    """
    What is special about one body and its joint; everything else is drawn at random.

    The parent is `parent_back` bodies back (1 = chain), beyond the first body the base; the joint
    follows the earlier coordinate `mimics`. The joint axis may be a signed coordinate axis through
    the body's origin, `tilt` [rad] off; the home pose the identity (consecutive axes coincide or
    meet) or a translation; the centre of mass on the axis. A `mass_scale` of 0 is a massless body;
    of `points`, 1 is a point mass, 2 a rod, 4 or more a solid.
    """

    joint_type: str = 'revolute'
    parent_back: int = 1
    mimics: int | None = None
    coordinate_axis: bool = False
    tilt: float = 0.0
    identity_home: bool = False
    parallel_home: bool = False
    com_on_axis: bool = False
    mass_scale: float = 1.0
    points: int = 6


# every type of joint, one that follows another, a branch
TREE = [
    BodyRecipe('revolute'),
    BodyRecipe('helical'),
    BodyRecipe('prismatic', mimics=0),
    BodyRecipe('revolute', parent_back=2),
]


def random_rotation(rng: np.random.Generator) -> Array:
    """Return a rotation matrix drawn uniformly from SO(3)."""
    # QR twice: the second pass removes what rounding the first one left
    q = np.linalg.qr(np.linalg.qr(rng.normal(size=(3, 3)))[0])[0]
    return q * np.sign(np.linalg.det(q))


def random_inertia(
    rng: np.random.Generator,
    *,
    points: int = 6,
    mass: float = 1.0,
    length: float = 1.0,
    com: Array | None = None,
) -> Array:
    """
    Return the inertia of a cloud of positive point masses, hence a physical one.

    `mass` is a factor of the masses [kg], `length` the size of the cloud [m]; `com` is where its
    centre of mass is shifted to, by default nowhere.
    """
    masses = mass * rng.uniform(0.2, 1.0, points)
    offsets = length * rng.normal(size=(points, 3))
    centre = masses @ offsets / masses.sum() if mass else np.zeros(3)
    arms = offsets - centre
    second_moments = arms.T @ (masses[:, None] * arms)
    rotational = np.trace(second_moments) * np.eye(3) - second_moments
    symmetric = 0.5 * (rotational + rotational.T)
    return inertia_matrix(float(masses.sum()), centre if com is None else com, symmetric)


def random_screw(rng: np.random.Generator, recipe: BodyRecipe, length: float = 1.0) -> Array:
    """Return a unit joint screw in the body's frame, with distance and pitch of a `length` [m]."""
    if recipe.coordinate_axis:
        axis = np.zeros(3)
        axis[rng.integers(3)] = rng.choice([-1.0, 1.0])
        axis += recipe.tilt * rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        point = np.zeros(3)
    else:
        axis = random_rotation(rng)[0]
        point = length * rng.normal(size=3)
    if recipe.joint_type == 'prismatic':
        return np.concatenate([np.zeros(3), axis])
    moment = np.cross(point, axis)
    if recipe.joint_type == 'helical':
        moment = moment + 0.3 * length * rng.normal() * axis
    return np.concatenate([axis, moment])


def random_model(
    rng: np.random.Generator,
    recipes: list[BodyRecipe] | int = 7,
    *,
    gravity: Array | None = None,
    length: float = 1.0,
    mass: float = 1.0,
) -> ScrewModel:
    """
    Return a random robot of one body per recipe, or a revolute chain of a number of bodies.

    Every body carries a frame 'body_i' at its origin and 'tool_i' at a random pose. Gravity is by
    default 9.81 m/s^2 in a random direction; `length` [m] and `mass` [kg] are scales.
    """
    if isinstance(recipes, int):
        recipes = [BodyRecipe()] * recipes
    if gravity is None:
        gravity = 9.81 * random_rotation(rng)[0]
    count = len(recipes)
    coordinates = np.zeros(count, dtype=np.int64)
    multipliers, offsets = np.ones(count), np.zeros(count)
    parents = np.empty(count, dtype=np.int64)
    home_poses, screws, inertias = [], [], []
    names: list[str] = []
    frames = {'base': Frame(-1, np.eye(4))}
    for i, recipe in enumerate(recipes):
        parents[i] = max(i - recipe.parent_back, -1)
        home_poses.append(_random_home(rng, recipe, length))
        screws.append(random_screw(rng, recipe, length))
        body_mass = mass * recipe.mass_scale
        # e × v is the point of the axis nearest to the origin
        com = np.cross(screws[i][:3], screws[i][3:]) if recipe.com_on_axis else None
        inertias.append(
            random_inertia(rng, points=recipe.points, mass=body_mass, length=length, com=com)
        )
        if recipe.mimics is None or recipe.mimics >= len(names):
            coordinates[i] = len(names)
            names.append(f'joint_{i + 1}')
        else:
            coordinates[i] = recipe.mimics
            multipliers[i] = rng.choice([-1.0, 2.0, rng.normal()])
            offsets[i] = rng.choice([0.0, rng.normal()])
        frames[f'body_{i + 1}'] = Frame(i, np.eye(4))
        frames[f'tool_{i + 1}'] = Frame(i, pose(random_rotation(rng), length * rng.normal(size=3)))
    types = [recipe.joint_type for recipe in recipes]
    model = ScrewModel.from_screws(parents, home_poses, screws, inertias, gravity)
    return replace(
        model,
        joint_names=tuple(names),
        joint_types=tuple(types),
        coordinates=coordinates,
        multipliers=multipliers,
        offsets=offsets,
        limits=JointLimits.none(len(names)),
        damping=np.zeros(len(names)),
        friction=np.zeros(len(names)),
        frames=frames,
    )


def random_joint_jet(
    rng: np.random.Generator, n: int, order: int = 2, *, samples: int | None = None
) -> Array:
    """Return random joint positions and their derivatives, (k + 3, n) or (samples, k + 3, n)."""
    shape = (order + 3, n) if samples is None else (samples, order + 3, n)
    return rng.normal(size=shape)


def random_wrench_jets(
    rng: np.random.Generator,
    model: ScrewModel,
    order: int = 2,
    *,
    count: int = 2,
    samples: int | None = None,
) -> dict[str, Array]:
    """
    Return random wrenches with derivatives, (k + 1, 6) or (samples, k + 1, 6), on random frames.

    There are `count` of them, or as many as the model has frames.
    """
    shape = (order + 1, 6) if samples is None else (samples, order + 1, 6)
    names = rng.permutation(sorted(model.frames))[:count]
    return {str(name): 10.0 * rng.normal(size=shape) for name in names}


def _random_home(rng: np.random.Generator, recipe: BodyRecipe, length: float) -> Array:
    if recipe.identity_home:
        return np.eye(4)
    rotation = np.eye(3) if recipe.parallel_home else random_rotation(rng)
    return pose(rotation, length * rng.normal(size=3))
