# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ScrewModel`: the robot as an immutable tree of bodies moved by joint screws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.arrays import Array, as_float_array, as_vector, require_finite
from screw_dynamics.errors import ModelError, ShapeError, UnknownNameError
from screw_dynamics.model import checks
from screw_dynamics.model.joint_aligned import JointAligned, joint_aligned


@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame fixed to a body (or to the base, `body` = -1).

    Parameters
    ----------
    body : int
        Index of the body that carries it, -1 for the base.
    pose : (4, 4) ndarray
        Pose of the frame in the body's frame (in base-link axes for the base).

    """

    body: int
    pose: Array


@dataclass(frozen=True, eq=False)
class JointLimits:
    """Limits of the n coordinates; infinite where none is given. Data only, never enforced.

    Parameters
    ----------
    lower, upper : (n,) ndarray
        Position [rad or m].
    velocity : (n,) ndarray
        [rad/s or m/s].
    effort : (n,) ndarray
        [N m or N].

    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array

    @staticmethod
    def none(n: int) -> JointLimits:
        """
        Return limits that limit nothing.

        Parameters
        ----------
        n : int
            Number of coordinates.

        Returns
        -------
        JointLimits

        """
        return JointLimits(
            np.full(n, -np.inf), np.full(n, np.inf), np.full(n, np.inf), np.full(n, np.inf)
        )


@dataclass(frozen=True, eq=False, repr=False)
class ScrewModel:
    """
    An immutable tree of rigid bodies, each moved by one joint screw (product of exponentials).

    Body i has pose ``C_i = C_p B_i exp(X_i s_i)`` with parent p, and its joint variable
    ``s_i = multipliers[i] * q[coordinates[i]] + offsets[i]`` follows one of the n coordinates q
    (itself, unless the joint mimics another). Bodies are numbered so that parents come first.
    All arrays are read-only float64; twists are [angular; linear].

    Parameters
    ----------
    joint_names : tuple of str
        The n independent coordinates, in the order of every array of the API.
    tree_joint_names : tuple of str
        The N tree joints, one per body.
    body_names : tuple of str
        The link that each tree joint moves.
    joint_types : tuple of str
        Per tree joint: 'revolute', 'continuous', 'prismatic' or 'helical'.
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
        Index of the coordinate that each tree joint follows.
    multipliers, offsets : (N,) ndarray
        Of the mimic relation; 1 and 0 for a joint that is a coordinate itself.
    limits : JointLimits
        Of the n coordinates.
    damping, friction : (n,) ndarray
        URDF joint dynamics, kept as data; they never enter the dynamics.
    frames : mapping of str to Frame
        Every link of the robot, also those behind fixed joints.
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
        checks.check_model(self)
        for holder, names in (
            (self, ('parents', 'home_poses', 'screws', 'inertias', 'gravity', 'coordinates',
                    'multipliers', 'offsets', 'damping', 'friction')),
            (self.limits, ('lower', 'upper', 'velocity', 'effort')),
        ):  # fmt: skip
            for attribute in names:
                array = np.array(getattr(holder, attribute))
                array.flags.writeable = False
                object.__setattr__(holder, attribute, array)
        frames = {}
        for frame_name, frame in self.frames.items():
            pose = np.array(frame.pose)
            pose.flags.writeable = False
            frames[frame_name] = Frame(int(frame.body), pose)
        object.__setattr__(self, 'frames', MappingProxyType(frames))

    @property
    def n(self) -> int:
        """Number of coordinates (independent joints)."""
        return len(self.joint_names)

    @property
    def body_count(self) -> int:
        """Number of moving bodies N; larger than n where joints mimic others."""
        return len(self.body_names)

    @cached_property
    def aligned(self) -> JointAligned:
        """Frames and inertias along the joint axes, as the compiled kernel takes them."""
        return joint_aligned(self)

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
            If there is none of that name.

        """
        try:
            return self.frames[name]
        except (KeyError, TypeError):
            raise UnknownNameError('frame', name, self.frames) from None

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
        Build a model from joint screws, without any URDF.

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

        Returns
        -------
        ScrewModel
            Frames 'body_1', 'body_2', ... lie in the bodies' own frames, 'base' in the base.

        Raises
        ------
        ModelError, ShapeError, NotFiniteError
            If a parent, pose, screw or inertia is not valid; the body is named.

        Examples
        --------
        >>> import numpy as np
        >>> import screw_dynamics as sd
        >>> link = sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), 0.01 * np.eye(3))
        >>> model = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [link])
        >>> model.joint_names
        ('joint_1',)

        """
        parent_array = np.asarray(parents)
        if parent_array.ndim != 1 or (parent_array.size and parent_array.dtype.kind not in 'iu'):
            raise ShapeError(
                'parents', '(n,) of integers', f'{parent_array.shape} {parent_array.dtype}'
            )
        n = len(parent_array)
        shaped = {}
        for name, value, tail in (
            ('home_poses', home_poses, (4, 4)),
            ('screws', screws, (6,)),
            ('inertias', inertias, (6, 6)),
        ):
            array = as_float_array(name, value).reshape((0, *tail) if n == 0 else np.shape(value))
            if array.shape != (n, *tail):
                raise ShapeError(name, str((n, *tail)), array.shape)
            shaped[name] = require_finite(name, array)
        if joint_names is None:
            joint_names = [f'joint_{i + 1}' for i in range(n)]
        if isinstance(joint_names, str) or len(joint_names) != n:
            raise ModelError(f'joint_names: expected {n} names, got {joint_names!r}')
        names = tuple(str(name) for name in joint_names)
        bodies = tuple(f'body_{i + 1}' for i in range(n))
        frames = {'base': Frame(-1, np.eye(4))}
        frames.update({body: Frame(i, np.eye(4)) for i, body in enumerate(bodies)})
        return ScrewModel(
            joint_names=names,
            tree_joint_names=names,
            body_names=bodies,
            joint_types=tuple(checks.screw_type(x) for x in shaped['screws']),
            parents=parent_array.astype(np.int64),
            home_poses=shaped['home_poses'],
            screws=shaped['screws'],
            inertias=shaped['inertias'],
            gravity=as_vector('gravity', gravity, 3),
            coordinates=np.arange(n, dtype=np.int64),
            multipliers=np.ones(n),
            offsets=np.zeros(n),
            limits=JointLimits.none(n),
            damping=np.zeros(n),
            friction=np.zeros(n),
            frames=frames,
            base_link='base',
        )
