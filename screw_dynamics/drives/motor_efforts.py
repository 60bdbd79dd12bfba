# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`motor_efforts`: motor positions and efforts from motion, link efforts and deflections."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.drives.failures import raise_failure
from screw_dynamics.drives.link_efforts import rotor_reactions
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.drives.spring_deflections import as_effort_jet
from screw_dynamics.dynamics.state_calls import output
from screw_dynamics.errors import ShapeError
from screw_dynamics.kernels.drives.deflections import OK
from screw_dynamics.kernels.drives.motor_efforts import set_motor_efforts
from screw_dynamics.model import ScrewModel


def motor_efforts(
    robot: Robot | ScrewModel,
    joint_jet: ArrayLike,
    effort_jet: ArrayLike,
    deflection_jet: ArrayLike,
    *,
    out: tuple[Array, Array] | None = None,
) -> tuple[Array, Array]:
    """
    Return the positions and efforts of the motors behind springs of known deflection.

    ``theta = q + phi`` and ``tau_m = B theta'' + F(theta', f(phi)) + f(phi)`` with the friction F
    (see `Motor`), and their time derivatives. f(phi) is the transmitted effort; the springs of an
    antagonistic pair share it by their laws.

    Parameters
    ----------
    robot : Robot
        With drives.
    joint_jet : (p or more, n) or (T, p or more, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d].
    effort_jet : (k + 1, n) or (T, k + 1, n) array_like
        Efforts that springs and rigid joints transmit, see `transmitted_efforts` [N m or N, per
        s^d].
    deflection_jet : (p, m) or (T, p, m) array_like
        Result of `spring_deflections` [rad or m, per s^d].
    out : tuple of two ndarray, optional
        C-contiguous float64 arrays to fill and return.

    Returns
    -------
    motor_jet : (p, m) or (T, p, m) ndarray
        theta [rad or m, per s^d].
    motor_effort_jet : (p - 2, m) or (T, p - 2, m) ndarray
        tau_m on the joint side of the gear [N m or N, per s^d].

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.drives import motor_efforts
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [np.eye(6)])
    >>> joint = sd.JointDrive(sd.LinearSpring(100.0), sd.Motor(rotor_inertia=0.5))
    >>> robot = sd.Robot(pendulum, sd.Drives({'joint_1': joint}))
    >>> jet, efforts = np.zeros((5, 1)), np.array([[5.0], [0.0], [20.0]])
    >>> phi = sd.drives.spring_deflections(robot, efforts)
    >>> theta, tau = motor_efforts(robot, jet, efforts, phi)
    >>> theta[:, 0], tau[:, 0]
    (array([0.05, 0.  , 0.2 ]), array([5.1]))
    """
    robot = robot_with_drives(robot)
    table = robot.motors
    efforts = as_effort_jet(table, effort_jet)
    batch, rows = efforts.shape[:-2], efforts.shape[-2] + 2 - table.lost_orders
    jet = as_float_array('joint_jet', joint_jet)
    if jet.shape[:-2] != batch or jet.shape[-1:] != (table.n,) or jet.shape[-2] < rows:
        raise ShapeError('joint_jet', f'{(*batch, rows, table.n)} or more rows', jet.shape)
    deflections = as_float_array('deflection_jet', deflection_jet)
    shape = (*batch, rows, table.m)
    if deflections.shape != shape:
        raise ShapeError('deflection_jet', str(shape), deflections.shape)
    inputs = {'joint_jet': jet, 'effort_jet': efforts, 'deflection_jet': deflections}
    positions, commands = (None, None) if out is None else out
    positions = output(positions, shape, **inputs)
    commands = output(commands, (*batch, rows - 2, table.m), **inputs)
    fill_motor_efforts(robot, jet, efforts, deflections, positions, commands)
    return positions, commands


def fill_motor_efforts(
    robot: Robot,
    jet: Array,
    efforts: Array,
    deflections: Array,
    positions: Array,
    commands: Array,
) -> None:
    """Fill motor positions and efforts for checked arrays."""
    table, coupling = robot.motors, robot.coupling
    single, failure = jet.ndim == 2, np.zeros(5)
    status = set_motor_efforts(
        jet[np.newaxis] if single else jet,
        efforts[np.newaxis] if single else efforts,
        deflections[np.newaxis] if single else deflections,
        *table.spring_arrays[:3],
        table.first_motor,
        table.rows,
        table.friction,
        positions[np.newaxis] if single else positions,
        commands[np.newaxis] if single else commands,
        failure,
    )
    if status != OK:
        inputs = {'joint_jet': jet, 'effort_jet': efforts, 'deflection_jet': deflections}
        raise_failure(robot, status, failure, single, **inputs)
    if coupling is not None:
        commands += rotor_reactions(coupling, table, jet[..., : positions.shape[-2], :])
