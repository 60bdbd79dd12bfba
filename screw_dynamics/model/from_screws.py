# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Models from joint screws, without a robot description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import as_float_array, as_vector, require_finite
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import ModelError, ShapeError
from screw_dynamics.lie import screw_type
from screw_dynamics.model.records import Frame, JointLimits

if TYPE_CHECKING:
    from screw_dynamics.model.screw_model import ScrewModel


def model_from_screws(
    parents: ArrayLike,
    home_poses: ArrayLike,
    screws: ArrayLike,
    inertias: ArrayLike,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    joint_names: Sequence[str] | None = None,
) -> ScrewModel:
    """
    Build a model from joint screws, without a URDF.

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
        Its frames 'body_1', 'body_2', ... are the body frames, 'base' is the base frame.

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
    # imported here: circular import
    from screw_dynamics.model.screw_model import ScrewModel

    try:
        parent_array = np.asarray(parents)
    except ValueError:
        raise ShapeError('parents', '(n,) of integers', repr(parents)) from None
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
        array = as_float_array(name, value)
        if n == 0 and array.size == 0:
            array = array.reshape((0, *tail))
        if array.shape != (n, *tail):
            raise ShapeError(name, str((n, *tail)), array.shape)
        shaped[name] = require_finite(name, array)
    if joint_names is None:
        joint_names = [f'joint_{i + 1}' for i in range(n)]
    if isinstance(joint_names, str) or not isinstance(joint_names, Sequence):
        raise ModelError(f'joint_names: expected a sequence of names, got {shown(joint_names)}')
    if len(joint_names) != n:
        raise ModelError(f'joint_names: expected {n} names, got {shown(joint_names)}')
    names = tuple(str(name) for name in joint_names)
    bodies = tuple(f'body_{i + 1}' for i in range(n))
    frames = {'base': Frame(-1, np.eye(4))}
    frames.update({body: Frame(i, np.eye(4)) for i, body in enumerate(bodies)})
    return ScrewModel(
        joint_names=names,
        tree_joint_names=names,
        body_names=bodies,
        joint_types=tuple(screw_type(x) for x in shaped['screws']),
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
