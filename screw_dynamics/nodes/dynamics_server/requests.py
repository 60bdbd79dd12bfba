# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node, requests of its services, and the codes of their responses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array, require_finite
from screw_dynamics.common.settings import fixed, setting
from screw_dynamics.control.limit_checks import LimitError
from screw_dynamics.control.model_parameters import INTERPOLATION, EffortParameters
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ScrewDynamicsError,
    ShapeError,
    UnknownNameError,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.messages.joints import JointNamesError, joint_order, request_row
from screw_dynamics.trajectory.waypoint_checks import NotFinitePointError

OK = 0
INVALID_REQUEST = -1
INVALID_JOINTS = -2
NOT_FINITE = -3
NO_MODEL = -4
LIMIT_EXCEEDED = -5

MOTION = ('position', 'velocity', 'acceleration', 'jerk', 'snap')
EFFORTS = ('effort', 'effort_dot', 'effort_ddot')


class NoModelError(ScrewDynamicsError):
    """No robot model, or no elastic joints, to answer a request."""


def error_code(error: ScrewDynamicsError) -> int:
    """Return the code of an error; the constants are those of the service definitions."""
    if isinstance(error, UnknownNameError) and error.kind == 'joint':
        return INVALID_JOINTS
    codes = {
        NoModelError: NO_MODEL,
        LimitError: LIMIT_EXCEEDED,
        NotFiniteError: NOT_FINITE,
        NotFinitePointError: NOT_FINITE,
        JointNamesError: INVALID_JOINTS,
    }
    return next((code for kind, code in codes.items() if isinstance(error, kind)), INVALID_REQUEST)


@dataclass(frozen=True)
class DynamicsServerParameters(EffortParameters):
    """Parameters of the node `dynamics_server`."""

    interpolation: str = fixed('smooth', INTERPOLATION, choices=('smooth', 'jtc'))
    check_limits: str = setting(
        'off',
        'What to do with limits that are exceeded. Requests with a position: position limits of '
        'the URDF. Trajectories: motions and efforts between their points too and, '
        'with elastic joints as in get_motor_feedforward, deflections, rates of the efforts, '
        'velocities and efforts of the motors.',
        choices=('off', 'warn', 'reject'),
    )
    max_samples: int = setting(
        100000, 'Largest number of samples of one trajectory request.', within=(1, 10**7)
    )


@dataclass(frozen=True)
class JointRequest:
    """A request about the joints of a robot, with its positions in model order."""

    robot: Robot
    parameters: DynamicsServerParameters
    message: Any
    names: tuple[str, ...]  # in the order of the request
    order: NDArray[np.intp]  # (n,), place of each joint of the model in the request
    position: Array  # (n,) [rad or m]

    @classmethod
    def read(
        cls, robot: Robot, parameters: DynamicsServerParameters, message: Any
    ) -> JointRequest:
        """Read a request; raise ScrewDynamicsError if its joints or positions are not valid."""
        model_names = robot.joint_names
        order = joint_order(message.joint_names, model_names)
        if model_names and not len(message.position):
            raise ShapeError('position', f'({len(model_names)},), one value per joint', (0,))
        names = tuple(message.joint_names) or model_names
        position = _finite_row('position', message, order, names)
        return cls(robot, parameters, message, names, order, position)

    def row(self, field: str) -> Array:
        """Return a field (n,), zeros if it is empty; raise ShapeError or NotFiniteError."""
        return _finite_row(field, self.message, self.order, self.names)

    def fill(self, jet: Array) -> None:
        """Copy position to snap to `jet` (rows, n), as far as it has rows; raise ShapeError."""
        for row, field in zip(jet, MOTION, strict=False):
            row[:] = self.row(field)

    def jet(self, fields: Sequence[str], rows: int) -> Array:
        """Return a jet (rows, n) from `fields` and higher derivatives, or raise ShapeError."""
        n, first = len(self.order), len(fields)
        expected = '(0,)'
        if rows > first:
            expected = f'({(rows - first) * n},): derivatives {first} to {rows - 1} of {n} joints'
        expected += f' for order {self.message.derivative_order}'
        higher = self.higher_derivatives(expected, max(rows - first, 0))
        jet = np.zeros((max(rows, first), n))
        for row, field in zip(jet, fields, strict=False):
            row[:] = self.row(field)
        jet[first : first + len(higher)] = higher
        return jet[:rows]

    def higher_derivatives(self, expected: str, rows: int | None = None) -> Array:
        """Return the `higher_derivatives` (rows or 0, n; None: any), or raise ShapeError."""
        n, values = len(self.order), np.array(self.message.higher_derivatives)
        if values.size % max(n, 1) or (rows is not None and values.size not in (0, rows * n)):
            raise ShapeError('higher_derivatives', expected, values.shape)
        require_finite('higher_derivatives', values)
        return values.reshape(-1, max(n, 1))[:, self.order]

    @property
    def back(self) -> NDArray[np.intp]:
        """Index in the model of each joint of the request, shape (n,)."""
        return np.argsort(self.order)

    def as_requested(self, values: Array) -> Array:
        """Return a vector (n,) or matrix (n, n) of the model in the order of the request."""
        back = self.back
        result: Array = values[back] if values.ndim == 1 else values[np.ix_(back, back)]
        return result


def _finite_row(field: str, message: Any, order: NDArray[np.intp], names: Sequence[str]) -> Array:
    row = request_row(field, getattr(message, field), order)
    for i, value in zip(order.tolist(), row.tolist(), strict=True):
        if not math.isfinite(value):
            raise NotFiniteError(field, (i,), value, names[i])
    return row


def is_tree(robot: Robot) -> bool:
    """Return whether a robot has rigid bodies alone."""
    return isinstance(robot.model, ScrewModel)


def require_tree(robot: Robot, what: str) -> None:
    """Raise InputError for what is not known of robots with soft segments."""
    if not is_tree(robot):
        raise InputError(f'{what}: expected a rigid robot, got one with soft_segments')


def wrench_jets(wrenches: Any, order: int) -> dict[str, Array] | None:
    """Return the sums of constant wrenches (order + 1, 6) by frame; None without any."""
    jets: dict[str, Array] = {}
    for i, stamped in enumerate(wrenches):
        frame = stamped.header.frame_id
        if not frame:
            raise InputError(f'wrenches[{i}].header.frame_id: expected a link, got an empty name')
        torque, force = stamped.wrench.torque, stamped.wrench.force
        jet = jets.setdefault(frame, np.zeros((order + 1, 6)))
        jet[0] += (torque.x, torque.y, torque.z, force.x, force.y, force.z)
    return jets or None
