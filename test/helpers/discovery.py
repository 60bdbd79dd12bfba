# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Discovery of nodes by a client node of the tests."""

from __future__ import annotations

import time
from typing import Any

QUIET = 0.3  # s


def wait_for_quiet(node: Any) -> None:
    """
    Return when the nodes that a node has discovered have not changed for a while.

    Destruction of a node while the discovery removes others can crash the middleware.
    """
    names, since = node.get_node_names(), time.monotonic()
    while time.monotonic() < since + QUIET:
        time.sleep(0.05)
        before, names = names, node.get_node_names()
        if names != before:
            since = time.monotonic()
