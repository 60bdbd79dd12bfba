# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the node `feedforward`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from screw_dynamics import ScrewModel, read_urdf

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


@pytest.fixture
def light(planar: Path, tmp_path: Path) -> ScrewModel:
    """Return the planar robot with links that are lighter than those of `planar` by 1 / 1.1."""
    path = tmp_path / 'light.urdf'
    text = planar.read_text()
    for mass in ('2.0', '1.0'):
        assert text.count(f'<mass value="{mass}"/>') == 1
        text = text.replace(f'<mass value="{mass}"/>', f'<mass value="{float(mass) / 1.1}"/>')
    path.write_text(text)
    return read_urdf(path)
