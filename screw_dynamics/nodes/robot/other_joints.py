# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints of a robot that cannot be commanded, with the reason, for error texts."""

from __future__ import annotations

from screw_dynamics.model import ScrewModel
from screw_dynamics.parsers.urdf_source import read_document
from screw_dynamics.parsers.urdf_xml import robot_record


def other_joints(text: str, model: ScrewModel) -> dict[str, str]:
    """
    Return every joint of a URDF text that is not a coordinate of the model.

    The values are descriptions such as 'a mimic joint (follows finger_1)'.
    """
    result = {}
    for joint in robot_record(read_document(text.encode())).joints:
        if joint.name in model.joint_names:
            continue
        if joint.type == 'fixed':
            result[joint.name] = 'a fixed joint'
        elif joint.mimic is not None and joint.name in model.tree_joint_names:
            result[joint.name] = f'a mimic joint (follows {joint.mimic.master})'
        else:
            result[joint.name] = 'not among the joints that this node uses'
    return result
