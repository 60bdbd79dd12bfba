# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The check of the argument that says how a robot is driven."""

from __future__ import annotations

from screw_dynamics.elastic.elastic_joints import ElasticJoints
from screw_dynamics.errors import InputError


def require_joints(joints: object) -> ElasticJoints:
    """Return `joints` if they are a record of elastic joints."""
    if not isinstance(joints, ElasticJoints):
        raise InputError(f'joints: expected ElasticJoints, got {type(joints).__name__}')
    return joints
