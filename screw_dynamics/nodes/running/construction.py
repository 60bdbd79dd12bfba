# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`destroyed_on_error`: destruction of a node whose constructor raises."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rclpy.node import Node


@contextmanager
def destroyed_on_error(node: Node) -> Iterator[None]:
    """
    Destroy a node if the ``with`` block, the part of its constructor after Node's, raises.

    Otherwise references in rclpy, or in the thread that builds its model, would keep it until the
    process exits; its DDS threads would then run while the library is unloaded, which may crash.
    """
    try:
        yield
    except BaseException:
        node.destroy_node()
        raise
