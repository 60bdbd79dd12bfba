# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`read_joint_limits`: limits of a robot with those of a file of MoveIt or ros2_control."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from screw_dynamics.common.scalars import require_number
from screw_dynamics.common.yaml_files.document import YamlEntry, is_document, read_document
from screw_dynamics.errors import ModelError
from screw_dynamics.model.records import LIMITS, JointLimits
from screw_dynamics.model.robot_model import RobotModel

# what a file may switch off, and the entries that have the values
_QUANTITIES = {
    'position': {'lower': 'min_position', 'upper': 'max_position'},
    'velocity': {'velocity': 'max_velocity'},
    'acceleration': {'acceleration': 'max_acceleration'},
    'jerk': {'jerk': 'max_jerk'},
    'effort': {'effort': 'max_effort'},
}
_DECELERATION = 'max_deceleration'
_SOFT = ('soft_lower_limit', 'soft_upper_limit', 'k_position', 'k_velocity')
_ENTRIES = (
    *(f'has_{quantity}_limits' for quantity in (*_QUANTITIES, 'deceleration')),
    *(entry for entries in _QUANTITIES.values() for entry in entries.values()),
    *(_DECELERATION, 'angle_wraparound', 'has_soft_limits', *_SOFT),
)


def read_joint_limits(
    source: str | bytes | os.PathLike[str], model: RobotModel, *, scaled: bool = False
) -> JointLimits:
    """
    Return the limits of a robot with those of a `joint_limits.yaml` of MoveIt in place of them.

    A value of the file replaces that of the model. ``has_velocity_limits: false`` and the like
    mean that there is none, whatever the model has. A deceleration narrows the acceleration: the
    smaller size of both is the limit of both. Soft limits, and joints that are no coordinates, are
    not read.

    Parameters
    ----------
    source : str, bytes or path
        A path, or the document itself as text or bytes: ``joint_limits``, also within the
        ``robot_description_planning`` of a parameter file.
    model : ScrewModel or RobotModel
    scaled : bool
        Whether velocities and accelerations are multiplied by `default_velocity_scaling_factor`
        and `default_acceleration_scaling_factor` of the file, as in motions that MoveIt plans
        without others. They are no limits of the robot: leave them out for guards.

    Returns
    -------
    JointLimits

    Raises
    ------
    ModelError
        If it is no such document, or has no joint of the model; the error names file and entry.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> text = '''
    ... joint_limits:
    ...   joint_1: {has_acceleration_limits: true, max_acceleration: 5.0}
    ...   joint_2: {has_velocity_limits: false, max_jerk: 100.0}
    ... '''
    >>> limits = sd.read_joint_limits(text, arm)
    >>> limits.acceleration.tolist(), limits.velocity.tolist()
    ([5.0, inf], [6.0, inf])
    """
    place = '' if is_document(source) else f'{source!s}: '
    root = YamlEntry(read_document(source, 'joint limits'), f'{place}joint limits')
    for outer in ('/**', 'ros__parameters', 'robot_description_planning'):
        if outer in dict(root.entries()):
            root = root[outer]
    joints = dict(root['joint_limits'].entries())
    names = model.joint_names
    if not joints.keys() & set(names):
        expected = f'expected some of {", ".join(names)}'
        raise ModelError(f'{root.path}.joint_limits: {expected}, got none')
    found = {name: getattr(model.limits, name).copy() for name in LIMITS}
    for j, name in enumerate(names):
        if name in joints:
            own = {field: float(values[j]) for field, values in found.items()}
            for field, value in _limits_of(joints[name], own).items():
                found[field][j] = value
    if scaled:
        for quantity in ('velocity', 'acceleration'):
            key = f'default_{quantity}_scaling_factor'
            if key in root.value:
                found[quantity] *= require_number(
                    f'{root.path}.{key}', root.value[key], above=True, error=ModelError
                )
    return JointLimits(**found)


def _limits_of(joint: YamlEntry, own: Mapping[str, float]) -> dict[str, float]:
    """Return the limits that entries of a joint set; `own` are those of the robot."""
    joint.require_keys(_ENTRIES)
    given = dict(joint.entries())

    def absent(quantity: str) -> bool:
        key = f'has_{quantity}_limits'
        return key in given and not given[key].truth()

    limits = {}
    for quantity, entries in _QUANTITIES.items():
        has = f'has_{quantity}_limits'
        known = given.keys() & set(entries.values()) or any(np.isfinite(own[f]) for f in entries)
        if has in given and given[has].truth() and not known:
            expected = ' or '.join(entries.values())
            raise ModelError(f'{given[has].path}: expected {expected} beside it, got none')
        for field, key in entries.items():
            if absent(quantity):
                limits[field] = -np.inf if field == 'lower' else np.inf
            elif key in given:
                low = -np.inf if quantity == 'position' else 0.0
                limits[field] = require_number(
                    given[key].path, given[key].number(), low, infinite=True, error=ModelError
                )
    if limits.get('lower', -np.inf) > limits.get('upper', np.inf):
        raise ModelError(
            f'{given["min_position"].path}: expected at most max_position, '
            f'{limits["upper"]:g}, got {limits["lower"]:g}'
        )
    if _DECELERATION in given and not absent('deceleration'):
        size = abs(given[_DECELERATION].number())  # negative by the rule of a planner
        other = limits.get('acceleration', own['acceleration'])
        limits['acceleration'] = min(bound or np.inf for bound in (other, size))
    return limits
