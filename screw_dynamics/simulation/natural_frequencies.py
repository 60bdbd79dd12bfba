# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Natural frequencies and damping rates of links and motors connected by springs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector
from screw_dynamics.drives import LinearSpring, MotorTable
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.dynamics import gravity_forces, mass_matrix
from screw_dynamics.errors import InputError, shown
from screw_dynamics.kernels.drives.friction import EXCESS, LOAD, LOAD_EFFORT
from screw_dynamics.kernels.drives.gears import BRISTLE
from screw_dynamics.kernels.drives.laws import (
    COULOMB,
    COULOMB_VELOCITY,
    DAMPED,
    INERTIA,
    LINEAR,
    RIGID,
    VARIABLE,
    VISCOUS,
    spring_deflection,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.simulation.force_slopes import parallel_slopes, stiffness_at


def natural_frequencies(
    robot: Robot | ScrewModel, q: ArrayLike, *, stiffness: ArrayLike | None = None
) -> Array:
    """
    Return the natural frequencies with free motors, ascending.

    They are the square roots of the eigenvalues of ``(E^T M^-1 E + B^-1) K`` for the spring
    deflections, where E maps motors to joints; rotors of rigid joints are added to M. Gravity,
    dampers, friction, parallel springs and the coupling of rotors with the links are neglected.

    Parameters
    ----------
    robot : Robot
        With drives.
    q : (n,) array_like
        Link positions [rad or m].
    stiffness : (m,) array_like, optional
        d f / d phi at every motor [N m/rad or N/m]; ignored for rigid joints. Default: springs
        without effort, with half of a pair's stiffness for each of its springs.

    Returns
    -------
    (motors with a spring,) ndarray
        Natural frequencies [rad/s].

    Raises
    ------
    InputError
        If a stiffness or rotor inertia behind a spring is not above 0, their ratio is not
        finite, a table does not contain the effort 0, or a joint moves no mass.
    ShapeError, NotFiniteError, UnknownNameError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.simulation import natural_frequencies
    >>> link = sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> arm = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [link])
    >>> joint = sd.JointDrive(sd.LinearSpring(100.0), sd.Motor(rotor_inertia=0.25))
    >>> natural_frequencies(sd.Robot(arm, sd.Drives({'joint_1': joint})), [0.0]).round(4)
    array([28.2843])
    """
    robot = robot_with_drives(robot)
    table = robot.motors
    links = link_mobility(robot.tree, table, q)
    slopes = _at_rest(table) if stiffness is None else stiffness
    slopes = as_vector('stiffness', slopes, table.m)
    rotors, rigid = table.rows[:, INERTIA], table.laws[table.joint_of_motor] == RIGID
    for i in np.flatnonzero(~rigid):
        if slopes[i] <= 0.0 or rotors[i] <= 0.0:
            raise InputError(
                f'motor {table.names[i]!r}: expected stiffness and rotor inertia above 0, '
                f'got {slopes[i]:g} and {rotors[i]:g}'
            )
    owner = table.joint_of_motor[~rigid]
    roots = np.sqrt(slopes[~rigid])
    with np.errstate(over='ignore'):
        mobility = links[np.ix_(owner, owner)] + np.diag(1.0 / rotors[~rigid])
        # mobility K x = w^2 x, made symmetric by y = K^(1/2) x
        matrix = roots[:, None] * mobility * roots
    if not np.isfinite(matrix).all():
        raise InputError(
            'elastic joints: expected stiffness over inertia that is a finite number, got '
            f'stiffness {shown(slopes[~rigid].tolist())} and rotor inertia '
            f'{shown(rotors[~rigid].tolist())}'
        )
    # rounding may make the square of a low frequency beside much higher ones negative
    return np.sqrt(np.maximum(np.linalg.eigvalsh(matrix), 0.0))


def link_mobility(model: ScrewModel, table: MotorTable, q: ArrayLike) -> Array:
    """Return the inverse of the mass matrix with the rotors of rigid joints, (n, n), at `q`."""
    matrix = mass_matrix(model, as_vector('q', q, model.n))
    rigid = table.laws[table.joint_of_motor] == RIGID
    at_rigid = table.joint_of_motor[rigid]
    matrix[at_rigid, at_rigid] += table.rows[rigid, INERTIA]
    try:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InputError(
            'model: expected joints that move mass, got a singular mass matrix at q = '
            f'{shown(np.asarray(q).tolist())}'
        ) from None


def damping_rate(robot: Robot, q: Array, derivative: Array) -> float:
    """
    Return the largest damping rate [1/s] of a motor or link, by dampers, friction and feedback.

    `derivative` (m,) is the feedback gain of the motor velocities [N m s/rad or N s/m]. Friction
    counts with its steepest slope, under the efforts of gravity.
    """
    table = robot.motors
    owner = table.joint_of_motor
    springs = [drive.spring for drive in robot.joint_drives]
    damping = [s.damping if isinstance(s, LinearSpring) else 0.0 for s in springs]
    dampers = np.array(damping)[owner]
    load = np.abs(gravity_forces(robot.model, q))
    drive = derivative + _steepest(table.rows, table.friction, load[owner])
    bearing = _steepest(table.joint_rows, table.joint_friction, load)[owner]
    mobility = np.diag(link_mobility(robot.tree, table, q))[owner]
    # without rotor inertia, a rigid joint moves the inertia of its link
    inertias = table.rows[:, INERTIA]
    inertia = np.where(inertias > 0.0, inertias, 1.0 / mobility)
    rates = (dampers + drive) / inertia + (dampers + bearing) * mobility
    return float(rates.max(initial=0.0))


def _steepest(rows: Array, further: Array, load: Array) -> Array:
    """Return the largest slope of friction over velocity, by motors or joints."""
    dry = rows[:, COULOMB] + further[:, EXCESS]
    dry = dry + further[:, LOAD] * np.hypot(load, further[:, LOAD_EFFORT])
    slopes = np.where(dry > 0.0, dry / rows[:, COULOMB_VELOCITY], 0.0)
    return np.asarray(rows[:, VISCOUS] + slopes, dtype=np.float64)


def parallel_frequency(robot: Robot, q: Array) -> float:
    """Return the highest frequency [rad/s] of links on parallel springs, or held by friction."""
    table = robot.motors
    bristles = table.gears[:, BRISTLE]
    if table.direct and not bristles.any():
        return 0.0
    mobility = np.diag(link_mobility(robot.tree, table, q))
    inertias = np.maximum(table.rows[:, INERTIA], 1.0 / mobility[table.joint_of_motor])
    squares = [0.0, *bristles / inertias, *abs(parallel_slopes(table, q)) * mobility]
    return float(np.sqrt(max(squares)))


def _at_rest(table: MotorTable) -> Array:
    """Return the stiffness at every motor for springs that transmit no effort, 1 if rigid."""
    slopes = np.ones(table.m)
    for i, j in enumerate(table.joint_of_motor):
        law, at = table.laws[j], table.offsets[j]
        if table.variable[j] >= 0:  # half of the stiffness of a pair for each of its springs
            slopes[i] = table.stiffness[table.variable[j]] * (0.5 if law != VARIABLE else 1.0)
        elif law != RIGID:
            linear = law in (LINEAR, DAMPED)
            deflection = 0.0 if linear else spring_deflection(law, table.parameters, at, 0.0)
            if np.isnan(deflection):
                raise InputError(
                    f'stiffness: expected values, got none: the table of joint '
                    f'{table.joint_names[j]!r} does not contain effort 0, a spring at rest'
                )
            slopes[i] = stiffness_at(law, table.parameters, at, False, deflection)
    return slopes
