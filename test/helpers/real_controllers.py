# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A controller manager of ros2_control with mock hardware, and what its controllers execute."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from ament_index_python.packages import get_package_prefix
from control_msgs.msg import JointTrajectoryControllerState
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from scipy.interpolate import Akima1DInterpolator
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from helpers.ros_fixture import RosFixture
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque

Array = NDArray[np.float64]

DOCS = Path(__file__).resolve().parents[2] / 'docs'
INTERFACES = ('position', 'velocity', 'effort')
MANAGER, BROADCASTER = 'controller_manager', 'joint_state_broadcaster'
_NEXT = 1.5  # periods: two reported updates that are closer follow each other
DEPTH = 5000  # messages: those of seconds, as many as a reader keeps
_COLLECTING = 0.1  # s


def blocks(page: str, heading: str, language: str) -> list[str]:
    """Return the blocks of a language in one section of a page, as printed."""
    text = (DOCS / page).read_text(encoding='utf-8')
    section = re.split(rf'^#+ {re.escape(heading)}\n', text, flags=re.MULTILINE)[1]
    section = re.split(r'^#+ ', section, maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(rf'```{language}\n(.*?)```', section, re.DOTALL)


def described(urdf: Path, start: dict[str, float], motors: dict[str, float] | None = None) -> str:
    """
    Return a robot description whose efforts can be read back, at some positions.

    Motors that are no joints of the URDF are `gpio`, and only their efforts are commanded.
    """
    parts = [_described('joint', name, value, INTERFACES) for name, value in start.items()]
    parts += [_described('gpio', name, x, ('effort',)) for name, x in (motors or {}).items()]
    plugin = '<hardware><plugin>mock_components/GenericSystem</plugin></hardware>'
    system = f'<ros2_control name="arm" type="system">{plugin}{"".join(parts)}</ros2_control>'
    return urdf.read_text(encoding='utf-8').replace('</robot>', f'{system}</robot>')


def _described(kind: str, name: str, position: float, commands: Sequence[str]) -> str:
    return (
        f'<{kind} name="{name}">'
        + ''.join(f'<command_interface name="{interface}"/>' for interface in commands)
        + ''.join(
            f'<state_interface name="{interface}"><param name="initial_value">'
            f'{position if interface == "position" else 0.0}</param></state_interface>'
            for interface in INTERFACES
        )
        + f'</{kind}>'
    )


def with_joints(configuration: dict[str, Any], names: list[str], rate: int) -> dict[str, Any]:
    """
    Return a configuration of controllers for other joints and another update rate.

    Gains become 0: mock hardware does not move by efforts, and they would be added to these.
    """
    result = {
        MANAGER: {
            'ros__parameters': {BROADCASTER: {'type': f'{BROADCASTER}/JointStateBroadcaster'}}
        }
    }
    for name, entry in configuration.items():
        parameters = {
            **result.get(name, {}).get('ros__parameters', {}),
            **entry['ros__parameters'],
        }
        if 'joints' in parameters:
            parameters['joints'] = list(names)  # YAML of ROS has no aliases
        if 'gains' in parameters:
            parameters['gains'] = {joint: {'p': 0.0, 'i': 0.0, 'd': 0.0} for joint in names}
        result[name] = {'ros__parameters': parameters}
    result[MANAGER]['ros__parameters']['update_rate'] = rate
    return result


class Controllers:
    """
    A running controller manager, and the messages that tell what was executed.

    `before` is the start of its command line.
    """

    def __init__(
        self,
        ros: RosFixture,
        folder: Path,
        description: str,
        configuration: dict[str, Any],
        name: str = 'arm_controller',
        before: Sequence[str] = (),
    ) -> None:
        self._ros = ros
        self._file = folder / 'controllers.yaml'
        self._file.write_text(yaml.safe_dump(configuration), encoding='utf-8')
        self.rate = configuration[MANAGER]['ros__parameters']['update_rate']
        # an executor would be too slow for two messages per millisecond: see `_collect`
        self._recorder = Node('recorder', context=ros.context)
        self._received: dict[Any, list[Any]] = {}
        for kind, topic in (
            (JointTrajectoryControllerState, f'/{name}/controller_state'),
            (JointState, '/joint_states'),
            (FeedforwardTorque, '/feedforward/feedforward'),
        ):
            subscription = self._recorder.create_subscription(
                kind, topic, lambda _: None, DEPTH, raw=True
            )
            self._received[subscription] = []
        self._programs = Path(get_package_prefix(MANAGER)) / 'lib' / MANAGER
        ros.describe(description)
        self.process = ros.start_command(
            [
                *before,
                str(self._programs / 'ros2_control_node'),
                *('--ros-args', '--params-file', str(self._file)),
                *('-r', '~/robot_description:=/robot_description'),
            ]
        )
        self._lock, self._ending = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._collect_always, daemon=True)
        self._thread.start()

    def spawn(self, *names: str) -> None:
        """Load, configure and activate controllers."""
        arguments = ['--param-file', str(self._file), '--service-call-timeout', '60']
        spawner = self._ros.start_command([str(self._programs / 'spawner'), *names, *arguments])
        self._ros.wait_for(
            f'the end of the spawner of {names}', lambda: not spawner.running, self.process
        )
        assert spawner.wait() == 0, f'{spawner.log}\n{self.process.log}'

    def _collect(self) -> list[list[Any]]:
        """Return the messages that have arrived, by topic."""
        with self._lock:
            for subscription, messages in self._received.items():
                with subscription.handle:
                    while taken := subscription.handle.take_message(subscription.msg_type, True):
                        messages.append(taken[0])
            return [list(messages) for messages in self._received.values()]

    def _collect_always(self) -> None:
        """Take messages before the readers are full."""
        while not self._ending.wait(_COLLECTING):
            self._collect()

    def forget(self) -> None:
        """Forget what was executed so far."""
        self._collect()
        with self._lock:
            for messages in self._received.values():
                messages.clear()

    def latest(self) -> JointTrajectoryControllerState | None:
        """Return the newest state of the trajectory controller."""
        states = self._collect()[0]
        return deserialize_message(states[-1], JointTrajectoryControllerState) if states else None

    def executed(self, last: int = 0) -> Executed:
        """Return what was executed since `forget`, or by the last messages of each topic."""
        states, samples, _ = (
            [deserialize_message(message, subscription.msg_type) for message in messages[-last:]]
            for subscription, messages in zip(self._received, self._collect(), strict=True)
        )
        return Executed(states, samples, self.rate)

    def published(self) -> list[FeedforwardTorque]:
        """Return what the node has published since `forget`."""
        return [deserialize_message(message, FeedforwardTorque) for message in self._collect()[2]]

    def end(self) -> None:
        """End the controller manager."""
        self._ending.set()
        self._thread.join()
        self.process.end()
        self._recorder.destroy_node()


class Executed:
    """
    References of a trajectory controller and the efforts in the hardware, update by update.

    Attributes
    ----------
    times : numpy.ndarray
        Instants (T,) of updates [ns].
    references : numpy.ndarray
        Positions, velocities and accelerations (T, 3, n).
    reference_times : numpy.ndarray
        Times (T,) of the references since the start of their trajectory [s].
    efforts : numpy.ndarray
        Efforts (T, n) that the update wrote to the hardware.
    reported : float
        Share of the updates of which both messages have arrived: the threads that publish them
        may skip some on a busy machine.

    """

    def __init__(
        self, states: list[JointTrajectoryControllerState], samples: list[JointState], rate: int
    ) -> None:
        self.names = list(states[0].joint_names)
        # the first messages of a broadcaster may lack joints
        samples = [sample for sample in samples if set(self.names) <= set(sample.name)]
        self._period = SECOND / rate
        starts = _starts(states, samples, self._period)
        follows = np.append(False, np.diff(starts) < _NEXT * self._period)
        written = {}  # by update; a sample has the efforts that the update before it has written
        for sample in samples:
            order = [sample.name.index(name) for name in self.names]
            if follows[_update(starts, sample)]:
                written[_update(starts, sample) - 1] = [sample.effort[k] for k in order]
        kept = [m for m in states if _update(starts, m) in written and m.reference.positions]
        self.times = np.array([nanoseconds(m.header.stamp) for m in kept])
        self.references = np.array(
            [
                [m.reference.positions, m.reference.velocities, m.reference.accelerations]
                for m in kept
            ]
        )
        self.reference_times = np.array(
            [nanoseconds(m.reference.time_from_start) / SECOND for m in kept]
        )
        self.efforts = np.array([written[_update(starts, m)] for m in kept])
        self.reported = len(kept) / max(1.0, (starts[-1] - starts[0]) / self._period)

    def after(self, values: Array, delay: float) -> tuple[NDArray[np.bool_], Array]:
        """
        Return values (T, n) of updates some time after each of them [s], and which are known.

        They are known between two updates that follow each other.
        """
        times = (self.times - self.times[0]) / SECOND
        at = times + delay
        i = np.clip(np.searchsorted(times, at, 'right') - 1, 0, len(times) - 2)
        known = (times[i + 1] - times[i] < _NEXT * self._period / SECOND) & (at <= times[-1])
        return known, np.nan_to_num(Akima1DInterpolator(times, values)(at))


def _starts(
    states: list[JointTrajectoryControllerState], samples: list[JointState], period: float
) -> NDArray[np.int64]:
    """
    Return the instants [ns] at which the updates begin that messages tell of.

    The controllers of an update run in the same order in each, at instants of their own: some
    20 us apart, more where the thread was held up between them.
    """
    instants = np.array([nanoseconds(m.header.stamp) for m in (*states, *samples)], dtype=np.int64)
    order = np.argsort(instants)
    gaps, sample = np.diff(instants[order]), order >= len(states)
    to_sample, to_state = ~sample[:-1] & sample[1:], sample[:-1] & ~sample[1:]
    within = min(
        to_sample, to_state, key=lambda pairs: np.median(gaps[pairs]) if pairs.any() else np.inf
    )
    joined = within & (gaps < period / 2.0)
    return instants[order][np.append(True, ~joined)]


def _update(starts: NDArray[np.int64], message: Any) -> int:
    """Return the number of the update of a message."""
    return int(np.searchsorted(starts, nanoseconds(message.header.stamp), 'right')) - 1


def exact_efforts(model: sd.ScrewModel, names: list[str], states: Array) -> Array:
    """Return the efforts (T, n) of states (T, 3, n), joints in the order of `names`."""
    order = [names.index(name) for name in model.joint_names]
    efforts = sd.inverse_dynamics(model, states[:, :, order])[:, 0]
    back = [model.joint_names.index(name) for name in names]
    return efforts[:, back]
