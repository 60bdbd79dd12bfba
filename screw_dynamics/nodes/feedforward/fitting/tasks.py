# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks for the process that fits trajectories, its answers, and their way through a socket."""

import pickle
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.reference.interpolation import ActiveTrajectory, Join
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints


@dataclass(frozen=True)
class FitRobot:
    """The robot of the following tasks; `continuous` names the joints without position limits."""

    robot: Robot
    uncontrolled_joints: Mapping[str, str]
    continuous: tuple[str, ...]


@dataclass(frozen=True)
class WarmUp:
    """Load the kernels that fits for a robot use, with `poses` also those of frames."""

    robot: FitRobot
    poses: bool


@dataclass(frozen=True)
class Reading:
    """Decode a serialised JointTrajectory, or Path of poses; keep it for the following tasks."""

    data: bytes
    most_points: int
    poses: bool = False


@dataclass(frozen=True)
class Heading:
    """Header of a message; `stamp` [ns]."""

    stamp: int
    frame_id: str


@dataclass(frozen=True)
class Outline(Heading):
    """Summary of a message, with the time_from_start of its first and last point [s]."""

    joint_names: tuple[str, ...]
    points: int
    first_time: float
    last_time: float


@dataclass(frozen=True)
class Fitting:
    """Check the message and fit its curve."""

    join: Join
    from_first_point: bool  # the start state is rest there, if its time is above 0
    hold_positions: Array | None  # (n,), for joints that the message omits
    parameters: FeedforwardParameters
    speed: float  # at which the curve will be followed
    received: int  # [ns]


@dataclass(frozen=True)
class Fit:
    """A fitted curve and its points."""

    waypoints: Waypoints
    joined: float  # time from start at which the curve begins [s]
    curve: PiecewisePolynomial
    warnings: tuple[str, ...]  # about limits


@dataclass(frozen=True)
class Forwarding:
    """
    Sample a motion every `period` [s], with efforts.

    From the instant `since` [ns] until it begins, the motions `before` it apply, in this order, at
    nominal speed. `stamp` is that of the received trajectory [ns]. The answer is a serialised
    message, or `Samples` if not `serialised`.
    """

    motion: ActiveTrajectory
    before: tuple[ActiveTrajectory, ...]
    since: int
    stamp: int
    frame_id: str
    period: float
    effort_format: EffortFormat
    serialised: bool = True


@dataclass(frozen=True)
class Samples:
    """States (T, 3, n) and efforts (T, n) at `times` (T,) from the instant `stamp` [ns]."""

    stamp: int
    frame_id: str
    joint_names: tuple[str, ...]
    times: NDArray[np.int64]
    jets: Array
    efforts: Array


@dataclass(frozen=True)
class Refusal:
    """Reason why a task failed, with the outline of the message if it was decoded."""

    reason: str
    outline: Outline | None = None


_SIZE = struct.Struct('=Q')


def send(channel: socket.socket, item: Any) -> None:
    """Send a task or an answer: its pickle, then the memory of its arrays."""
    arrays: list[pickle.PickleBuffer] = []
    data = pickle.dumps(item, 5, buffer_callback=arrays.append)
    parts: list[bytes | memoryview] = [data, *(array.raw() for array in arrays)]
    channel.sendall(b''.join(map(_SIZE.pack, (len(parts), *map(len, parts)))))
    for part in parts:
        channel.sendall(part)


def receive(channel: socket.socket) -> Any:
    """
    Return what `send` has sent; raise EOFError if the other side has ended.

    The system fills the arrays in place, without the interpreter lock: to copy those of 10 000
    points with it would take longer than several ticks.
    """
    (count,) = _SIZE.unpack(_received(channel, _SIZE.size))
    sizes = [size for (size,) in _SIZE.iter_unpack(_received(channel, count * _SIZE.size))]
    data, *arrays = [_received(channel, size) for size in sizes]
    return pickle.loads(data, buffers=arrays)


def _received(channel: socket.socket, size: int) -> memoryview:
    data = left = np.empty(size, np.uint8).data
    while left:
        count = channel.recv_into(left, len(left), socket.MSG_WAITALL)
        if not count:
            raise EOFError('the connection is closed')
        left = left[count:]
    return data
