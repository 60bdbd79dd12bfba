# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What keeps ROS from starting, told in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from screw_dynamics.errors import BagError


@contextmanager
def ros_errors_told() -> Iterator[None]:
    """
    Tell what ROS refuses inside a block: arguments behind ``--ros-args``, environment variables.

    Returns
    -------
    context manager

    Raises
    ------
    BagError

    """
    try:
        yield
    except RuntimeError as error:  # the root of all that rclpy raises for them
        text = ' '.join(str(error).split())
        raise BagError(f'ROS cannot start with these arguments and settings: {text}') from None
