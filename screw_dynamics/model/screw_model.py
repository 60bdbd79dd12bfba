# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ScrewModel`: the robot as an immutable tree of bodies moved by joint screws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array, read_only_copy
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.model import checks, model_fields, model_yaml, payload, table
from screw_dynamics.model import zero_configuration as reference
from screw_dynamics.model.exact_geometry import exact_geometry
from screw_dynamics.model.from_screws import model_from_screws
from screw_dynamics.model.joint_aligned import JointAligned, joint_aligned
from screw_dynamics.model.records import Frame, JointLimits, ValueEquality

_FLOATS = (
    'home_poses',
    'screws',
    'inertias',
    'gravity',
    'multipliers',
    'offsets',
    'damping',
    'friction',
)
_NAMES = ('joint_names', 'tree_joint_names', 'body_names', 'joint_types')


@dataclass(frozen=True, eq=False, repr=False)
class ScrewModel(ValueEquality):
    """
    An immutable tree of rigid bodies, each moved by one joint screw (product of exponentials).

    Body i has pose ``C_i = C_p B_i exp(X_i s_i)`` with parent p, and its joint variable
    ``s_i = multipliers[i] * q[coordinates[i]] + offsets[i]`` depends on one of the n coordinates q
    (its own, unless the joint mimics another). Bodies are numbered so that parents come first.
    All arrays are read-only, and float64 if not stated otherwise; twists are [angular; linear].
    Models are compared by value, exactly, and can be keys of dictionaries.

    Parameters
    ----------
    joint_names : tuple of str
        The n independent coordinates, in the order of every array of the API.
    tree_joint_names : tuple of str
        The N tree joints, one per body.
    body_names : tuple of str
        The link that each tree joint moves.
    joint_types : tuple of str
        For each tree joint: 'revolute', 'continuous', 'prismatic' or 'helical'.
    parents : (N,) int64 ndarray
        Index of the parent body, -1 for the base.
    home_poses : (N, 4, 4) ndarray
        B_i: pose of body i in its parent's frame at s_i = 0.
    screws : (N, 6) ndarray
        X_i: unit joint screw in the frame of body i, any pitch [-, m].
    inertias : (N, 6, 6) ndarray
        M_i in the frame of body i [kg m^2, kg m, kg].
    gravity : (3,) ndarray
        Gravitational acceleration in base-link axes [m/s^2].
    coordinates : (N,) int64 ndarray
        Index of the coordinate of each tree joint.
    multipliers, offsets : (N,) ndarray
        Coefficients of the mimic relation; 1 and 0 for a joint with its own coordinate.
    limits : JointLimits
        Limits of the n coordinates.
    damping, friction : (n,) ndarray
        URDF joint dynamics, stored as data; they never enter the dynamics.
    frames : mapping of str to Frame
        Frames of all links of the robot, including links attached by fixed joints.
    base_link : str
        The link whose axes are the inertial axes.
    name : str
        Name of the robot.

    """

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

    def __post_init__(self) -> None:
        """Copy all fields to read-only values, validate them, make the geometry exact."""
        for name in _NAMES:
            object.__setattr__(self, name, model_fields.as_names(name, getattr(self, name)))
        for name in _FLOATS:
            object.__setattr__(self, name, read_only_copy(name, getattr(self, name)))
        for name in ('parents', 'coordinates'):
            object.__setattr__(self, name, model_fields.as_indices(name, getattr(self, name)))
        for name in ('base_link', 'name'):
            model_fields.as_text(name, getattr(self, name))
        object.__setattr__(self, 'limits', model_fields.as_limits(self.limits))
        object.__setattr__(self, 'frames', model_fields.as_frames(self.frames))
        checks.check_model(self)
        for name, exact in exact_geometry(self).items():
            object.__setattr__(self, name, read_only_copy(name, exact))

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

    @cached_property
    def aligned(self) -> JointAligned:
        """Joint-aligned frames and inertias, the parameters of the compiled kernel."""
        return joint_aligned(self)

    @cached_property
    def spatial_screws(self) -> Array:
        """Joint screws Y_i at q = 0 in the base-link frame, shape (N, 6)."""
        screws = reference.spatial_screws(self)
        screws.flags.writeable = False
        return screws

    def __reduce__(self) -> tuple[partial[ScrewModel], tuple[()]]:
        """Return the constructor call that rebuilds this model, for pickle and copy."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return partial(ScrewModel, **(values | {'frames': dict(self.frames)})), ()

    def __repr__(self) -> str:
        """Return the name and size."""
        return f'ScrewModel({self.name!r}, n={self.n}, bodies={self.body_count})'

    def __str__(self) -> str:
        """Return the joints with their screw axes as a table."""
        return table.screw_table(self)

    def frame(self, name: str) -> Frame:
        """
        Return a named frame.

        Parameters
        ----------
        name : str
            A link name.

        Returns
        -------
        Frame

        Raises
        ------
        UnknownNameError
            If there is no frame of that name.

        """
        try:
            return self.frames[name]
        except (KeyError, TypeError):
            raise UnknownNameError('frame', name, self.frames) from None

    with_payload = payload.with_payload
    to_yaml = model_yaml.model_to_yaml
    from_yaml = staticmethod(model_yaml.model_from_yaml)
    from_screws = staticmethod(model_from_screws)


def require_model(model: object) -> ScrewModel:
    """Return `model`; raise InputError if it is not a ScrewModel."""
    if not isinstance(model, ScrewModel):
        raise InputError(f'model: expected a ScrewModel, got {type(model).__name__}')
    return model
