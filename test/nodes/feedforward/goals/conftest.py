# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A node in front of a controller, and clients of its action."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from helpers.action_controller import ActionController
    from helpers.goal_arm import Arm
    from helpers.goal_client import GoalClient
    from helpers.node_processes import NodeProcess
    from helpers.ros_fixture import RosFixture


@pytest.fixture
def controller(ros: RosFixture) -> Iterator[ActionController]:
    """Return the controller of the action `CONTROLLER`."""
    from helpers.action_controller import ActionController
    from helpers.goal_client import NAMES

    node = ros.add_node('arm')
    controller = ActionController(node, NAMES)
    yield controller
    controller.destroy()
    ros.remove_node(node)


@pytest.fixture
def start(ros: RosFixture, planar: Path) -> Iterator[Callable[..., NodeProcess]]:
    """Return a function that starts a node in front of the controller."""
    from helpers.goal_runs import CONTROLLER

    processes: list[NodeProcess] = []

    def start(**parameters: Any) -> NodeProcess:
        processes.append(
            ros.start(
                'feedforward',
                urdf_path=planar,
                publish_rate=100.0,
                follow_joint_trajectory=CONTROLLER,
                **parameters,
            )
        )
        ros.wait_until_active(processes[-1])
        return processes[-1]

    yield start
    for process in processes:
        process.end()


@pytest.fixture(
    params=[False, pytest.param(True, marks=pytest.mark.long)], ids=['standard', 'events']
)
def node(
    request: pytest.FixtureRequest, controller: ActionController, start: Callable[..., NodeProcess]
) -> Iterator[NodeProcess]:
    """Return a node in front of the controller, with each executor; it has to end well."""
    process = start(use_events_executor=request.param)
    yield process
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log


@pytest.fixture
def client(ros: RosFixture) -> Iterator[GoalClient]:
    """Return a client of the node."""
    from helpers.goal_client import GoalClient
    from helpers.goal_runs import OWN

    client = GoalClient(ros.node, OWN)
    yield client
    client.client.destroy()


@pytest.fixture
def make(ros: RosFixture, planar: Path) -> Iterator[Callable[..., Arm]]:
    """Return a function that makes an arm at rest at 0."""
    from helpers.goal_arm import Arm

    arms: list[Arm] = []

    def make(**parameters: Any) -> Arm:
        arms.append(Arm(planar, ros.node, **parameters))
        arms[-1].measure(0.0, 0.0)
        return arms[-1]

    yield make
    for arm in arms:
        arm.destroy()


@pytest.fixture
def arm(make: Callable[..., Arm]) -> Arm:
    """Return an arm at rest at 0, with the default parameters."""
    return make()


@pytest.fixture
def moving_arm(arm: Arm) -> Arm:
    """Return an arm in the middle of a motion of two seconds, which no goal asked for."""
    arm.follow([0.0, 0.0], [1.0, -1.0], times=[0.0, 2.0])
    arm.tick_for(800)
    return arm
