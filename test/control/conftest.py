# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the core of the nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from screw_dynamics import ScrewModel, read_urdf, share_path


@pytest.fixture
def planar() -> Path:
    """Return the file of the planar robot."""
    return share_path('urdf/planar_2r.urdf')


@pytest.fixture
def gripper() -> Path:
    """Return the file of a robot with fixed and mimic joints."""
    return share_path('urdf/branched_gripper.urdf')


@pytest.fixture(scope='session')
def model() -> ScrewModel:
    """Return the model of that robot."""
    return read_urdf(share_path('urdf/branched_gripper.urdf'))


@pytest.fixture(scope='session')
def arm() -> ScrewModel:
    """Return the model of the planar robot."""
    return read_urdf(share_path('urdf/planar_2r.urdf'))


@pytest.fixture
def moving(planar):
    """Return a node 300 ms into a motion of a second."""
    from helpers.receiving_node import MS, Node

    node = Node(planar)
    node.follow([0.0, 0.0], [1.0, -1.0])
    node.now += 300 * MS
    return node
