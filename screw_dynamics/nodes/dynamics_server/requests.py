# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests of the services, read once, and the codes of their responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ScrewDynamicsError,
    ShapeError,
    UnknownNameError,
)
from screw_dynamics.messages.joints import JointNamesError, joint_order, request_row
from screw_dynamics.nodes.shared.limit_checks import LimitError

OK = 0
INVALID_REQUEST = -1
INVALID_JOINTS = -2
NOT_FINITE = -3
NO_MODEL = -4
LIMIT_EXCEEDED = -5


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
        JointNamesError: INVALID_JOINTS,
    }
    return next((code for kind, code in codes.items() if isinstance(error, kind)), INVALID_REQUEST)


@dataclass(frozen=True)
class JointRequest:
    """A request about joints, with its positions in model order."""

    message: Any
    names: tuple[str, ...]  # in the order of the request
    order: NDArray[np.intp]  # (n,), place of each joint of the model in the request
    position: Array  # (n,) [rad or m]

    @classmethod
    def read(cls, message: Any, model_names: tuple[str, ...]) -> JointRequest:
        """Read a request; raise ScrewDynamicsError if its joints or positions are not valid."""
        order = joint_order(message.joint_names, model_names)
        if model_names and not len(message.position):
            raise ShapeError('position', f'({len(model_names)},), one value per joint', (0,))
        names = tuple(message.joint_names) or model_names
        return cls(message, names, order, request_row('position', message.position, order))

    def row(self, field: str) -> Array:
        """Return a field in model order (n,), zeros if it is empty; raise ShapeError."""
        return request_row(field, getattr(self.message, field), self.order)

    def fill(self, jet: Array) -> None:
        """Copy position to snap to `jet` (rows, n), as far as it has rows; raise ShapeError."""
        jet[0] = self.position
        for row, field in zip(jet[1:], ('velocity', 'acceleration', 'jerk', 'snap'), strict=False):
            row[:] = self.row(field)

    @property
    def back(self) -> NDArray[np.intp]:
        """Index in the model of each joint of the request, shape (n,)."""
        return np.argsort(self.order)

    def as_requested(self, values: Array) -> Array:
        """Return a vector (n,) or matrix (n, n) of the model in the order of the request."""
        back = self.back
        result: Array = values[back] if values.ndim == 1 else values[np.ix_(back, back)]
        return result


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
