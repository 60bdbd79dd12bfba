# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`joint_order`: from the order of joints in one library or message to that in another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.errors import InputError, UnknownNameError, shown

# joints of Pinocchio of several degrees of freedom, by what their steps are named in `read_urdf`;
# the rates of the last three are velocities in a moved frame
TRAVELS, TURNS = ('x', 'y', 'z'), ('yaw', 'pitch', 'roll')
CHAINS = {
    'SphericalZYX': TURNS,
    'Translation': TRAVELS,
    'Universal': ('1', '2'),
    'FreeFlyer': TRAVELS + TURNS,
    'Planar': (*TRAVELS[:2], TURNS[0]),
    'Spherical': TURNS,
}
_MOVED = ('FreeFlyer', 'Planar', 'Spherical')


def joint_order(source: object, target: object) -> NDArray[np.int64]:
    """
    Return where the joints of one robot or message are in another: a permutation, or a choice.

    ``values[..., joint_order(source, target)]`` are values of `source` in the order of `target`:
    velocities, efforts, and positions as far as they are one number per joint.

    Parameters
    ----------
    source, target : sequence of str, robot, pinocchio.Model, or message
        Names; or what has them: a model or `Robot` (its coordinates), a model of Pinocchio (the
        joint of each of its velocities), a JointState, JointTrajectory or another message with
        ``joint_names`` or ``name``. All names of `target` are in `source`, which may have more.

    Returns
    -------
    (len(target),) int64 ndarray

    Raises
    ------
    UnknownNameError
        If a name of `target` is not in `source`. Velocities of Pinocchio that are not those of
        coordinates, as of a free flyer, are named ``name[0]``, ``name[1]``, ...
    InputError
        If an argument has no names, or one of them twice.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> measured, names = np.array([0.2, 0.0, 0.1]), ['joint_2', 'gripper', 'joint_1']
    >>> measured[sd.joint_order(names, arm)]
    array([0.1, 0.2])
    """
    index = {name: i for i, name in enumerate(_names('source', source))}
    names = _names('target', target)
    for name in names:
        if name not in index:
            raise UnknownNameError('joint', name, index, 'joint_order')
    return np.array([index[name] for name in names], dtype=np.int64)


def _names(what: str, joints: Any) -> list[str]:
    """Return the names of the joints of an argument, each once."""
    if hasattr(joints, 'joint_names'):
        joints = joints.joint_names
    elif hasattr(joints, 'idx_vs'):
        pairs = zip(joints.joints[1:], list(joints.names)[1:], strict=True)
        joints = [entry for joint, name in pairs for entry in _velocity_names(joint, name)]
    elif not isinstance(joints, Sequence) and hasattr(joints, 'name'):
        joints = joints.name
    names = list(joints) if isinstance(joints, Sequence) and not isinstance(joints, str) else None
    if names is None or not all(isinstance(name, str) for name in names):
        got = shown(joints)
        raise InputError(f'{what}: expected names of joints, or what has them, got {got}')
    for name in names:
        if names.count(name) > 1:
            raise InputError(f'{what}: expected every joint once, got {shown(name)} twice')
    return names


def _velocity_names(joint: Any, name: str) -> list[str]:
    """Return a name for every velocity of a joint of Pinocchio; none of one that mimics."""
    kind = joint.shortname().removeprefix('JointModel')
    if kind == 'Composite':
        parts = enumerate(joint.extract().joints, 1)
        return [entry for k, part in parts for entry in _velocity_names(part, f'{name}/{k}')]
    if kind in CHAINS and kind not in _MOVED:
        return [f'{name}/{step}' for step in CHAINS[kind]]
    return [name] if joint.nv == 1 else [f'{name}[{i}]' for i in range(joint.nv)]
