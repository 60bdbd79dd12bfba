# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Gains of loops around a motion: a PD of motors, and feedback of links and motors."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, solve_continuous_are

from screw_dynamics.common.arrays import Array, as_vector
from screw_dynamics.common.scalars import require_number
from screw_dynamics.common.yaml_files.document import write_document
from screw_dynamics.drives.drives import Drives
from screw_dynamics.drives.feedforward import elastic_feedforward
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics import mass_matrix
from screw_dynamics.errors import InputError
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.simulation.linearized_dynamics import LinearizedDynamics, linearized_dynamics
from screw_dynamics.trajectory import PiecewisePolynomial

_INTEGRAL = 1.0 / 3.0  # of the frequency: weight of the integral of the link errors
_LEAST_POSES, _MOST_POSES = 5, 65


class FeedbackGains(NamedTuple):
    """
    Motor efforts ``u = u_ff + gains (x_ref - x) + integral_gains integral(q_ref - q)``.

    Parameters
    ----------
    gains : (m, s) ndarray
        By the state x of `linearized_dynamics` [N m/rad, N m s/rad and so on].
    integral_gains : (m, n) ndarray
        By the integral of the errors of the links [N m/(rad s)]; 0 in a PD.
    poles : ndarray of complex
        Of the closed loop at rest, with the delay [1/s]; all in the left half-plane.
    state_names : tuple of str
        Of the entries of x, for example ``"theta' joint_1"``.
    """

    gains: Array
    integral_gains: Array
    poles: NDArray[np.complex128]
    state_names: tuple[str, ...]

    def __repr__(self) -> str:
        """Return the numbers of motors and states, and the slowest decay."""
        kind = 'with' if self.integral_gains.any() else 'without'
        return (
            f'FeedbackGains({len(self.gains)} motors, {len(self.state_names)} states, {kind} '
            f'integral; slowest pole {self.poles.real.max():.3g} 1/s)'
        )


def motor_gains(
    robot: Robot | ScrewModel,
    q: ArrayLike,
    frequency: float,
    *,
    damping: float = 0.7,
    delay: float = 0.0,
) -> FeedbackGains:
    """
    Return the gains of a PD on the motors, as drives have it.

    Each motor gets ``kp = w^2 I`` and ``kd = 2 d w I`` with ``w = 2 pi frequency`` and the inertia
    I of its rotor and the links behind it, on the joint side of the gear. For the drive itself
    divide both by the square of the gear ratio.

    Parameters
    ----------
    robot : Robot or ScrewModel
    q : (n,) array_like
        Links at rest [rad or m].
    frequency : float
        [Hz].
    damping : float
        Of the loop, 1 is critical.
    delay : float
        From a measurement to the middle of the time for which its command is held [s].

    Returns
    -------
    FeedbackGains
        ``gains`` has kp by theta and kd by theta' of motors behind springs, by q and q' else.

    Raises
    ------
    InputError
        If the loop does not hold the robot at q: the frequency is too low for its weight, or too
        high for the delay; the error has the pole.
    ShapeError, NotFiniteError, ModelError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> drive = sd.JointDrive(sd.LinearSpring(400.0), sd.Motor(rotor_inertia=0.2))
    >>> robot = sd.Robot(arm, sd.Drives({name: drive for name in arm.joint_names}))
    >>> pd = sd.simulation.motor_gains(robot, [-1.57, 0.0], 3.0, delay=0.001)
    >>> pd.gains.shape, bool(pd.poles.real.max() < 0.0)
    ((2, 8), True)
    """
    at = _Rest(robot, q)
    omega = 2.0 * np.pi * require_number('frequency', frequency, above=True)
    damping = require_number('damping', damping, above=True)
    gains = np.zeros((len(at.inertias), len(at.near.state_names)))
    for i, (position, rate) in enumerate(at.measured):
        gains[i, position] = omega**2 * at.inertias[i]
        gains[i, rate] = 2.0 * damping * omega * at.inertias[i]
    return at.checked(gains, np.zeros((len(gains), at.n)), delay, frequency)


def state_feedback(
    robot: Robot | ScrewModel, q: ArrayLike, frequency: float, *, delay: float = 0.0
) -> FeedbackGains:
    """
    Return the gains of a linear-quadratic regulator on links and motors, with an integral.

    For robots that measure both sides of their springs. It minimises the integral over time of
    ``e^2 + (w/3)^2 (integral e)^2 + sum (u_i / (I_i w^2))^2``: e are the errors of the links, u
    the efforts beside the feedforward, I the inertias of `motor_gains` and ``w = 2 pi frequency``,
    near which a stiff joint has its poles. `screw_dynamics evaluate --gains` has them along a
    motion: those of one pose are not stable everywhere.

    Parameters
    ----------
    robot, q, frequency, delay
        See `motor_gains`. The delay is not known to the regulator, it is checked.

    Returns
    -------
    FeedbackGains

    Raises
    ------
    InputError
        If the loop is not stable with the delay; the error has the pole.
    ShapeError, NotFiniteError, ModelError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> drive = sd.JointDrive(sd.LinearSpring(400.0), sd.Motor(rotor_inertia=0.2))
    >>> robot = sd.Robot(arm, sd.Drives({name: drive for name in arm.joint_names}))
    >>> loop = sd.simulation.state_feedback(robot, [0.3, 0.5], 6.0, delay=0.002)
    >>> loop.gains.shape, loop.integral_gains.shape
    ((2, 8), (2, 2))
    """
    at = _Rest(robot, q)
    omega = 2.0 * np.pi * require_number('frequency', frequency, above=True)
    a, b, _, names = at.near
    s, n, m = len(names), at.n, len(at.inertias)
    links = np.eye(n, s)
    matrix = np.block([[a, np.zeros((s, n))], [links, np.zeros((n, n))]])
    inputs = np.vstack((b, np.zeros((n, m))))
    weights = np.zeros(s + n)
    weights[:n], weights[s:] = 1.0, (_INTEGRAL * omega) ** 2
    efforts = 1.0 / (at.inertias * omega**2) ** 2
    try:
        cost = solve_continuous_are(matrix, inputs, np.diag(weights), np.diag(efforts))
    except (LinAlgError, ValueError) as error:
        raise InputError(
            'frequency: expected one near those of the robot, whose motors move all links, got '
            f'{frequency:g} Hz ({error})'
        ) from None
    gains = (inputs.T @ cost) / efforts[:, np.newaxis]
    return at.checked(gains[:, :s], gains[:, s:], delay, frequency)


def scheduled_feedback(
    robot: Robot, curve: PiecewisePolynomial, frequency: float, delay: float
) -> tuple[Array, tuple[FeedbackGains, ...]]:
    """
    Return poses (p, n) of a motion with the gains of `state_feedback`.

    There are five or more, until the mean gains of neighbours are stable halfway between them.
    """

    def at(time: float) -> tuple[Array, FeedbackGains]:
        q = curve.jets([time])[0, 0]
        return q, state_feedback(robot, q, frequency, delay=delay)

    times = np.linspace(curve.breaks[0], curve.breaks[-1], _LEAST_POSES).tolist()
    found = [at(time) for time in times]
    k = 0
    while k + 1 < len(times):
        middle, (_, a), (_, b) = 0.5 * (times[k] + times[k + 1]), *found[k : k + 2]
        mean = 0.5 * (a.gains + b.gains), 0.5 * (a.integral_gains + b.integral_gains)
        try:
            _Rest(robot, curve.jets([middle])[0, 0]).checked(*mean, delay, frequency)
            k += 1
        except InputError:
            if len(times) >= _MOST_POSES:
                raise
            times.insert(k + 1, middle)
            found.insert(k + 1, at(middle))
    poses, gains = zip(*found, strict=True)
    return np.array(poses), gains


def write_gains(
    robot: Robot,
    curve: PiecewisePolynomial,
    frequency: float,
    delay: float,
    path: str | os.PathLike[str],
) -> None:
    """
    Write the gains of `scheduled_feedback` along a curve, and of `motor_gains` halfway.

    The file has parameters of the controller `feedforward_controller` and of the node
    `drive_commands`; loops have a `frequency` [Hz], measurements a `delay` [s].
    """
    names = robot.joint_names
    columns = [f'{x} {name}' for x in ('q', "q'") for name in names]
    columns += [f'{x} {name}' for x in ('theta', "theta'") for name in robot.motors.names]
    poses, loops = scheduled_feedback(robot, curve, frequency, delay)
    gains = np.zeros((len(poses), robot.motors.m, len(columns)))  # 0 by motors without a spring
    gains[..., [columns.index(x) for x in loops[0].state_names]] = [loop.gains for loop in loops]
    middle = curve.jets([0.5 * (curve.breaks[0] + curve.breaks[-1])])[0, 0]
    drives = motor_gains(robot, middle, frequency, delay=delay).gains
    kp, kd = np.array([row[row != 0.0] for row in drives]).T
    numbers = {
        'poses': poses,
        'gains': gains,
        'integral_gains': np.array([loop.integral_gains for loop in loops]),
    }
    feedback = {name: _rounded(values) for name, values in numbers.items()}
    nodes = {
        'feedforward_controller': {'feedback': feedback},
        'drive_commands': {'kp': _rounded(kp), 'kd': _rounded(kd)},
    }
    write_document({name: {'ros__parameters': own} for name, own in nodes.items()}, path)


def _rounded(values: Array) -> list[float]:
    return [float(f'{value:.7g}') for value in values.ravel()]


class _Rest:
    """A robot at rest: its linear dynamics, inertias of motors (m,), and what they measure."""

    def __init__(self, robot: Robot | ScrewModel, q: ArrayLike) -> None:
        robot = as_robot(robot)
        if robot.drives is None:
            robot = Robot(robot.model, Drives({}))
        self.n = n = robot.n
        position = as_vector('q', q, n)
        rest = np.zeros((robot.required_rows, n))
        rest[0] = position
        motors = elastic_feedforward(robot, rest)
        self.near: LinearizedDynamics = linearized_dynamics(
            robot, position, rest[1], motors.motor_effort, motor_position=motors.motor_position
        )
        table = robot.motors
        links = np.diag(mass_matrix(robot.model, position))
        self.inertias: Array = table.rows[:, 0] + links[table.joint_of_motor]
        places = {name: k for k, name in enumerate(self.near.state_names)}
        sides = (
            ('theta', name) if f'theta {name}' in places else ('q', table.joint_names[joint])
            for name, joint in zip(table.names, table.joint_of_motor, strict=True)
        )
        self.measured = [(places[f'{x} {name}'], places[f"{x}' {name}"]) for x, name in sides]

    def checked(
        self, gains: Array, integral_gains: Array, delay: float, frequency: float
    ) -> FeedbackGains:
        """Return the gains with the poles of the loop; raise InputError if it is not stable."""
        delay = require_number('delay', delay)
        a, b, _, names = self.near
        s, n, m = len(a), self.n, len(gains)
        used = n if integral_gains.any() else 0
        loop = np.zeros((s + used, s + used))
        loop[:s, :s] = a
        loop[s:, :n] = np.eye(used, n)
        inputs = np.vstack((b, np.zeros((used, m))))
        feedback = -np.hstack((gains, integral_gains[:, :used]))
        if delay:
            # Pade's approximation of order 2: u = v - 12/T z', z'' = v - 6/T z' - 12/T^2 z
            size, eye, none = len(loop), np.eye(m), np.zeros((m, m))
            late = np.block([[none, eye], [-12.0 / delay**2 * eye, -6.0 / delay * eye]])
            whole = np.zeros((size + 2 * m, size + 2 * m))
            whole[:size, :size] = loop + inputs @ feedback
            whole[:size, size + m :] = -12.0 / delay * inputs
            whole[size:, size:] = late
            whole[size + m :, :size] = feedback
            loop = whole
        else:
            loop = loop + inputs @ feedback
        poles = np.linalg.eigvals(loop).astype(np.complex128)
        worst = poles[np.argmax(poles.real)]
        if worst.real >= 0.0:
            raise InputError(
                f'frequency: expected a loop that is stable at q with a delay of {delay:g} s, '
                f'got a pole at {worst:.3g} 1/s with {frequency:g} Hz'
            )
        return FeedbackGains(gains, integral_gains, poles, names)
