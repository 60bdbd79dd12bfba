# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ObservedLoads`: external loads from a stream of JointState messages."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.settings import one_or_each
from screw_dynamics.common.times import SECOND, instant_of, nanoseconds
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.spring_efforts import SpringEfforts
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import InputError, SingularJacobianError, UnknownNameError
from screw_dynamics.estimation.observers import (
    ContactDetector,
    LoadObserver,
    measured_spring_efforts,
)
from screw_dynamics.estimation.observers.carried_payload import CarriedPayload, PayloadWatch
from screw_dynamics.nodes.load_observer.parameters import LoadObserverParameters
from screw_dynamics.recordings.messages.joints import (
    joint_state_rows,
    named_row,
    require_usable,
    state_row,
)

_FIELDS = ('position', 'velocity', 'effort')


class JointStateHistory:
    """The newest `most` samples of n joints since the last gap, for another thread to read."""

    def __init__(self, joints: int, most: int) -> None:
        self._joints = joints
        self._rows = np.empty((most, 1 + 2 * joints))
        self._count = 0
        self._lock = Lock()

    def add(self, time: float, position: Array, effort: Array) -> None:
        """Keep a sample (n,) at a time [s] after all others."""
        with self._lock:
            row, n = self._rows[self._count % len(self._rows)], self._joints
            row[0], row[1 : 1 + n], row[1 + n :] = time, position, effort
            self._count += 1

    def clear(self) -> None:
        """Drop all samples."""
        with self._lock:
            self._count = 0

    def latest(self, duration: float) -> tuple[Array, Array, Array]:
        """Return times (T,) [s], positions and efforts (T, n) of the last `duration` [s]."""
        with self._lock:
            next_row = self._count % len(self._rows)
            oldest = self._rows[next_row:] if self._count >= len(self._rows) else self._rows[:0]
            rows = np.concatenate((oldest, self._rows[:next_row]))
        if len(rows):
            rows = rows[rows[:, 0] >= rows[-1, 0] - duration]
        positions, efforts = np.split(rows[:, 1:], 2, axis=1)
        return rows[:, 0], positions, efforts


class MotorStateBuffer:
    """The newest states of all motors: `values` (2, m) at `instant` [ns], None at first."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self.values = np.zeros((2, len(self._names)))
        self.instant: int | None = None

    def update(self, message: Any, now: int, timeout: float) -> None:
        """Store positions and velocities received at `now` [ns], or raise InputError."""
        instant = instant_of(message, now, timeout)
        values = [state_row(message, field, self._names) for field in ('position', 'velocity')]
        if self.instant is None or not 0 < self.instant - instant <= timeout * SECOND:
            self.values[:], self.instant = values, instant  # else a newer one was faster

    def fresh(self, now: int, timeout: float) -> bool:
        """Return True if the values are not older than `timeout` [s]."""
        # a time in the future is from before the clock was set back
        return self.instant is not None and abs(now - self.instant) <= timeout * SECOND


class ObservedLoads:
    """
    External efforts, a wrench and contacts at `instant` [ns]; `kept` has the newest samples.

    The `detector` knows the contact that lasts, and its observer doubts about the efforts;
    `payload` is the last contact that looked like one.
    """

    def __init__(self, robot: Robot, parameters: LoadObserverParameters) -> None:
        self.joint_names = robot.joint_names
        self._robot = robot
        self.effort: Array = np.zeros(robot.n)
        self.kept = JointStateHistory(robot.n, parameters.kept_samples)
        parameters.require_values(robot)
        self._motors: MotorStateBuffer | None = None
        self.measured = parameters.effort_format  # of the efforts that are kept
        if parameters.effort_source == 'motor_states':
            self._motors, self.measured = MotorStateBuffer(robot.motors.names), EffortFormat()
        frame = parameters.wrench_frame
        if frame:
            try:
                robot.tree.frame(frame)
            except UnknownNameError as error:
                raise InputError(f"parameter 'wrench.frame': {error}") from None
        self.apply(parameters)
        sprung = self._motors is not None and not SpringEfforts(robot.motors).rigid.any()
        self._needed = _FIELDS[:2] if sprung else _FIELDS

    def apply(self, parameters: LoadObserverParameters) -> None:
        """Begin anew with other parameters; raise InputError if they do not fit the robot."""
        self.detector = _detector(self._robot, self.measured, parameters)
        drives = self._robot.drives
        self._slips = np.full((3, 0 if drives is None else self._robot.motors.m), np.nan)
        frame = parameters.payload_frame or parameters.wrench_frame
        self._watch = PayloadWatch(self.detector, frame)
        self.payload: CarriedPayload | None = None
        self._parameters, self.instant, self._begin = parameters, 0, 0
        self.effort[:] = 0.0
        self.kept.clear()

    def warm_up(self) -> None:
        """Observe once, so that no message waits for imports and tables of the model."""
        zeros = np.zeros(len(self.joint_names))
        for time in (0.0, 1.0):
            self.detector.update(time, zeros, zeros + 1.0, zeros + 1e9)  # not at rest
        self.wrench()
        self.detector.reset()

    def receive(self, message: Any, now: int) -> bool:
        """Observe a message received at `now` [ns]; False for other joints and repeated stamps."""
        instant = nanoseconds(message.header.stamp) or now
        if not any(name in message.name for name in self.joint_names):
            return False
        q, qd, effort = self._rows(message)
        gap = instant - self.instant
        if self._begin and -self._parameters.timeout * SECOND <= gap <= 0:
            return False
        effort = self._spring_efforts(np.stack([q, qd]), effort, instant)
        if not self._begin or not 0 < gap <= self._parameters.timeout * SECOND:
            self.detector.reset()
            self._watch.reset()
            self._begin = instant
            self.kept.clear()
        time = (instant - self._begin) / SECOND
        self.detector.update(time, q, qd, effort)
        self.payload = self._watch.update(time) or self.payload
        self.kept.add(time, q, effort)
        self.instant = instant
        self.effort[:] = self.detector.observer.effort
        return True

    def receive_motors(self, message: Any, now: int) -> None:
        """Store motor states received at `now` [ns], or raise InputError."""
        if self._motors is not None:
            self._motors.update(message, now, self._parameters.timeout)

    def _spring_efforts(self, links: Array, effort: Array, instant: int) -> Array:
        """Return the efforts (n,) to observe of joints (2, n) at an instant [ns], or raise."""
        motors = self._motors
        if motors is None or self._robot.drives is None:
            return effort
        if not motors.fresh(instant, self._parameters.timeout) or motors.instant is None:
            raise InputError(
                f'motor_states: expected some within {self._parameters.timeout:g} s of the joint '
                'states, got none'
            )
        states = motors.values.copy()
        states[0] += (instant - motors.instant) / SECOND * states[1]
        effort_format = self._parameters.effort_format
        full = effort_format.full_efforts(self._robot.model, links[:1], effort)
        return measured_spring_efforts(self._robot, links, states, full, self._slips)

    def _rows(self, message: Any) -> tuple[Array, Array, Array]:
        """Return positions, velocities and efforts (n,) of a message, or raise InputError."""
        q, qd = joint_state_rows(message, self.joint_names)
        rows = q, qd, named_row(message.name, message.effort, self.joint_names)
        for field, row in zip(_FIELDS, rows, strict=True):
            if field not in self._needed:
                row[:] = 0.0
            require_usable(f'joint_states: {field}', self.joint_names, row)
        return rows

    def wrench(self) -> Array | None:
        """Return the wrench (6,) at the frame; None without a frame, or if it moves no joint."""
        if not self._parameters.wrench_frame:
            return None
        try:
            return self.detector.observer.wrench(
                self._parameters.wrench_frame, self._parameters.wrench_components
            )[0]
        except SingularJacobianError:
            return None


def payload_text(load: CarriedPayload, parameters: LoadObserverParameters) -> str:
    """Return what a load is, and the parameters of all that the robot carries then."""
    at, spread = (
        ', '.join(f'{value:.3f}' for value in row) for row in (load.com, 2.0 * load.com_deviations)
    )
    mass, com = load.mass, load.com
    if parameters.payload_mass and parameters.payload_frame == load.frame:
        mass += parameters.payload_mass
        before = parameters.payload_mass * np.array(parameters.payload_com)
        com = (load.mass * com + before) / mass
    values = ', '.join(f'{value:.4f}' for value in com)
    return (
        f'looks like a payload of {load.mass:.3g} kg (+- {2.0 * load.mass_deviation:.2g}) at '
        f'[{at}] m (+- [{spread}]) of {load.frame}: if it is one, set payload.frame: '
        f'{load.frame}, payload.mass: {mass:.4g}, payload.com: [{values}]'
    )


def _detector(
    robot: Robot, measured: EffortFormat, parameters: LoadObserverParameters
) -> ContactDetector:
    """Return the detector of the parameters; raise InputError if they do not fit the robot."""

    def values(name: str, numbers: tuple[float, ...]) -> Array:
        return one_or_each(name, numbers, robot.joint_names)

    observer = LoadObserver(
        robot,
        bandwidth=values('bandwidth', parameters.bandwidth),
        effort_deviation=values('effort_deviation', parameters.effort_deviation),
        velocity_deviation=values('velocity_deviation', parameters.velocity_deviation),
        effort_content=measured,
        check=parameters.check_efforts,
    )
    return ContactDetector(
        observer,
        floor=values('contact.floor', parameters.floor),
        deviations=parameters.deviations,
        model_error=parameters.model_error,
        release=parameters.release,
        hold=parameters.hold,
    )
