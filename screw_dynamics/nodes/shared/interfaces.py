# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages and services of screw_dynamics_interfaces; None if that package is not built."""

from functools import partial
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


def optional_message(package: str, name: str, parameter: str, value: str, default: str) -> Any:
    """Return a message type of a package; InputError names the parameter that needs it."""
    try:
        return getattr(import_module(f'{package}.msg'), name)
    except (ImportError, AttributeError) as error:
        binary = f'ros-$ROS_DISTRO-{package.replace("_", "-")}'
        raise InputError(
            f'parameter {parameter!r}: {value!r} needs the package {package}, which is not '
            f'available ({error}): install it ({binary}) or use {parameter}: {default!r}'
        ) from None


control_message = partial(optional_message, 'control_msgs')
