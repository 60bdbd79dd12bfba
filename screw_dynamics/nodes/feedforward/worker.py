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
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.common.times import nanoseconds
from screw_dynamics.control import fit_requests
from screw_dynamics.control.fit import fit, outline
from screw_dynamics.control.forwarding import with_efforts
from screw_dynamics.control.limit_checks import check_curve
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import ScrewDynamicsError, TrajectoryError, bounded
from screw_dynamics.nodes.shared.child_process import ChildProcess
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

    def ask(self, task: Any, done: Callable[[Any], None]) -> None:
        """Execute a `Task`; `done` is called with its answer, in another thread."""
        robot = getattr(task, 'robot', None)
        if robot is not self._robot[0] and robot is not None:
            self._robot = robot, pickle.dumps(robot)
        sent = task if robot is None else replace(task, robot=None)
        self._ask((sent, self._robot[1] if robot is not None else b''), done, again=True)

    def _ask(
        self, arguments: tuple[Any, bytes], done: Callable[[Any], None], *, again: bool
    ) -> None:
        """Ask, and once more if the process dies meanwhile."""

        def answered(future: Future[Any]) -> None:
            if future.cancelled():
                return
            if again and isinstance(future.exception(), BrokenProcessPool):
                self._ask(arguments, done, again=False)
            else:
                done(_answer(future))

        try:
            future = self._process.submit(_perform, *arguments)
        except RuntimeError as error:  # no process can be started, or it is closed
            done(fit_requests.Refusal(bounded(f'the process that fits trajectories: {error}')))
            return
        future.add_done_callback(answered)


def _answer(future: Future[Any]) -> Any:
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BrokenProcessPool):
        return fit_requests.Refusal('the process that fits trajectories has ended')
    return fit_requests.Refusal(bounded(f'{type(error).__name__}: {error}'))


def heading(data: bytes) -> fit_requests.Heading | None:
    """Return the header of a message without reading its points; None if it cannot be decoded."""
    try:
        header = deserialize_message(data, Header)
        return fit_requests.Heading(nanoseconds(header.stamp), header.frame_id)
    except Exception:  # rclpy raises RuntimeError, and other types for strings
        return None


# in the process ----------------------------------------------------------------------------------


def _perform(task: Any, robot: bytes) -> Any:
    """Return the answer to a task; a Refusal if it fails for any reason."""
    try:
        if robot:
            task = replace(task, robot=_robot(robot))
        if isinstance(task, fit_requests.Reading):
            return outline(_message(task.data, task.poses))
        if isinstance(task, fit_requests.Fitting):
            return fit(_message(task.reading.data, task.reading.poses), task)
        return with_efforts(task)
    except ScrewDynamicsError as error:
        return fit_requests.Refusal(str(error))
    except Exception as error:  # no message may end the process
        return fit_requests.Refusal(bounded(f'{type(error).__name__}: {error}'))


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
