# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear state-space models of robots with rigid and elastic joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector
from screw_dynamics.drives.robot import Robot, as_robot, without_slip
from screw_dynamics.dynamics import effort_partials
from screw_dynamics.kernels.drives.equations_of_motion import BODY_COORDINATE
from screw_dynamics.kernels.drives.laws import INERTIA, RIGID, VISCOUS
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.simulation.elastic_robot import ElasticRobot
from screw_dynamics.simulation.force_slopes import (
    friction_slopes,
    parallel_slopes,
    rigid_load,
    spring_slopes,
)
from screw_dynamics.simulation.robot_tables import robot_tables


class LinearizedDynamics(NamedTuple):
    """
    The motion near a state: ``d(dx)/dt = A dx + B du``.

    Parameters
    ----------
    state_matrix : (s, s) ndarray
        A, the derivatives of x' by the state x = (q, q', theta, theta').
    input_matrix : (s, m) ndarray
        B, the derivatives of x' by the motor efforts u = tau_m.
    derivative : (s,) ndarray
        x' at the state itself; 0 if this is an equilibrium.
    state_names : tuple of str
        Of the s = 2 n + 2 e entries of x, for example ``"q' joint_1"``.
    """

    state_matrix: Array
    input_matrix: Array
    derivative: Array
    state_names: tuple[str, ...]


def linearized_dynamics(
    robot: Robot | ScrewModel,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    motor_position: ArrayLike | None = None,
    motor_velocity: ArrayLike | None = None,
    stiffness: ArrayLike | None = None,
) -> LinearizedDynamics:
    """
    Return the linear state-space model of a robot, driven by its motors, at a state.

    It belongs to the equations of motion of `ElasticRobot` ([S1987], [T1991] with
    ``rotor_coupling``): springs of all laws, dampers, rotors, friction, parallel springs; without
    hysteresis and backlash, and with the friction of motion. The
    state has the n links and the e motors behind springs; a motor of a rigid joint moves with its
    link, and only its inertia and friction enter. Derivatives are analytic, those of the links by
    `effort_partials`.

    Parameters
    ----------
    robot : Robot or ScrewModel
        A model alone has rigid joints with motors without inertia and friction: tau are the joint
        efforts.
    q, qd : (n,) array_like
        Link positions and rates [rad or m, per s].
    tau : (m,) array_like
        Motor efforts tau_m on the joint side of the gear [N m or N].
    motor_position, motor_velocity : (m,) array_like, optional
        On the joint side of the gear [rad or m, per s]; default those of the links: springs are
        not deflected. Entries of rigid joints are ignored.
    stiffness : (V,) array_like, optional
        As of `ElasticRobot.derivatives`.

    Returns
    -------
    LinearizedDynamics

    Raises
    ------
    SimulationError
        If the state has no finite derivative: a joint moves no inertia, a deflection is outside
        the range of a spring.
    ModelError, UnknownNameError
        As of `ElasticRobot`.
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> arm = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [link])
    >>> joint = sd.JointDrive(sd.LinearSpring(100.0), sd.Motor(rotor_inertia=0.25))
    >>> robot = sd.Robot(arm, sd.Drives({'joint_1': joint}))
    >>> A, B, _, names = sd.linearized_dynamics(robot, [0.0], [0.0], [0.0])
    >>> names
    ('q joint_1', "q' joint_1", 'theta joint_1', "theta' joint_1")
    >>> A
    array([[   0.,    1.,    0.,    0.],
           [-400.,    0.,  400.,    0.],
           [   0.,    0.,    0.,    1.],
           [ 400.,    0., -400.,    0.]])
    >>> B.T
    array([[0., 0., 0., 4.]])
    """
    simulated = ElasticRobot(without_slip(as_robot(robot)))
    table = simulated.motors
    q, qd = as_vector('q', q, table.n), as_vector('qd', qd, table.n)
    tau = as_vector('tau', tau, table.m)
    state = simulated.state(q, qd, motor_position, motor_velocity)
    derivative = simulated.derivatives(state, tau, stiffness=stiffness)
    values = table.stiffness if stiffness is None else np.asarray(stiffness, dtype=np.float64)
    at = _Point(simulated, state, derivative, tau, values)
    springs = np.flatnonzero(table.laws[table.joint_of_motor] != RIGID)
    names = [f'{symbol} {name}' for symbol in ('q', "q'") for name in table.joint_names]
    names += [f'{symbol} {table.names[i]}' for symbol in ('theta', "theta'") for i in springs]
    entries = np.concatenate(
        [np.arange(2 * table.n), *(2 * table.n + k * table.m + springs for k in (0, 1))]
    )
    matrix, inputs = _state_matrices(at)
    return LinearizedDynamics(
        matrix[np.ix_(entries, entries)] + 0.0, inputs[entries], derivative[entries], tuple(names)
    )


class _Point:
    """
    A state of a robot (2 n + 2 m,) with its derivative and inputs.

    `of_position` and the like are rows of unit vectors, which select entries of the state;
    `springs` (m,) are the efforts of the springs, `slopes` (m, 2 n + 2 m) theirs by the state.
    """

    def __init__(
        self,
        robot: ElasticRobot,
        state: Array,
        derivative: Array,
        tau: Array,
        stiffness: Array,
    ) -> None:
        self.table = robot.motors
        self.extended, tables = robot_tables(robot.robot)
        self.derivative, self.tau = derivative, tau
        self.position, self.rate, self.theta, self.theta_rate = robot.split(state)
        rows = np.split(np.eye(len(state)), np.cumsum([robot.motors.n] * 2 + [robot.motors.m]))
        self.of_position, self.of_rate, self.of_theta, self.of_theta_rate = rows
        coordinates = tables[0][:, BODY_COORDINATE]
        self.has_body = coordinates >= 0
        # motors behind springs that are bodies of the tree, and their coordinates
        coupled = np.flatnonzero(coordinates >= robot.motors.n).tolist()
        self.coupled = [(i, int(coordinates[i])) for i in coupled]
        owner = self.table.joint_of_motor
        deflections = np.array(
            [self.theta - self.position[owner], self.theta_rate - self.rate[owner]]
        )
        self.springs, stiff, damping = spring_slopes(self.table, deflections, stiffness)
        self.slopes = stiff[:, None] * (self.of_theta - self.of_position[owner])
        self.slopes += damping[:, None] * (self.of_theta_rate - self.of_rate[owner])


def _state_matrices(at: _Point) -> tuple[Array, Array]:
    """Return A and B of the full state (2 n + 2 m,)."""
    n, m, size = at.table.n, at.table.m, len(at.derivative)
    forces, by_input = np.zeros((at.extended.n, size)), np.zeros((at.extended.n, m))
    matrix, inputs = np.zeros((size, size)), np.zeros((size, m))
    rotors = matrix[2 * n + m :], inputs[2 * n + m :]
    _add_motors(at, forces, by_input, *rotors)
    inertia = _add_joints(at, forces, by_input)
    by_state, by_effort = _accelerations(at, forces, by_input, inertia)
    matrix[:n], matrix[n : 2 * n], inputs[n : 2 * n] = at.of_rate, by_state[:n], by_effort[:n]
    matrix[2 * n : 2 * n + m] = at.of_theta_rate
    for i, row in at.coupled:
        rotors[0][i], rotors[1][i] = by_state[row], by_effort[row]
    return matrix, inputs


def _add_motors(
    at: _Point, forces: Array, by_input: Array, by_state: Array, by_effort: Array
) -> None:
    """
    Add the slopes of the forces on the rotors behind springs.

    Those of rotors that are bodies of the tree are added to `forces` and `by_input`; of the
    others the slopes of the accelerations to `by_state` and `by_effort`.
    """
    table = at.table
    coupled = dict(at.coupled)
    for i in np.flatnonzero(table.laws[table.joint_of_motor] != RIGID).tolist():
        row = table.rows[i]
        by_rate, by_load = friction_slopes(row, table.friction[i], at.theta_rate[i], at.springs[i])
        drive = -(row[VISCOUS] + by_rate) * at.of_theta_rate[i] - (1.0 + by_load) * at.slopes[i]
        if i in coupled:
            forces[coupled[i]], by_input[coupled[i], i] = drive, 1.0
        else:
            by_state[i], by_effort[i, i] = drive / row[INERTIA], 1.0 / row[INERTIA]


def _add_joints(at: _Point, forces: Array, by_input: Array) -> Array:
    """Add the slopes of the forces on the links; return the inertia (size,) that drives add."""
    table, n = at.table, at.table.n
    load, load_slopes = np.zeros(n), np.zeros((n, forces.shape[1]))
    np.add.at(load, table.joint_of_motor, at.springs)
    np.add.at(load_slopes, table.joint_of_motor, at.slopes)
    forces[:n] += load_slopes - table.joint_rows[:, [VISCOUS]] * at.of_rate
    forces[:n] += parallel_slopes(table, at.position)[:, None] * at.of_position
    inertia = np.zeros(len(forces))
    for j in range(n):
        if table.laws[j] == RIGID:
            inertia[j] = _add_rigid_drive(at, j, forces, by_input)
        else:
            by_rate, by_load = friction_slopes(
                table.joint_rows[j], table.joint_friction[j], at.rate[j], load[j]
            )
            forces[j] -= by_rate * at.of_rate[j] + by_load * load_slopes[j]
    return inertia


def _accelerations(
    at: _Point, forces: Array, by_input: Array, inertia: Array
) -> tuple[Array, Array]:
    """Return the slopes of the accelerations of links and coupled rotors by state and inputs."""
    n, m = at.table.n, at.table.m
    jet, moved = np.zeros((3, at.extended.n)), np.zeros((2, *forces.shape))
    jet[:2, :n], jet[2, :n] = (at.position, at.rate), at.derivative[n : 2 * n]
    moved[:, :n] = at.of_position, at.of_rate
    for i, column in at.coupled:
        jet[:, column] = at.theta[i], at.theta_rate[i], at.derivative[2 * n + m + i]
        moved[:, column] = at.of_theta[i], at.of_theta_rate[i]
    by_position, by_rate, mass = effort_partials(at.extended, jet)[0]
    known = forces - by_position @ moved[0] - by_rate @ moved[1]
    solved = np.linalg.solve(mass + np.diag(inertia), np.hstack([known, by_input]))
    return solved[:, : known.shape[1]], solved[:, known.shape[1] :]


def _add_rigid_drive(at: _Point, j: int, forces: Array, by_input: Array) -> float:
    """
    Add the slopes of the drive of a rigid joint; return the inertia that it adds.

    The friction of motor and joint may depend on the transmitted effort T, which is
    T = drive - F_m(q', T) - B q''.
    """
    table, motor = at.table, int(at.table.first_motor[j])
    rotor = table.rows[motor, INERTIA]
    drive = at.tau[motor] - table.rows[motor, VISCOUS] * at.rate[j]
    free = drive - rotor * at.derivative[table.n + j]
    load = rigid_load(table, motor, at.rate[j], free)
    motor_rate, motor_load = friction_slopes(
        table.rows[motor], table.friction[motor], at.rate[j], load
    )
    joint_rate, joint_load = friction_slopes(
        table.joint_rows[j], table.joint_friction[j], at.rate[j], load
    )
    share = (motor_load + joint_load) / (1.0 + motor_load)
    lost = (1.0 - share) * (table.rows[motor, VISCOUS] + motor_rate) + joint_rate
    forces[j] -= lost * at.of_rate[j]
    by_input[j, motor] = 1.0 - share
    # an own body of the tree is in its mass matrix already
    return 0.0 if at.has_body[motor] else float(rotor * (1.0 - share))
