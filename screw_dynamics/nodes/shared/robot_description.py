# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of a robot description and node parameters to a `ScrewModel`."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from screw_dynamics.elastic import ElasticJoints
from screw_dynamics.errors import InertiaError, InputError, UnknownNameError, UrdfError
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.shared.model_parameters import ModelParameters
from screw_dynamics.parsers import read_urdf
from screw_dynamics.parsers.urdf_source import read_document
from screw_dynamics.parsers.urdf_xml import robot_record


@dataclass(frozen=True)
class LoadedModel:
    """
    A model and its source.

    `described` is the model of the URDF, `model` has gravity and payload of the parameters.
    `sha256` is that of the URDF text; `warnings` are those of the reader.
    """

    described: ScrewModel
    model: ScrewModel
    source: str
    sha256: str
    other_joints: Mapping[str, str]
    warnings: tuple[str, ...]
    elastic: ElasticJoints | None = None


def load_model(
    text: str,
    source: str,
    parameters: ModelParameters,
    elastic: ElasticJoints | None = None,
) -> LoadedModel:
    """
    Read a URDF text with the joint selection, gravity and payload of the parameters.

    Raises ScrewDynamicsError if the text or a parameter is not valid.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        described = _read_from(source, text, parameters, _prefixed(parameters))
        if parameters.joint_prefix and not parameters.joints:
            described = _read(text, parameters, _with_prefix(described, parameters.joint_prefix))
    return LoadedModel(
        described,
        with_settings(described, parameters),
        source,
        hashlib.sha256(text.encode()).hexdigest(),
        other_joints(text, described),
        tuple(str(item.message) for item in caught),
        elastic,
    )


def _read_from(
    source: str, text: str, parameters: ModelParameters, joints: Sequence[str]
) -> ScrewModel:
    """Read a text; errors name its source."""
    try:
        return _read(text, parameters, joints)
    except UrdfError as error:
        raise UrdfError(str(error).replace('URDF bytes', source, 1)) from None


def _read(text: str, parameters: ModelParameters, joints: Sequence[str]) -> ScrewModel:
    return read_urdf(
        # bytes, so that the text is not taken for a file name
        text.encode(),
        base_link=parameters.base_link or None,
        tip_link=parameters.tip_link or None,
        joints=joints or None,
    )


def _prefixed(parameters: ModelParameters) -> list[str]:
    return [parameters.joint_prefix + name for name in parameters.joints]


def _with_prefix(model: ScrewModel, prefix: str) -> list[str]:
    names = [name for name in model.joint_names if name.startswith(prefix)]
    if not names:
        raise InputError(
            f"parameter 'joint_prefix': expected the beginning of some of the joints "
            f'{", ".join(model.joint_names)}, got {prefix!r}'
        )
    return names


def with_settings(described: ScrewModel, parameters: ModelParameters) -> ScrewModel:
    """
    Return a model with gravity and payload of the parameters.

    Raises ScrewDynamicsError if the frame of the payload does not exist or its inertia is not
    valid.
    """
    model = replace(described, gravity=np.array(parameters.gravity))
    if parameters.payload_mass == 0.0:
        return model
    ixx, ixy, ixz, iyy, iyz, izz = parameters.payload_inertia
    try:
        return model.with_payload(
            parameters.payload_frame,
            parameters.payload_mass,
            parameters.payload_com,
            [[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]],
        )
    except UnknownNameError as error:
        raise InputError(f"parameter 'payload.frame': {error}") from None
    except InertiaError as error:
        raise InputError(f"parameter 'payload.inertia': {error}") from None


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
