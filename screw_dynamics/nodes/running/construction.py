# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`destroyed_on_error`: no node is left half made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rclpy.node import Node


@contextmanager
def destroyed_on_error(node: Node) -> Iterator[None]:
    """
    Destroy a node whose constructor fails, for the ``with`` block of all that it makes.

    What rclpy keeps of it, and a thread that builds its model, would hold it until the process
    exits; its DDS threads then run while the library is being taken down, which may crash.
    """
    try:
        yield
    except BaseException:
        node.destroy_node()
        raise
