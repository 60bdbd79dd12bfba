# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Response codes of the services for errors of this package."""

from __future__ import annotations

from screw_dynamics.errors import NotFiniteError, ScrewDynamicsError, UnknownNameError
from screw_dynamics.messages.joints import JointNamesError
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
    if isinstance(error, NoModelError):
        return NO_MODEL
    if isinstance(error, LimitError):
        return LIMIT_EXCEEDED
    if isinstance(error, NotFiniteError):
        return NOT_FINITE
    if isinstance(error, JointNamesError):
        return INVALID_JOINTS
    if isinstance(error, UnknownNameError) and error.kind == 'joint':
        return INVALID_JOINTS
    return INVALID_REQUEST
