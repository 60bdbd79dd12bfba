# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ElasticRobot`: dynamics of a robot with elastic joints, driven by its motors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, as_vector, require_out
from screw_dynamics.common.integration import integrate
from screw_dynamics.common.scalars import require_count, require_number
from screw_dynamics.drives import MotorFeedforward, MotorTable
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.errors import InputError, ShapeError, SimulationError, listed
from screw_dynamics.kernels.bodies.accelerations import SOLVED
from screw_dynamics.kernels.bodies.factors import SINGULAR
from screw_dynamics.kernels.drives.equations_of_motion import (
    UNSETTLED,
    runge_kutta_steps,
    set_state_derivative,
)
from screw_dynamics.kernels.drives.gears import BRISTLE, WIDTH
from screw_dynamics.kernels.drives.laws import RIGID
from screw_dynamics.model import ScrewModel
from screw_dynamics.simulation.robot_tables import (
    SimulationResult,
    body_wrenches,
    robot_tables,
)


class ElasticRobot:
    """
    The equations of motion of a robot with elastic joints, driven by its motors.

    A state is the vector ``(q, q', theta, theta')`` of n link and m motor positions and their
    rates [rad or m, per s]; theta = q at a rigid joint. With hysteresis, or friction that holds at
    rest, 2 m entries of memory follow, which begin with 0. Motor positions and efforts are on the
    joint side of the gear. All spring laws of `drives`, hysteresis, backlash, friction of motors
    and joints, parallel springs and dampers are included; with `Drives.rotor_coupling`
    the rotors are bodies on the moving links. Joint limits and effort limits are ignored, and so
    is the friction of the URDF without `Drives.urdf_dynamics`.

    Parameters
    ----------
    robot : Robot or ScrewModel
        A model alone has rigid joints with motors without inertia and friction.

    Raises
    ------
    ModelError
        If the motor behind a spring has no rotor inertia; if `rotor_coupling` is set, and the
        friction of a rigid joint depends on its load.
    UnknownNameError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.simulation import ElasticRobot
    >>> link = sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> arm = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [link])
    >>> joint = sd.JointDrive(sd.LinearSpring(100.0), sd.Motor(rotor_inertia=0.1))
    >>> robot = ElasticRobot(sd.Robot(arm, sd.Drives({'joint_1': joint})))
    >>> robot.derivatives(robot.state([0.0], motor_position=[0.1]), [0.0])
    array([   0.,   40.,    0., -100.])
    """

    def __init__(self, robot: Robot | ScrewModel) -> None:
        self.robot = as_robot(robot)
        self.motors = self.robot.motors
        self._extended, tables = robot_tables(self.robot)
        self._kernel_tables: tuple[Any, ...] = (self.robot.n, self._extended.n, *tables)

    def __repr__(self) -> str:
        """Return the model and the motors."""
        names = listed(self.motors.names)
        return f'ElasticRobot({self.robot.model!r}, motors={names}; state of {self.state_size})'

    @property
    def state_size(self) -> int:
        """Length 2 n + 2 m of a state; 2 n + 4 m with memory."""
        table = self.motors
        memory = 2 * table.m if table.gears[:, [WIDTH, BRISTLE]].any() else 0
        return 2 * (table.n + table.m) + memory

    def state(
        self,
        position: ArrayLike,
        velocity: ArrayLike | None = None,
        motor_position: ArrayLike | None = None,
        motor_velocity: ArrayLike | None = None,
    ) -> Array:
        """
        Return a state; by default it is at rest and the springs are not deflected.

        Motor positions and velocities (m,) are on the joint side of the gear; at rigid joints they
        are those of the links.
        """
        n, m, owner = self.motors.n, self.motors.m, self.motors.joint_of_motor
        q = as_vector('position', position, n)
        qd = np.zeros(n) if velocity is None else as_vector('velocity', velocity, n)
        theta, theta_rate = q[owner], qd[owner]
        if motor_position is not None:
            theta = as_vector('motor_position', motor_position, m)
        if motor_velocity is not None:
            theta_rate = as_vector('motor_velocity', motor_velocity, m)
        rigid = self.motors.laws[owner] == RIGID
        theta, theta_rate = (
            np.where(rigid, q[owner], theta),
            np.where(rigid, qd[owner], theta_rate),
        )
        memory = np.zeros(self.state_size - 2 * (n + m))
        return np.concatenate([q, qd, theta, theta_rate, memory])

    def initial_state(self, joint_jet: ArrayLike, feedforward: MotorFeedforward) -> Array:
        """
        Return the initial state (2 n + 2 m,) of a motion with its feedforward.

        `joint_jet` has two or more rows; a batch of motor commands contributes its first sample.
        """
        jet = as_float_array('joint_jet', joint_jet)
        if jet.ndim != 2 or len(jet) < 2:
            raise ShapeError('joint_jet', f'(rows, {self.motors.n}) with rows >= 2', jet.shape)
        if not isinstance(feedforward, MotorFeedforward):
            raise InputError(
                f'feedforward: expected a MotorFeedforward, got {type(feedforward).__name__}'
            )
        samples = feedforward.motor_jet.reshape(-1, *feedforward.motor_jet.shape[-2:])
        if not len(samples):
            raise InputError('feedforward: expected at least one sample, got none')
        motors = samples[0]
        return self.state(jet[0], jet[1], motors[0], motors[1])

    def split(self, states: Array) -> tuple[Array, Array, Array, Array]:
        """
        Return link positions and velocities (..., n), motor positions and velocities (..., m).

        All are views of `states` (..., 2 n + 2 m or more).
        """
        n, m = self.motors.n, self.motors.m
        ends = n, 2 * n, 2 * n + m, 2 * (n + m)
        position, velocity, theta, theta_rate, _ = np.split(states, ends, axis=-1)
        return position, velocity, theta, theta_rate

    def derivatives(
        self,
        state: ArrayLike,
        motor_effort: ArrayLike,
        *,
        stiffness: ArrayLike | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> Array:
        """
        Return the time derivative of a state.

        Parameters
        ----------
        state : (2 n + 2 m,) array_like
        motor_effort : (m,) array_like
            tau_m [N m or N].
        stiffness : (V,) array_like, optional
            K of the joints of `motors.variable_names` (any number for a pair, which ignores it)
            [N m/rad or N/m]; default the stiffness of their springs.
        wrenches : mapping of str to (6,) array_like, optional
            External wrenches [torque; force] ON links, by frame name, in the axes and at the
            origin of the frame [N m, N].

        Returns
        -------
        (2 n + 2 m,) ndarray

        Raises
        ------
        SimulationError
            If the state has no finite derivative.
        ShapeError, NotFiniteError, InputError
        """
        state = as_vector('state', state, self.state_size)
        inputs = self._inputs(motor_effort, stiffness, wrenches)
        derivative = np.empty(self.state_size)
        status = set_state_derivative(state, *inputs, *self._kernel_tables, derivative)
        if status != SOLVED:
            raise _failure(self._extended, self.motors, status, state)
        return derivative

    def step(
        self,
        state: Array,
        motor_effort: ArrayLike,
        h: float,
        *,
        steps: int = 1,
        stiffness: ArrayLike | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> Array:
        """
        Advance a state in place by classical Runge-Kutta steps with constant inputs.

        Parameters
        ----------
        state : (2 n + 2 m,) ndarray
            C-contiguous float64; overwritten by the result. After an error it is invalid.
        motor_effort, stiffness, wrenches :
            See `derivatives`.
        h : float
            Length of a step, 0 or more [s]; stable below 2.8 divided by the highest of
            `natural_frequencies`.
        steps : int
            Number of steps.

        Returns
        -------
        ndarray
            The argument `state`.

        Raises
        ------
        SimulationError
            If the state becomes infinite or NaN: the step is too long, or the robot unstable.
        ShapeError, NotFiniteError, InputError
        """
        if require_out(state).shape != (self.state_size,):
            raise ShapeError('state', f'({self.state_size},)', state.shape)
        h, steps = require_number('h', h), require_count('steps', steps)
        inputs = self._inputs(motor_effort, stiffness, wrenches)
        status = runge_kutta_steps(state, *inputs, *self._kernel_tables, h, steps)
        if status != SOLVED:
            raise _failure(self._extended, self.motors, status, state)
        return state

    def integrate(
        self,
        times: ArrayLike,
        motor_effort: Callable[[float, Array], ArrayLike],
        state: ArrayLike,
        *,
        stiffness: Callable[[float], ArrayLike] | None = None,
        wrenches: Callable[[float], Mapping[str, ArrayLike]] | None = None,
        rtol: float = 1e-9,
        atol: float | None = None,
        method: str = 'DOP853',
        progress: Callable[[float], object] | None = None,
    ) -> SimulationResult:
        """
        Integrate the equations of motion by scipy's `solve_ivp`.

        Parameters
        ----------
        times, rtol, atol, progress
            As of `simulate`.
        motor_effort : callable
            ``motor_effort(t, state)`` -> (m,), feedforward and, if any, feedback [N m or N].
        state : (2 n + 2 m,) array_like
            State at ``times[0]``.
        stiffness, wrenches : callable, optional
            The arguments of `derivatives` as functions of time.
        method : str
            Explicit method of `solve_ivp`: 'DOP853', 'RK45' or 'RK23'.

        Returns
        -------
        SimulationResult

        Raises
        ------
        SimulationError
            If the integration fails; the error states the time.
        ShapeError, NotFiniteError, InputError
        """

        def inputs(t: float, at: Array) -> dict[str, Any]:
            return {
                'motor_effort': motor_effort(t, at),
                'stiffness': None if stiffness is None else stiffness(t),
                'wrenches': None if wrenches is None else wrenches(t),
            }

        instants, states, evaluations = integrate(
            self, times, inputs, state, rtol=rtol, atol=atol, method=method, progress=progress
        )
        names = self.motors.joint_names, self.motors.names
        return SimulationResult(instants, *self.split(states), evaluations, *names)

    def _inputs(
        self,
        motor_effort: ArrayLike,
        stiffness: ArrayLike | None,
        wrenches: Mapping[str, ArrayLike] | None,
    ) -> tuple[Array, Array, Array]:
        effort = as_vector('motor_effort', motor_effort, self.motors.m)
        values = self.motors.stiffness
        if stiffness is not None:
            values = as_vector('stiffness', stiffness, len(values))
        external = body_wrenches(self.robot.tree, wrenches)
        rotors = self._extended.body_count - self.robot.tree.body_count
        if len(external) and rotors:
            external = np.vstack([external, np.zeros((rotors, 6))])
        return effort, values, external


def _failure(model: ScrewModel, motors: MotorTable, status: int, state: Array) -> SimulationError:
    """Return the error for a kernel's status and state; `model` is that of links and rotors."""
    if status >= 0:
        return SimulationError(
            f'joint {model.joint_names[status]!r}: expected an inertia above {SINGULAR:g} of what '
            'it moves, got less: it can accelerate without moving any mass'
        )
    if status == UNSETTLED:
        return SimulationError(
            'friction under load: expected accelerations that agree with the efforts that rigid '
            'joints transmit, found none: lower the coefficients load and load_friction'
        )
    theta = state[2 * motors.n : 2 * motors.n + motors.m]
    deflections = theta - state[motors.joint_of_motor]
    worst = int(np.argmax(np.where(np.isfinite(deflections), np.abs(deflections), np.inf)))
    return SimulationError(
        f'motor {motors.names[worst]!r}: the motion is not finite at a deflection of '
        f'{deflections[worst]:.3g} rad or m (largest): expected one within the range of the '
        'spring, and a shorter step or other efforts if this robot is out of control'
    )
