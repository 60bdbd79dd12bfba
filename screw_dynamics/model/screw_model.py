# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ScrewModel`: the robot as an immutable tree of bodies moved by joint screws."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_float_array, read_only_copy, require_finite
from screw_dynamics.common.results import Part, Tabular
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.model import checks, constructors, geometry, model_yaml
from screw_dynamics.model.joint_frames import (
    JointFrames,
    KernelTables,
    joint_frames,
    kernel_tables,
)
from screw_dynamics.model.records import ModelRecord

_GEOMETRY = ('home_poses', 'screws', 'inertias')
_FLOATS = (*_GEOMETRY, 'gravity', 'multipliers', 'offsets', 'damping', 'friction')
_NAMES = ('joint_names', 'tree_joint_names', 'body_names', 'joint_types')


@dataclass(frozen=True, eq=False, repr=False)
class ScrewModel(ModelRecord, Tabular):
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
        URDF joint dynamics, stored as data: only motor efforts contain them, on request (see
        `Drives.urdf_dynamics`).
    frames : mapping of str to Frame
        Frames of all links of the robot, including links attached by fixed joints.
    base_link : str
        The link whose axes are the inertial axes.
    name : str
        Name of the robot.
    """

    def __post_init__(self) -> None:
        """Copy all fields to read-only values, validate them, make the geometry exact."""
        for name in _NAMES:
            object.__setattr__(self, name, checks.as_names(name, getattr(self, name)))
        for name in _FLOATS:
            object.__setattr__(self, name, read_only_copy(name, getattr(self, name)))
        for name in ('parents', 'coordinates'):
            object.__setattr__(self, name, checks.as_indices(name, getattr(self, name)))
        for name in ('base_link', 'name'):
            checks.as_text(name, getattr(self, name))
        object.__setattr__(self, 'limits', checks.as_limits(self.limits))
        object.__setattr__(self, 'frames', checks.as_frames(self.frames))
        checks.check_model(self)
        for name, exact in geometry.exact_geometry(self).items():
            object.__setattr__(self, name, read_only_copy(name, exact))

    @cached_property
    def joint_frames(self) -> JointFrames:
        """Frames on the joint axes, the tables of the kernels of a tree."""
        return joint_frames(self)

    @cached_property
    def kernel_tables(self) -> KernelTables:
        """Joint frames and inertias as parameters of the kernels of one state and of batches."""
        return kernel_tables(self, self.joint_frames)

    def without_gravity(self) -> ScrewModel:
        """
        Return the same robot without gravity.

        Returns
        -------
        ScrewModel
        """
        return self._weightless

    @cached_property
    def _weightless(self) -> ScrewModel:
        return replace(self, gravity=np.zeros(3))

    @cached_property
    def spatial_screws(self) -> Array:
        """Joint screws Y_i at q = 0 in the base-link frame, shape (N, 6)."""
        screws = geometry.spatial_screws(self)
        screws.flags.writeable = False
        return screws

    def __repr__(self) -> str:
        """Return the name and size."""
        return f'ScrewModel({self.name!r}, n={self.n}, bodies={self.body_count})'

    def __str__(self) -> str:
        """Return the joints with their screw axes as a table."""
        return geometry.model_text(self)

    def _parts(self) -> tuple[Part, ...]:
        return geometry.screw_parts(self)

    with_payload = constructors.with_payload
    to_yaml = model_yaml.to_yaml

    @staticmethod
    def from_yaml(source: str | bytes | os.PathLike[str]) -> ScrewModel:
        """
        Read a `ScrewModel` from YAML.

        Parameters
        ----------
        source : str, bytes or path
            A path, or the document itself; text with a line break is a document.

        Raises
        ------
        ModelError
            If the file cannot be read, is not YAML or not a model of this version, or if an entry
            is missing or malformed; the entry is named.
        """
        return ScrewModel(**model_yaml.fields_from_yaml(source))

    @staticmethod
    def from_screws(
        parents: ArrayLike,
        home_poses: ArrayLike,
        screws: ArrayLike,
        inertias: ArrayLike,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        joint_names: Sequence[str] | None = None,
    ) -> ScrewModel:
        """
        Build a `ScrewModel` from joint screws, without a URDF.

        Its frames 'body_1', 'body_2', ... are the body frames, 'base' is the base frame.

        Parameters
        ----------
        parents : (n,) array_like of int
            Parent of each body, -1 for the base; parents come before children.
        home_poses : (n, 4, 4) array_like
            B_i: pose of body i in its parent at q = 0.
        screws : (n, 6) array_like
            X_i in the frame of body i: (e; x × e + h e) with |e| = 1, or (0; e) for prismatic.
        inertias : (n, 6, 6) array_like
            M_i in the frame of body i, [[Theta, m c~], [-m c~, m I]].
        gravity : (3,) array_like
            In base axes [m/s^2].
        joint_names : sequence of str, optional
            Default 'joint_1', 'joint_2', ...

        Raises
        ------
        ModelError, ShapeError, NotFiniteError
            If a parent, pose, screw or inertia is not valid; the body is named.

        Warns
        -----
        InertiaWarning
            If inertias are those of no solid bodies; they are named, and used unchanged.

        Examples
        --------
        >>> import numpy as np
        >>> import screw_dynamics as sd
        >>> link = sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), 0.01 * np.eye(3))
        >>> model = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [link])
        >>> model.joint_names
        ('joint_1',)
        """
        return ScrewModel(
            **constructors.fields_from_screws(
                parents, home_poses, screws, inertias, gravity, joint_names
            )
        )


def require_model(model: object) -> ScrewModel:
    """Return `model`; raise InputError if it is not a ScrewModel."""
    if not isinstance(model, ScrewModel):
        raise InputError(f'model: expected a ScrewModel, got {type(model).__name__}')
    return model


def as_wrench_jets(
    model: ScrewModel,
    wrench_jets: Mapping[str, ArrayLike] | None,
    shape: tuple[int, ...],
    read: Callable[[str, ArrayLike], NDArray[Any]] = as_float_array,
) -> dict[str, NDArray[Any]]:
    """Return wrenches (k + 1, 6) or (..., k + 1, 6) by frame; `shape` is that of efforts."""
    return checked_wrenches(model.frame, wrench_jets, shape, read)


def checked_wrenches(
    frame: Callable[[str], object],
    wrench_jets: Mapping[str, ArrayLike] | None,
    shape: tuple[int, ...],
    read: Callable[[str, ArrayLike], NDArray[Any]] = as_float_array,
) -> dict[str, NDArray[Any]]:
    """Return wrenches as `as_wrench_jets`; `frame` raises an error for an unknown name."""
    if wrench_jets is None:
        return {}
    if not isinstance(wrench_jets, Mapping):
        raise InputError(
            f'wrench_jets: expected a mapping of frame names to arrays, '
            f'got {type(wrench_jets).__name__}'
        )
    allowed = [(shape[-2], 6)] + ([(*shape[:-1], 6)] if len(shape) > 2 else [])
    arrays = {}
    for name, value in wrench_jets.items():
        frame(name)
        label = f'wrench_jets[{name!r}]'
        array = read(label, value)
        if array.shape not in allowed:
            raise ShapeError(label, ' or '.join(map(str, allowed)), array.shape)
        arrays[name] = require_finite(label, array) if array.dtype.kind == 'f' else array
    return arrays
