# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of ROS start-up errors to `BagError`."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from screw_dynamics.errors import BagError

_OF_ROS = ('-p', '--param', '--params-file', '--remap', '--log-level', '--enclave')


@contextmanager
def ros_errors_told() -> Iterator[None]:
    """Convert errors of ROS in a block, about arguments or the environment, to `BagError`."""
    try:
        yield
    except RuntimeError as error:  # base class of all errors that rclpy raises for them
        text = ' '.join(str(error).split())
        raise BagError(f'ROS cannot start with these arguments and settings: {text}') from None


class RosParser(argparse.ArgumentParser):
    """A parser of the arguments that remain after removing those of ROS."""

    def parse_own(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse arguments without the program name; exit with 2 if some belong to ROS."""
        for text in arguments:
            if text in _OF_ROS or ':=' in text:
                self.error(f'argument {text!r}: arguments of ROS stand behind --ros-args')
        return self.parse_intermixed_args(arguments)
