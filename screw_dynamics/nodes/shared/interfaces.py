# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of packages that only some parameters need."""

from importlib import import_module
from typing import Any

from screw_dynamics.errors import InputError


def optional_type(module: str, name: str, parameter: str, value: str, default: str) -> Any:
    """Return a type of a module; InputError names the parameter that needs its package."""
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        package = module.partition('.')[0]
        binary = f'ros-$ROS_DISTRO-{package.replace("_", "-")}'
        raise InputError(
            f'parameter {parameter!r}: {value!r} needs the package {package}, which is not '
            f'available ({error}): install it ({binary}) or use {parameter}: {default!r}'
        ) from None
