# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Type check of the elastic joints of a robot."""

from __future__ import annotations

from screw_dynamics.elastic.elastic_joints import ElasticJoints
from screw_dynamics.errors import InputError


def require_joints(joints: object) -> ElasticJoints:
    """Return `joints` if they are `ElasticJoints`, else raise InputError."""
    if not isinstance(joints, ElasticJoints):
        raise InputError(f'joints: expected ElasticJoints, got {type(joints).__name__}')
    return joints
