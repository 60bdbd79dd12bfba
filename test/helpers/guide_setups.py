# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Set-ups of the guides as they are printed there, for other joints and with mock hardware."""

from __future__ import annotations

import os
import re
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from helpers.launched import launch_process
from helpers.real_controllers import (
    BROADCASTER,
    MANAGER,
    Controllers,
    blocks,
    described,
    with_joints,
)
from helpers.ros_fixture import RosFixture

# page and heading
SET_UP_A = ('guides.md', 'A. joint_trajectory_controller with the effort interface')
SET_UP_B = ('guides.md', 'B. Position controller and effort controller')
MOVEIT_CONTROLLER = ('moveit.md', 'Controller')
MOVEIT_NODE = ('moveit.md', 'Node')

_SERVICE = '/feedforward/get_state'
LAUNCH = re.compile(r'^ros2 launch screw_dynamics (\w+)\.launch\.py (.*)$', re.MULTILINE)


def launch_line(page: str, heading: str) -> tuple[str, dict[str, str]]:
    """Return name and arguments of the launch file that a section starts."""
    text = '\n'.join(blocks(page, heading, 'bash')).replace('\\\n', ' ')
    name, arguments = LAUNCH.findall(text)[0]
    return name, dict(word.split(':=', 1) for word in shlex.split(arguments))


@contextmanager
def running_set_up(
    ros: RosFixture,
    folder: Path,
    urdf: Path,
    start: dict[str, float],
    rate: int,
    *,
    controllers: tuple[str, str],
    node: tuple[str, str],
    interfaces: list[str] | None = None,
    name: str = 'arm_controller',
    **parameters: Any,
) -> Iterator[Controllers]:
    """
    Start controllers and node as two sections print it, given as page and heading, and end them.

    `interfaces` replaces the command interfaces of the controller `name`; `parameters` are added
    to those of the node.
    """
    configuration: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for section in dict.fromkeys((controllers, node)):
        for block in blocks(*section, 'yaml'):
            printed = yaml.safe_load(block)
            if '/**' in printed:
                own |= printed['/**']['ros__parameters']
            elif section == controllers:
                configuration |= printed
    names = list(start)
    if interfaces:
        configuration[name]['ros__parameters']['command_interfaces'] = interfaces
    parameter_file = folder / 'my_feedforward.yaml'
    own |= {**parameters, 'joints': names}
    parameter_file.write_text(yaml.safe_dump({'/**': {'ros__parameters': own}}), encoding='utf-8')
    running = Controllers(
        ros, folder, described(urdf, start), with_joints(configuration, names, rate), name
    )
    running.spawn(
        *dict.fromkeys((BROADCASTER, *(name for name in configuration if name != MANAGER)))
    )
    file, arguments = launch_line(*node)
    launched = launch_process(ros, file, **{**arguments, 'params_file': str(parameter_file)})
    try:
        ros.wait_for(
            'the node, or the end of what was launched',
            lambda: (
                launched.poll() is not None
                or _SERVICE in dict(ros.node.get_service_names_and_types())
            ),
            running.process,
        )
        assert launched.poll() is None, f'what was launched has ended: {launched.stdout.read()}'
        ros.wait_until_active(running.process)
        yield running
    finally:
        if launched.poll() is None:
            os.killpg(launched.pid, signal.SIGTERM)
        launched.communicate()
        running.end()
