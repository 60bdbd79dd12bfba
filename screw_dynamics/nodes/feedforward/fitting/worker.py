# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main program of the process that fits trajectories; it exits with its parent."""

import gc
import os
import signal
import socket
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

import numpy as np
from rclpy.serialization import serialize_message

from screw_dynamics.control.limit_checks import check_curve
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.kinematics import (
    frame_jacobian,
    frame_pose,
    frame_twist,
    task_to_joint_jet,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.feedforward.fitting import forwarding, tasks
from screw_dynamics.nodes.feedforward.fitting.fit import TooLongError, fit, outline, read_message
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import (
    JET_ROWS,
    TrajectoryPoint,
    smooth_trajectory,
    waypoints_from_points,
)


class Worker:
    """Executes tasks; keeps the current robot and message."""

    def __init__(self) -> None:
        self._robot: tasks.FitRobot | None = None
        self._message: Any = None

    def do(self, task: Any) -> Any:
        """Return the answer to a task, or raise ScrewDynamicsError."""
        if isinstance(task, tasks.FitRobot):
            self._robot = task
            return None
        if isinstance(task, tasks.WarmUp):
            return _warm_up(task.robot.robot, task.poses)
        if isinstance(task, tasks.Reading):
            self._message = None
            self._message = read_message(task)
            return outline(self._message)
        if self._robot is None:
            raise InputError('no robot model is known')
        if isinstance(task, tasks.Fitting):
            return fit(self._message, self._robot, task)
        assert isinstance(task, tasks.Forwarding)
        samples = forwarding.with_efforts(self._robot.robot.model, task)
        if not task.serialised:
            return samples
        message = forwarding.message_without_points(samples)
        message.points = forwarding.points_of(samples)
        return serialize_message(message)


def _warm_up(robot: Robot, poses: bool) -> None:
    """Load all kernels from the cache before the first trajectory needs them."""
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
    """Load the kernels of `cartesian_trajectory`."""
    jet, frame = np.zeros((JET_ROWS, model.n)), model.base_link
    frame_pose(model, jet[0], frame)
    frame_jacobian(model, jet[0], frame)
    twist = frame_twist(model, jet, frame)
    task_to_joint_jet(model, jet[0], twist, frame, damping=1.0)


def main(descriptor: int) -> None:
    """Execute the tasks that arrive on a socket (`descriptor`) until it is closed."""
    # Ctrl-C is for the parent; this process exits with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = socket.socket(fileno=descriptor)
    queue: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(channel, queue), daemon=True).start()
    worker = Worker()
    while True:
        task = queue.get()
        try:
            answer = worker.do(task)
        except TooLongError as error:
            answer = tasks.Refusal(str(error), error.outline)
        except ScrewDynamicsError as error:
            answer = tasks.Refusal(str(error))
        except Exception as error:  # no message may end the process
            answer = tasks.Refusal(f'{type(error).__name__}: {error}')
        with suppress(BrokenPipeError):  # without its parent, this process is about to exit
            tasks.send(channel, answer)


def _receive(channel: socket.socket, queue: SimpleQueue[Any]) -> None:
    """Queue the received tasks; exit the process at once if the socket is closed."""
    while True:
        try:
            queue.put(tasks.receive(channel))
        except (EOFError, OSError):
            os._exit(0)
        except BaseException:  # do not let the parent wait for an answer
            os._exit(1)
