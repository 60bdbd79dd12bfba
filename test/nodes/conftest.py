# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node processes in a DDS domain of their own, and a client that talks to them."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from screw_dynamics import Robot, ScrewModel, read_urdf, share_path

if TYPE_CHECKING:
    from helpers.node_processes import NodeProcess
    from helpers.ros_fixture import RosFixture

REASON = 'the nodes need ROS 2: rclpy and screw_dynamics_interfaces'

HAVE_ROS = all(
    importlib.util.find_spec(name) for name in ('rclpy', 'screw_dynamics_interfaces')
) and bool(os.environ.get('AMENT_PREFIX_PATH'))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Do not import modules that need rclpy if it is missing; `test_ros_is_here` reports that."""
    if HAVE_ROS or not collection_path.name.startswith('test_'):
        return None
    return None if collection_path.name == 'test_ros_is_here.py' else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of launch files where launch cannot find the package."""
    if not HAVE_ROS:
        return
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    try:
        get_package_prefix('screw_dynamics')
    except PackageNotFoundError:
        reason = 'launch looks for screw_dynamics in the ament index: run make setup'
        for item in items:
            if item.path.name.startswith('test_launch_'):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope='module')
def ros() -> Iterator[RosFixture]:
    """Return processes and a client in an unused DDS domain."""
    pytest.importorskip('rclpy', reason=REASON)
    from helpers.ros_fixture import RosFixture

    with RosFixture() as fixture:
        yield fixture


@pytest.fixture(scope='session')
def planar() -> Path:
    """Return the smallest robot description."""
    return share_path('urdf/planar_2r.urdf')


@pytest.fixture(scope='session')
def gripper() -> Path:
    """Return the robot description with branches, a prismatic and a mimic joint."""
    return share_path('urdf/branched_gripper.urdf')


@pytest.fixture(scope='session')
def model(gripper: Path) -> ScrewModel:
    """Return the model that `server` has."""
    return read_urdf(gripper)


@pytest.fixture(scope='module')
def server(ros: RosFixture, gripper: Path, model: ScrewModel) -> NodeProcess:
    """Return a dynamics_server that has its model."""
    from helpers.services import SERVICES

    process = ros.start('dynamics_server', urdf_path=gripper, max_samples=1000)
    name = 'get_mass_matrix'
    request = SERVICES[name].Request(position=[0.0] * model.n)
    ros.wait_for(
        'the model',
        lambda: ros.call(SERVICES[name], f'/dynamics_server/{name}', request).success,
        process,
    )
    return process


@pytest.fixture(scope='session')
def call(model: ScrewModel) -> Callable[..., Any]:
    """Return a function that returns responses of dynamics_server, without the node."""
    from helpers.services import asker

    return asker(Robot(model), max_samples=1000)


@pytest.fixture
def exit_codes() -> dict[str, int]:
    """Return the exit codes of what is launched, by process name, filled in as processes end."""
    return {}
