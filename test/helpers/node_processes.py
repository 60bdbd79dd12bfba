# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes of nodes: their command lines, start and end; messages for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='messages need ROS 2')

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rclpy.qos import DurabilityPolicy, QoSProfile
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from helpers.patience import patience

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Ctrl-C is not for the processes. Not a session of its own, if Python has a choice: Linux may
# share the processor between sessions before it looks at priorities.
OWN_GROUP: dict[str, object] = (
    {'process_group': 0} if sys.version_info >= (3, 11) else {'start_new_session': True}
)
MOST_KEPT = 5000  # messages of a topic, the most that Fast DDS keeps


def node_command(name: str, *arguments: str, before: str = '') -> list[str]:
    """Return the command line of a node, before whose start a script is run."""
    start = (
        f'import sys; from screw_dynamics.entry_points import {name}\n{before}\nsys.exit({name}())'
    )
    return [sys.executable, '-W', 'ignore', '-c', start, *arguments]


def keep_all(namespace: str, *topics: str) -> dict[str, object]:
    """Return parameters with which publishers keep all messages for a client that is late."""
    return {f'qos_overrides__{namespace}/{name}__publisher__depth': MOST_KEPT for name in topics}


class NodeProcess:
    """A running node; what it writes goes to a file."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        handle, name = tempfile.mkstemp(suffix='.log')
        self._log = Path(name)
        weakref.finalize(self, self._log.unlink, missing_ok=True)
        self._process = subprocess.Popen(
            command, stdout=handle, stderr=subprocess.STDOUT, env=environment, **OWN_GROUP
        )
        os.close(handle)

    @property
    def log(self) -> str:
        return self._log.read_text(errors='replace')

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self) -> int:
        return self._process.wait(patience())

    def interrupt(self, number: int = signal.SIGINT) -> int:
        self._process.send_signal(number)
        return self.wait()

    def send(self, number: int) -> None:
        self._process.send_signal(number)

    def end(self) -> None:
        """
        End the node in a way that the nodes it talked to notice.

        A killed node stays discovered for some seconds and receives requests for its successor.
        """
        if self.running:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.wait()
        self.kill()

    def kill(self) -> None:
        if self.running:
            self._process.kill()
            self._process.wait()


def parameter(name: str, value: object) -> Parameter:
    """Return a parameter as a message."""
    kinds = {
        bool: ('bool_value', ParameterType.PARAMETER_BOOL),
        int: ('integer_value', ParameterType.PARAMETER_INTEGER),
        float: ('double_value', ParameterType.PARAMETER_DOUBLE),
        str: ('string_value', ParameterType.PARAMETER_STRING),
        list: ('double_array_value', ParameterType.PARAMETER_DOUBLE_ARRAY),
    }
    field, kind = kinds[type(value)]
    return Parameter(name=name, value=ParameterValue(type=kind, **{field: value}))


def trajectory(
    joint_names: Sequence[str],
    *points: Sequence[float],
    times: Sequence[float] | None = None,
    velocities: Sequence[Sequence[float]] | None = None,
) -> JointTrajectory:
    """Return a message with one point per second, or at the given times."""
    message = JointTrajectory(joint_names=list(joint_names))
    for i, positions in enumerate(points):
        point = JointTrajectoryPoint(positions=[float(x) for x in positions])
        if velocities is not None:
            point.velocities = [float(x) for x in velocities[i]]
        nanoseconds = round(1e9 * (times[i] if times is not None else float(i)))
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(nanoseconds, 10**9)
        message.points.append(point)
    return message
