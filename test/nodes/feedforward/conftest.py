# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the node `feedforward`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from helpers.receiving_node import Node


@pytest.fixture
def moving(planar: Path) -> Node:
    """Return a node 300 ms into a motion of a second."""
    from helpers.receiving_node import MS, Node

    node = Node(planar)
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 300 * MS
    return node
