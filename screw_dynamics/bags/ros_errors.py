# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of ROS start-up errors to one line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from screw_dynamics.errors import BagError

_OF_ROS = ('-p', '--param', '--params-file', '--remap', '--log-level', '--enclave')


@contextmanager
def ros_errors_told() -> Iterator[None]:
    """Raise one error for what ROS refuses in a block: arguments after ``--ros-args``, environment."""
    try:
        yield
    except RuntimeError as error:  # the root of all that rclpy raises for them
        text = ' '.join(str(error).split())
        raise BagError(f'ROS cannot start with these arguments and settings: {text}') from None


class RosParser(argparse.ArgumentParser):
    """A parser of the arguments that are left when those of ROS are removed."""

    def parse_own(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Return what the arguments say; those of ROS without their flag end the process with 2."""
        for text in arguments:
            if text in _OF_ROS or ':=' in text:
                self.error(f'argument {text!r}: arguments of ROS stand behind --ros-args')
        return self.parse_intermixed_args(arguments)
