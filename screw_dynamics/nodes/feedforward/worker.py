# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Worker`: a process that reads and fits trajectories, so that no tick waits for them."""

import gc
import os
import pickle
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from multiprocessing import get_context, parent_process
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.control.fit import fit, outline
from screw_dynamics.control.forwarding import with_efforts
from screw_dynamics.control.limit_checks import check_curve
from screw_dynamics.control.tasks import (
    FitRobot,
    Fitting,
    Heading,
    Reading,
    Refusal,
)
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import ScrewDynamicsError, TrajectoryError, bounded
from screw_dynamics.kinematics import (
    frame_jacobian,
    frame_pose,
    frame_twist,
    task_to_joint_jet,
)
from screw_dynamics.messages.times import nanoseconds
from screw_dynamics.model import ScrewModel
from screw_dynamics.trajectory import (
    JET_ROWS,
    TrajectoryPoint,
    smooth_trajectory,
    waypoints_from_points,
)

_NICE = 5
_SIGNALS = {signal.SIGINT, signal.SIGTERM}


class Worker:
    """
    A process that executes tasks one by one; one that has died is replaced at the next task.

    A thread would share the interpreter lock with the ticks: to decode a message of 10 000 points
    keeps it for 0.1 s, to check the limits of 3000 points for 45 ms.
    """

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._robot: tuple[FitRobot | None, bytes] = None, b''

    def warm_up(self, robot: FitRobot, *, poses: bool = False) -> None:
        """Wait until the process is running and is warm for a robot."""
        with suppress(BrokenProcessPool, RuntimeError):  # closed meanwhile; a task reports it
            self._submit(_warm_up, pickle.dumps(robot), poses).result()

    def ask(self, task: Any, done: Callable[[Any], None]) -> None:
        """Execute a `Task`; `done` is called with its answer, in another thread."""
        robot = getattr(task, 'robot', None)
        if robot is not self._robot[0] and robot is not None:
            self._robot = robot, pickle.dumps(robot)
        sent = task if robot is None else replace(task, robot=None)
        ask = partial(self._submit, _perform, sent, self._robot[1] if robot is not None else b'')
        self._ask(ask, done, again=True)

    def _ask(
        self, ask: Callable[[], Future[Any]], done: Callable[[Any], None], *, again: bool
    ) -> None:
        """Ask, and once more if the process dies meanwhile."""

        def answered(future: Future[Any]) -> None:
            if future.cancelled():
                return
            if again and isinstance(future.exception(), BrokenProcessPool):
                self._ask(ask, done, again=False)
            else:
                done(_answer(future))

        try:
            future = ask()
        except RuntimeError as error:  # no process can be started, or it is closed
            done(Refusal(bounded(f'the process that fits trajectories: {error}')))
            return
        future.add_done_callback(answered)

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        with self._lock:
            if self._closed:
                raise RuntimeError('closed')
            try:
                return self._started().submit(function, *arguments)
            except BrokenProcessPool:  # it has died while it was idle
                self._pool = None
                return self._started().submit(function, *arguments)

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Ctrl-C is for this process: the other one inherits the mask until it ignores it
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
            try:
                self._pool = ProcessPoolExecutor(1, get_context('spawn'), initializer=_begin)
                self._pid = self._pool.submit(os.getpid)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return self._pool

    def close(self) -> None:
        """End the process, also in the middle of a task."""
        with self._lock:
            pool, self._pool, self._closed = self._pool, None, True
        if pool is None:
            return
        known = self._pid.done() and self._pid.exception() is None
        if known:
            with suppress(ProcessLookupError):
                os.kill(self._pid.result(), signal.SIGKILL)
        # its threads end soon then, and its semaphores with them
        pool.shutdown(wait=known, cancel_futures=True)


def _answer(future: Future[Any]) -> Any:
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BrokenProcessPool):
        return Refusal('the process that fits trajectories has ended')
    return Refusal(bounded(f'{type(error).__name__}: {error}'))


def heading(data: bytes) -> Heading | None:
    """Return the header of a message without reading its points; None if it cannot be decoded."""
    try:
        header = deserialize_message(data, Header)
        return Heading(nanoseconds(header.stamp), header.frame_id)
    except Exception:  # rclpy raises RuntimeError, and other types for strings
        return None


# in the process ----------------------------------------------------------------------------------


def _begin() -> None:
    """Leave signals to the parent, give way to its ticks, and exit with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    if hasattr(os, 'sched_setscheduler'):  # a real-time priority is inherited
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with suppress(OSError):
        os.nice(_NICE)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)


def _perform(task: Any, robot: bytes) -> Any:
    """Return the answer to a task; a Refusal if it fails for any reason."""
    try:
        if robot:
            task = replace(task, robot=_robot(robot))
        if isinstance(task, Reading):
            return outline(_message(task.data, task.poses))
        if isinstance(task, Fitting):
            return fit(_message(task.reading.data, task.reading.poses), task)
        return with_efforts(task)
    except ScrewDynamicsError as error:
        return Refusal(str(error))
    except Exception as error:  # no message may end the process
        return Refusal(bounded(f'{type(error).__name__}: {error}'))


@lru_cache(1)
def _robot(data: bytes) -> FitRobot:
    robot: FitRobot = pickle.loads(data)
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


def _warm_up(data: bytes, poses: bool) -> None:
    """Fit once, so that the first trajectory does not wait for imports."""
    robot = _robot(data).robot
    model = robot.model
    rest = (0.0,) * model.n
    points = [TrajectoryPoint(0.0, rest), TrajectoryPoint(1.0, rest)]
    curve = smooth_trajectory(waypoints_from_points(model.joint_names, points, model.joint_names))
    check_curve(robot, curve, 0.0, 'warn')
    inverse_dynamics(model, curve.jets([0.0], rows=3))
    if poses:
        _warm_up_poses(model)
    # long messages make the garbage collector look through all objects, which takes 0.1 s
    gc.freeze()


def _warm_up_poses(model: ScrewModel) -> None:
    """Call what `cartesian_trajectory` calls."""
    jet, frame = np.zeros((JET_ROWS, model.n)), model.base_link
    frame_pose(model, jet[0], frame)
    frame_jacobian(model, jet[0], frame)
    twist = frame_twist(model, jet, frame)
    task_to_joint_jet(model, jet[0], twist, frame, damping=1.0)
