# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of a model, compared by value: frames, limits, and all fields of a `ScrewModel`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.quantities import EFFORT_UNITS as EFFORT_UNITS
from screw_dynamics.common.quantities import POSITION_UNITS as POSITION_UNITS
from screw_dynamics.common.scalars import require_count
from screw_dynamics.errors import UnknownNameError

Representation: TypeAlias = Literal['body', 'spatial', 'hybrid', 'mixed']
# of twists, in the order of the numbers in `kernels.frames.pose_and_jacobian`
REPRESENTATIONS: tuple[Representation, ...] = get_args(Representation)

# matrices C with the same C q': of Christoffel symbols, and both of MK2021
CoriolisForm: TypeAlias = Literal['christoffel', 'C', 'Cbar']
CORIOLIS_FORMS: tuple[CoriolisForm, ...] = get_args(CoriolisForm)


def shared_unit(types: Iterable[str], units: tuple[str, str]) -> str:
    """Return the unit of coordinates of some types; 'rad or m' if they differ, or bodies bend."""
    kinds = {kind if kind == 'deformation' else kind == 'prismatic' for kind in types}
    return (
        ' or '.join(units)
        if len(kinds) != 1 or kinds == {'deformation'}
        else units[kinds == {True}]
    )


class ValueEquality:
    """Base of frozen dataclasses (``eq=False``) that are equal if all fields, also arrays, are."""

    def __eq__(self, other: object) -> bool:
        """Return whether both records are of the same class and have equal fields."""
        if self is other:
            return True
        if type(other) is not type(self):
            return NotImplemented
        names = [entry.name for entry in fields(self)]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        """Return a hash of all values, computed once."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        names = [entry.name for entry in fields(self)]  # type: ignore[arg-type]
        return hash((type(self), *(_hashable(getattr(self, name)) for name in names)))


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        # adding zero turns -0.0 into 0.0, because both are equal
        return value.shape, (value + 0).tobytes()
    if isinstance(value, Mapping):
        return frozenset((name, _hashable(entry)) for name, entry in value.items())
    return value


@dataclass(frozen=True, eq=False)
class Frame(ValueEquality):
    """A named frame fixed to a body (or to the base, `body` = -1).

    Parameters
    ----------
    body : int
        Index of the body, -1 for the base.
    pose : (4, 4) ndarray
        Pose of the frame in the body's frame (in base-link axes for the base).
    """

    body: int
    pose: Array


@dataclass(frozen=True, eq=False)
class JointLimits(ValueEquality):
    """Limits of the n coordinates; infinite if not specified. Data only, never enforced.

    Parameters
    ----------
    lower : (n,) ndarray
        Lower position limit [rad or m].
    upper : (n,) ndarray
        Upper position limit [rad or m].
    velocity : (n,) ndarray
        Velocity limit [rad/s or m/s].
    effort : (n,) ndarray
        Effort limit [N m or N].
    acceleration, jerk : (n,) ndarray, optional
        Limits of acceleration [rad/s^2 or m/s^2] and jerk [rad/s^3 or m/s^3].
    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array
    acceleration: Array = None  # type: ignore[assignment]
    jerk: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Replace limits that are not given by infinity."""
        for name in ('acceleration', 'jerk'):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.full(np.shape(self.velocity), np.inf))

    def ignoring_zeros(self) -> JointLimits:
        """
        Return the `JointLimits` with limits of 0, but those of positions, replaced by infinity.

        Many robot descriptions have zeros there, because URDF requires a number.
        """
        bounds = {name: getattr(self, name) for name in LIMITS[2:]}
        return replace(
            self, **{name: np.where(bound == 0.0, np.inf, bound) for name, bound in bounds.items()}
        )

    def of(self, columns: NDArray[Any]) -> JointLimits:
        """
        Return the `JointLimits` of some coordinates.

        Parameters
        ----------
        columns : (k,) ndarray
            Their indices, or (n,) whether each is one of them.
        """
        return JointLimits(*(getattr(self, name)[columns] for name in LIMITS))

    def joined(self, other: JointLimits) -> JointLimits:
        """
        Return the `JointLimits` of these coordinates and further ones.

        Parameters
        ----------
        other : JointLimits
        """
        pairs = ((getattr(self, name), getattr(other, name)) for name in LIMITS)
        return JointLimits(*map(np.concatenate, pairs))

    @staticmethod
    def none(n: int) -> JointLimits:
        """
        Return infinite `JointLimits`.

        Parameters
        ----------
        n : int
            Number of coordinates.
        """
        infinite = np.full(n, np.inf)
        return JointLimits(-infinite, infinite, infinite, infinite)


LIMITS = tuple(entry.name for entry in fields(JointLimits))


@dataclass(frozen=True, eq=False, repr=False)
class ModelRecord(ValueEquality):
    """The fields of a `ScrewModel`, which describes them, and what follows from names alone."""

    joint_names: tuple[str, ...]
    tree_joint_names: tuple[str, ...]
    body_names: tuple[str, ...]
    joint_types: tuple[str, ...]
    parents: NDArray[np.int64]
    home_poses: Array
    screws: Array
    inertias: Array
    gravity: Array
    coordinates: NDArray[np.int64]
    multipliers: Array
    offsets: Array
    limits: JointLimits
    damping: Array
    friction: Array
    frames: Mapping[str, Frame] = field(default_factory=dict)
    base_link: str = 'base_link'
    name: str = 'robot'

    def __reduce__(self) -> tuple[partial[ModelRecord], tuple[()]]:
        """Return the constructor call that rebuilds this model, for pickle and copy."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain: dict[str, Any] = {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in values.items()
        }
        return partial(type(self), **plain), ()

    @property
    def n(self) -> int:
        """Number of coordinates (independent joints)."""
        return len(self.joint_names)

    @property
    def body_count(self) -> int:
        """Number of moving bodies N; larger than n if joints mimic others."""
        return len(self.body_names)

    @cached_property
    def joint_of_coordinate(self) -> tuple[int, ...]:
        """For each coordinate, the tree joint with its name, else the first that mimics it."""
        joints = []
        for j, name in enumerate(self.joint_names):
            moved = np.flatnonzero(self.coordinates == j).tolist()
            named = [i for i in moved if self.tree_joint_names[i] == name]
            joints.append((*named, *moved)[0])
        return tuple(joints)

    @cached_property
    def coordinate_types(self) -> tuple[str, ...]:
        """For each coordinate, the type of that joint: 'revolute', 'prismatic', ..."""
        return tuple(self.joint_types[i] for i in self.joint_of_coordinate)

    def index(self, name: str) -> int:
        """
        Return the index of a coordinate in every array.

        Parameters
        ----------
        name : str
            One of `joint_names`.

        Raises
        ------
        UnknownNameError
            If there is no coordinate of that name.

        Examples
        --------
        >>> import screw_dynamics as sd
        >>> sd.read_urdf(sd.share_path('urdf/panda.urdf')).index('panda_joint4')
        3
        """
        if name not in self.joint_names:
            raise UnknownNameError('joint', name, self.joint_names)
        return self.joint_names.index(name)

    def random_configuration(
        self, count: int | None = None, *, seed: int | np.random.Generator | None = None
    ) -> Array:
        """
        Return coordinates drawn evenly within the position limits.

        A missing limit is half a turn, or 0.5 m, away from 0 or from beyond the other one.

        Parameters
        ----------
        count : int, optional
            How many configurations; by default one.
        seed : int or Generator, optional
            Of NumPy's generator; by default each call draws others.

        Returns
        -------
        (n,) or (count, n) ndarray
            [rad or m].

        Raises
        ------
        InputError
            If `count` or `seed` is not a whole number of 0 or more.

        Examples
        --------
        >>> import screw_dynamics as sd
        >>> model = sd.read_urdf(sd.share_path('urdf/panda.urdf'))
        >>> q = model.random_configuration(seed=1)
        >>> bool(((model.limits.lower <= q) & (q <= model.limits.upper)).all())
        True
        """
        lower, upper = self.limits.lower, self.limits.upper
        half = np.where(np.array(self.coordinate_types) == 'prismatic', 0.5, np.pi)
        bottom = np.where(np.isfinite(lower), lower, np.minimum(upper - 2.0 * half, -half))
        top = np.where(np.isfinite(upper), upper, np.maximum(lower + 2.0 * half, half))
        shape = () if count is None else (require_count('count', count),)
        if not isinstance(seed, np.random.Generator | None):
            seed = require_count('seed', seed)
        parts = np.random.default_rng(seed).random((*shape, self.n))
        drawn: Array = bottom + parts * (top - bottom)
        return drawn

    def frame(self, name: str) -> Frame:
        """
        Return the `Frame` of a link.

        Parameters
        ----------
        name : str

        Raises
        ------
        UnknownNameError
            If there is no frame of that name.
        """
        try:
            return self.frames[name]
        except (KeyError, TypeError):
            raise UnknownNameError('frame', name, self.frames) from None
