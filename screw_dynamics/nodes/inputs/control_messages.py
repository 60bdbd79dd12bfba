# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Message types of the optional package control_msgs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from screw_dynamics.errors import InputError


def control_message(name: str, parameter: str, value: str, default: str) -> Any:
    """
    Return a message type of control_msgs.

    Raises InputError if it is not available; the text names the parameter and its value that
    need the type, and the default, which does not.
    """
    try:
        return getattr(import_module('control_msgs.msg'), name)
    except (ImportError, AttributeError) as error:
        raise InputError(
            f'parameter {parameter!r}: {value!r} needs the package control_msgs, which is not '
            f'available ({error}): install it (ros-$ROS_DISTRO-control-msgs) or use '
            f'{parameter}: {default!r}'
        ) from None
