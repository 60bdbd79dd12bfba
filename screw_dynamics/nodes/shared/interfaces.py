# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages and services of screw_dynamics_interfaces; None if that package is not built."""

from importlib import import_module
from typing import Any

from screw_dynamics.errors import InputError

msg: Any
srv: Any
MISSING = ''

try:
    msg = import_module('screw_dynamics_interfaces.msg')
    srv = import_module('screw_dynamics_interfaces.srv')
    if getattr(msg, '__file__', None) is None:
        raise ImportError('its sources are on the path, but not what is built from them')
except ImportError as error:
    msg = srv = None
    MISSING = (
        f'the package screw_dynamics_interfaces is not available ({error}): build it '
        '(colcon build --base-paths . screw_dynamics_interfaces) and source its setup file'
    )


def control_message(name: str, parameter: str, value: str, default: str) -> Any:
    """Return a message type of control_msgs; InputError names the parameter that needs it."""
    try:
        return getattr(import_module('control_msgs.msg'), name)
    except (ImportError, AttributeError) as error:
        raise InputError(
            f'parameter {parameter!r}: {value!r} needs the package control_msgs, which is not '
            f'available ({error}): install it (ros-$ROS_DISTRO-control-msgs) or use '
            f'{parameter}: {default!r}'
        ) from None
