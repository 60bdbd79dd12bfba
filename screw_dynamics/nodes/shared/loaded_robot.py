# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots from URDF or MJCF text, the file of drives and node parameters."""

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from screw_dynamics.bridges.load import described_robot, is_mjcf
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.drives import Drives, elastic_feedforward, feedforward_from_efforts
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.workspace import Workspace
from screw_dynamics.dynamics import gravity_forces_jet, inverse_dynamics
from screw_dynamics.errors import (
    InertiaError,
    InputError,
    ScrewDynamicsError,
    SpringRangeError,
    UnknownNameError,
    listed,
)
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.model import RobotModel, ScrewModel
from screw_dynamics.model.joint_limits import read_joint_limits
from screw_dynamics.model.urdf import RobotDescription, model_from_description
from screw_dynamics.nodes.shared.file_url import resolve_file_url
from screw_dynamics.soft.segments.append_segments import append_segments, read_segments
from screw_dynamics.soft.segments.hybrid_robot import Segments

_DRIVES = "parameter 'drives_path'"
_LIMITS = "parameter 'joint_limits_path'"
_SEGMENTS = "parameter 'soft_segments'"
_TURNS = 10.0 * np.pi, 720.0  # rad; position limits between them may be degrees


def read_drives(path: str, warn: Callable[[str], object]) -> Drives | None:
    """Read the drives from a path or package:// address; None if it is empty."""
    if not path:
        return None
    file = resolve_file_url(path, _DRIVES)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            drives = Drives.from_yaml(file)
        except ScrewDynamicsError as error:
            raise InputError(f'{_DRIVES}: {error}') from None
    for warning in caught:
        warn(f'{_DRIVES}: {warning.message}')
    return drives


def read_soft_segments(path: str) -> Segments | None:
    """Read soft segments from a path or package:// address; None if it is empty."""
    if not path:
        return None
    try:
        return read_segments(resolve_file_url(path, _SEGMENTS))
    except ScrewDynamicsError as error:
        raise InputError(f'{_SEGMENTS}: {error}') from None


@dataclass(frozen=True)
class LoadedRobot:
    """A robot and its source."""

    described: ScrewModel  # of the URDF, without gravity and payload of the parameters
    segments: Segments | None
    robot: Robot
    source: str
    text: str  # of the URDF
    uncontrolled_joints: Mapping[str, str]
    warnings: tuple[str, ...]  # of the reader

    @cached_property
    def sha256(self) -> str:
        """The digest of the URDF text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def load_robot(
    text: str,
    source: str,
    parameters: ModelParameters,
    drives: Drives | None = None,
    segments: Segments | None = None,
) -> LoadedRobot:
    """
    Read a URDF or MJCF with the joint selection, gravity and payload of the parameters.

    `text` has the document, `source` its path or where else it is from. MJCF has drives of its
    own, which are used without `drives` and `segments`.
    """
    prefix = parameters.joint_prefix
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            # bytes, so that the text is not taken for a file name; a file may include others
            file = Path(source) if is_mjcf(text.encode()) and Path(source).is_file() else None
            found = described_robot(file or text.encode(), source)
        except ModuleNotFoundError as error:
            raise InputError(f'{source}: {error}') from None
        description = found.description
        described = _model(description, parameters, [prefix + n for n in parameters.joints])
        if prefix and not parameters.joints:
            described = _model(description, parameters, _with_prefix(described, prefix))
    if path := parameters.joint_limits_path:
        try:
            limits = read_joint_limits(resolve_file_url(path, _LIMITS), described)
        except ScrewDynamicsError as error:
            raise InputError(f'{_LIMITS}: {error}') from None
        described = replace(described, limits=limits)
    model = with_settings(described, parameters, segments)
    if drives is None and segments is None:
        drives = found.drives(described)
    try:
        robot = Robot(model, drives)
    except ScrewDynamicsError as error:
        raise InputError(f'{_DRIVES}: {error}') from None
    return LoadedRobot(
        described,
        segments,
        robot,
        source,
        text,
        uncontrolled_joints(description, described),
        (*(str(item.message) for item in caught), *_doubts(described)),
    )


def _doubts(model: ScrewModel) -> list[str]:
    """Return what of the limits cannot protect a robot, and is hardly meant so."""
    limits = model.limits.ignoring_zeros()
    ends = np.maximum(np.abs(limits.lower), np.abs(limits.upper))
    many = (_TURNS[0] < ends) & (ends <= _TURNS[1])
    many &= np.array(model.coordinate_types) == 'revolute'
    doubts = {
        'no velocity limit in the description, or 0: none is checked': np.isinf(limits.velocity),
        'no effort limit in the description, or 0: none is checked': np.isinf(limits.effort),
        'position limits of many turns: in degrees? They count as rad': many,
    }
    return [
        f'{listed(np.array(model.joint_names)[mask].tolist())}: {text}'
        for text, mask in doubts.items()
        if mask.any()
    ]


def _model(
    description: RobotDescription, parameters: ModelParameters, joints: Sequence[str]
) -> ScrewModel:
    return model_from_description(
        description,
        base_link=parameters.base_link or None,
        tip_link=parameters.tip_link or None,
        joints=joints or None,
    )


def _with_prefix(model: ScrewModel, prefix: str) -> list[str]:
    names = [name for name in model.joint_names if name.startswith(prefix)]
    if not names:
        raise InputError(
            f"parameter 'joint_prefix': expected the beginning of some of the joints "
            f'{", ".join(model.joint_names)}, got {prefix!r}'
        )
    return names


def uncontrolled_joints(description: RobotDescription, model: ScrewModel) -> dict[str, str]:
    """Return the joints that are no coordinates, as 'a mimic joint (follows finger_1)'."""
    result = {}
    for joint in description.joints:
        if joint.name in model.joint_names:
            continue
        if joint.type == 'fixed':
            result[joint.name] = 'a fixed joint'
        elif joint.mimic is not None and joint.name in model.tree_joint_names:
            result[joint.name] = f'a mimic joint (follows {joint.mimic.master})'
        else:
            result[joint.name] = 'not among the joints that this node uses'
    return result


def with_settings(
    described: ScrewModel, parameters: ModelParameters, segments: Segments | None = None
) -> RobotModel:
    """Return a model with gravity, payload and segments, or raise ScrewDynamicsError."""
    model = replace(described, gravity=np.array(parameters.gravity))
    try:
        if parameters.payload_mass > 0.0:
            model = model.with_payload(
                parameters.payload_frame,
                parameters.payload_mass,
                parameters.payload_com,
                parameters.payload_tensor,
            )
    except UnknownNameError as error:
        raise InputError(f"parameter 'payload.frame': {error}") from None
    except InertiaError as error:
        raise InputError(f"parameter 'payload.inertia': {error}") from None
    try:
        return model if segments is None else append_segments(model, segments)
    except ScrewDynamicsError as error:
        raise InputError(f'{_SEGMENTS}: {error}') from None


def require_supported(robot: Robot, rows: float) -> None:
    """Raise InputError if drives do not fit the model or need more than `rows` of a joint jet."""
    if robot.drives is None:
        return
    try:
        needed = robot.required_rows
    except ScrewDynamicsError as error:
        raise InputError(f'{_DRIVES}: {error}') from None
    if needed > rows:
        raise InputError(
            f'{_DRIVES}: rotor_coupling: the motor efforts of this robot need the derivatives '
            f'of the joint positions up to order {needed - 1}, a reference of the node has them '
            f'up to order {rows - 1}: expected rotor_coupling: false'
        )


_ORDERS = (0, 1, 2)  # of the efforts


def warm_up_efforts(robot: Robot) -> None:
    """Compute what a tick computes, so that none waits for imports and tables of the model."""
    model = robot.model
    for order in _ORDERS:
        jet, efforts = np.zeros((order + 3, model.n)), np.empty((order + 1, model.n))
        inverse_dynamics(model, jet, out=efforts)
        gravity_forces_jet(model, jet)
        Workspace(model, order).efforts(jet)
    check_feasibility(model, np.zeros((1, 3, model.n)), [0.0])
    if robot.drives is None:
        return
    jet = np.zeros((robot.required_rows, robot.n))
    # the springs may be unable to support the links at 0, which does not matter here
    with suppress(SpringRangeError):
        feedforward_from_efforts(robot, jet, np.zeros_like(robot.buffers().effort_jet))
        elastic_feedforward(robot, jet)
