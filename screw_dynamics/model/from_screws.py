# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Models from joint screws, without a robot description."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import as_float_array, as_vector, require_finite
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import ModelError, ShapeError
from screw_dynamics.lie import screw_type
from screw_dynamics.model.records import Frame, JointLimits


def fields_from_screws(
    parents: ArrayLike,
    home_poses: ArrayLike,
    screws: ArrayLike,
    inertias: ArrayLike,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    joint_names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the fields of a model; see `ScrewModel.from_screws`, whose errors it raises."""
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
    return dict(
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
