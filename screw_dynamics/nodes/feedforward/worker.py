# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Worker`: a process that reads and fits trajectories, so that no tick waits for them."""

import gc
import pickle
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from rclpy.serialization import deserialize_message
from std_msgs.msg import Header as StampedHeader
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.common.times import nanoseconds
from screw_dynamics.control.fit import answer
from screw_dynamics.control.limit_checks import check_curve
from screw_dynamics.control.tasks import Answer, Fit, Header, Rejection
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import TrajectoryError, bounded
from screw_dynamics.nodes.shared.child_process import ChildProcess, reason
from screw_dynamics.trajectory import (
    TrajectoryPoint,
    smooth_trajectory,
    waypoints_from_points,
)


class Worker:
    """
    Executes the tasks of the core in a process, which loads the kernels before.

    A thread would keep the interpreter lock for 0.1 s to decode a message of 10 000 points, and
    for 45 ms to check the limits of 3000 points.
    """

    def __init__(self) -> None:
        self._process = ChildProcess()
        self._robot: tuple[Robot | None, bytes] = None, b''
        self.close = self._process.close

    def warm_up(self, robot: Robot) -> None:
        """Wait until the process is running and is warm for a robot."""
        with suppress(BrokenProcessPool, RuntimeError):  # closed meanwhile; a task reports it
            self._process.submit(_warm_up, pickle.dumps(robot)).result()

    def ask(self, task: Fit, done: Callable[[Answer], None]) -> None:
        """Execute a task; `done` is called with its answer, in another thread."""
        robot = task.running.robot
        if robot is not self._robot[0]:
            self._robot = robot, pickle.dumps(robot)
        self._ask((_with_robot(task, None), self._robot[1]), done, again=True)

    def _ask(
        self, arguments: tuple[Any, bytes], done: Callable[[Answer], None], *, again: bool
    ) -> None:
        """Ask, and once more if the process dies meanwhile."""

        def answered(future: Future[Any]) -> None:
            if future.cancelled():
                return
            error = future.exception()
            if again and isinstance(error, BrokenProcessPool):
                self._ask(arguments, done, again=False)
            elif isinstance(error, BrokenProcessPool):
                done(Rejection('the process that fits trajectories has ended'))
            else:
                done(future.result() if error is None else Rejection(reason(error)))

        try:
            future = self._process.submit(_perform, *arguments)
        except RuntimeError as error:  # no process can be started, or it is closed
            done(Rejection(bounded(f'the process that fits trajectories: {error}')))
            return
        future.add_done_callback(answered)


def _with_robot(task: Fit, robot: Any) -> Fit:
    return replace(task, running=task.running._replace(robot=robot))


def header_of(header: Any) -> Header:
    """Return the record of a header."""
    return Header(nanoseconds(header.stamp), header.frame_id)


def read_header(data: bytes) -> Header | None:
    """Return the header of a message without reading its points; None if it cannot be decoded."""
    try:
        return header_of(deserialize_message(data, StampedHeader))
    except Exception:  # rclpy raises RuntimeError, and other types for strings
        return None


def _perform(task: Fit, robot: bytes) -> Answer:
    """Return the answer to a task; a Rejection if it fails for any reason."""
    try:
        message = task.arrival.message
        task = _with_robot(task, _robot(robot))
        return answer(_message(message.data, message.poses), task)
    except Exception as error:  # no message may end the process
        return Rejection(reason(error))


@lru_cache(1)
def _robot(data: bytes) -> Robot:
    robot: Robot = pickle.loads(data)
    return robot


@lru_cache(1)
def _message(data: bytes, poses: bool) -> Any:
    """Return the decoded message; raise TrajectoryError if it is invalid."""
    kind, name = JointTrajectory, 'trajectory_msgs/JointTrajectory'
    if poses:
        from nav_msgs.msg import Path  # an optional package

        kind, name = Path, 'nav_msgs/Path'
    try:
        return deserialize_message(data, kind)
    except Exception as error:  # as above
        raise TrajectoryError(
            f'expected a {name}, got {len(data)} bytes that cannot be decoded '
            f'({str(error).splitlines()[0][:200]})'
        ) from None


def _warm_up(data: bytes) -> None:
    """Fit once, so that the first trajectory does not wait for imports."""
    robot = _robot(data)
    model = robot.model
    rest = (0.0,) * model.n
    points = [TrajectoryPoint(0.0, rest), TrajectoryPoint(1.0, rest)]
    curve = smooth_trajectory(waypoints_from_points(model.joint_names, points, model.joint_names))
    check_curve(robot, curve, 0.0, 'warn')
    inverse_dynamics(model, curve.jets([0.0], rows=3))
    # long messages make the garbage collector look through all objects, which takes 0.1 s
    gc.freeze()
