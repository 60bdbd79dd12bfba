# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion and validation of the fields of a model, independent of how it was built."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, read_only_copy, require_finite
from screw_dynamics.errors import (
    InertiaError,
    ModelError,
    NotFiniteError,
    ShapeError,
    TopologyError,
    listed,
    shown,
)
from screw_dynamics.lie import is_pose, screw_type
from screw_dynamics.model.geometry import inertia_form
from screw_dynamics.model.records import LIMITS, Frame, JointLimits, ModelRecord

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'helical')

# Results of `screw_type` allowed for each type; a helical joint may have the pitch 0.
_SCREW_TYPES = {
    'revolute': ('revolute',),
    'continuous': ('revolute',),
    'prismatic': ('prismatic',),
    'helical': ('helical', 'revolute'),
}

# Unit screws and rotations read from decimal text have rounding errors; 1e-9 allows for nine
# printed digits and is far above the precision of doubles.
_UNIT_TOLERANCE = 1e-9


def check_model(model: ModelRecord) -> None:
    """Raise the error that names the first defect of a model, if there is any."""
    count, n = len(model.body_names), len(model.joint_names)
    for kind, names in (
        ('joint', model.joint_names),
        ('tree joint', model.tree_joint_names),
        ('body', model.body_names),
    ):
        if len(set(names)) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ModelError(f'{kind} names: expected unique names, got {listed(twice)} twice')
    if len(model.tree_joint_names) != count or len(model.joint_types) != count:
        raise ModelError(f'expected one tree joint and type per body, got {count} bodies')
    _check_arrays(model, count, n)
    if not ((model.coordinates >= 0) & (model.coordinates < n)).all():
        raise ModelError(
            f'coordinates: expected indices below {n}, got {shown(model.coordinates.tolist())}'
        )
    for j, name in enumerate(model.joint_names):
        if j not in model.coordinates:
            raise ModelError(f'joint {name!r}: expected at least one body that it moves, got none')
    for i, joint in enumerate(model.tree_joint_names):
        _check_body(model, i, f'body {i} (joint {joint!r})')
    for name, frame in model.frames.items():
        if not -1 <= frame.body < count:
            raise ModelError(
                f'frame {name!r}: body: expected -1 (base) to {count - 1}, got {frame.body}'
            )
        if frame.pose.shape != (4, 4) or not is_pose(frame.pose, _UNIT_TOLERANCE):
            raise ModelError(
                f'frame {name!r}: expected a rigid-body pose, got {shown(frame.pose.tolist())}'
            )


def _check_arrays(model: ModelRecord, count: int, n: int) -> None:
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(('parents', 'coordinates', 'multipliers', 'offsets'), (count,)),
        'home_poses': (count, 4, 4),
        'screws': (count, 6),
        'inertias': (count, 6, 6),
        'gravity': (3,),
        **dict.fromkeys(('damping', 'friction', *(f'limits.{name}' for name in LIMITS)), (n,)),
    }
    for name, shape in shapes.items():
        found = attrgetter(name)(model).shape
        if found != shape:
            raise ShapeError(name, str(shape), found)
    require_finite('gravity', model.gravity)
    for name, owners in (
        ('multipliers', model.tree_joint_names),
        ('offsets', model.tree_joint_names),
        ('screws', model.tree_joint_names),
        ('damping', model.joint_names),
        ('friction', model.joint_names),
    ):
        values = getattr(model, name)
        for i in np.argwhere(~np.isfinite(values))[:1, 0]:
            require_finite(name, values, f'joint {owners[i]!r}')
    for name in LIMITS:
        bounds = getattr(model.limits, name)
        for j in np.flatnonzero(np.isnan(bounds)):
            raise NotFiniteError(f'limits.{name}', (int(j),), np.nan, model.joint_names[j])


def _check_body(model: ModelRecord, i: int, where: str) -> None:
    if not -1 <= model.parents[i] < i:
        raise TopologyError(
            f'{where}: expected a parent from -1 (base) to {i - 1}, got {model.parents[i]}'
        )
    if model.joint_types[i] not in JOINT_TYPES:
        raise ModelError(
            f'{where}: expected a type of {", ".join(JOINT_TYPES)}, '
            f'got {shown(model.joint_types[i])}'
        )
    if not is_pose(model.home_poses[i], _UNIT_TOLERANCE):
        raise ModelError(
            f'{where}: home pose: expected a rotation matrix, a finite position, a last row '
            f'(0, 0, 0, 1), got {shown(model.home_poses[i].tolist())}'
        )
    screw = model.screws[i]
    norm = float(np.linalg.norm(screw[:3] if screw[:3].any() else screw[3:]))
    if abs(norm - 1.0) > _UNIT_TOLERANCE:
        raise ModelError(
            f'{where}: screw {shown(screw.tolist())}: expected a unit angular part '
            f'(or a unit linear part if the angular part is zero), got norm {norm:.12g}'
        )
    of_screw = screw_type(screw)
    if of_screw not in _SCREW_TYPES[model.joint_types[i]]:
        raise ModelError(
            f'{where}: screw {shown(screw.tolist())}: expected a {model.joint_types[i]} one, '
            f'got a {of_screw} one'
        )
    _check_inertia(model.inertias[i], where)


def _check_inertia(inertia: Array, where: str) -> None:
    if not np.isfinite(inertia).all():
        raise InertiaError(
            f'{where}: inertia: expected finite numbers, got {shown(inertia.tolist())}'
        )
    mass = float(inertia[3, 3])
    if mass < 0.0:
        raise InertiaError(f'{where}: mass: expected 0 or more, got {mass:.12g} kg')
    scale = float(np.abs(inertia).max())
    if np.abs(inertia - inertia_form(inertia)).max() > _UNIT_TOLERANCE * scale:
        raise InertiaError(
            f'{where}: inertia: expected [[Theta, m c~], [-m c~, m I]] with symmetric Theta, '
            f'got {shown(inertia.tolist())}'
        )


def as_names(what: str, value: Sequence[str]) -> tuple[str, ...]:
    """Return names as a tuple; raise ModelError if they are not a sequence of strings."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ModelError(f'{what}: expected a sequence of names, got {shown(value)}')
    for i, entry in enumerate(value):
        if not isinstance(entry, str):
            raise ModelError(f'{what}[{i}]: expected a name, got {shown(entry)}')
    return tuple(value)


def as_text(what: str, value: object) -> str:
    """Return a name; raise ModelError if it is not a string."""
    if not isinstance(value, str):
        raise ModelError(f'{what}: expected a name, got {shown(value)}')
    return value


def as_indices(what: str, value: ArrayLike) -> NDArray[np.int64]:
    """Return whole numbers as a read-only array; raise ModelError for anything else."""
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.array(None)
    whole = array.dtype.kind in 'iu' or (
        array.dtype.kind == 'f' and np.isfinite(array).all() and (array % 1.0 == 0.0).all()
    )
    if not whole and (array.size or not array.ndim):
        raise ModelError(f'{what}: expected whole numbers, got {shown(value)}')
    indices = array.astype(np.int64)
    indices.flags.writeable = False
    return indices


def as_limits(value: object) -> JointLimits:
    """Return limits with read-only arrays; raise ModelError if they are not JointLimits."""
    if not isinstance(value, JointLimits):
        raise ModelError(f'limits: expected JointLimits, got {shown(value)}')
    return JointLimits(
        **{name: read_only_copy(f'limits.{name}', getattr(value, name)) for name in LIMITS}
    )


def as_frames(value: object) -> MappingProxyType[str, Frame]:
    """Return a read-only mapping of names to frames; raise ModelError for anything else."""
    if not isinstance(value, Mapping):
        raise ModelError(f'frames: expected a mapping of names to frames, got {shown(value)}')
    frames: dict[str, Frame] = {}
    for name, frame in value.items():
        where = f'frame {as_text("frames", name)!r}'
        if not isinstance(frame, Frame):
            raise ModelError(f'{where}: expected a Frame, got {shown(frame)}')
        body = int(as_indices(f'{where}: body', frame.body))
        frames[name] = Frame(body, read_only_copy(where, frame.pose))
    return MappingProxyType(frames)
