# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ElasticRobot`: how a robot with elastic joints moves when its motors are driven."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_vector, require_out
from screw_dynamics.dynamics.joint_accelerations import SOLVED
from screw_dynamics.elastic import ElasticJoints, MotorFeedforward
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.model import ScrewModel
from screw_dynamics.simulation.body_wrenches import body_wrenches
from screw_dynamics.simulation.equations_of_motion import DERIVATIVE, RUNGE_KUTTA
from screw_dynamics.simulation.failures import failure
from screw_dynamics.simulation.integration import Motion, integrate
from screw_dynamics.simulation.robot_tables import robot_tables


class ElasticRobot:
    """
    The equations of motion of a robot with elastic joints, driven by its motors.

    A state is the vector ``(q, q', theta, theta')`` of n link and m motor positions and their
    rates [rad or m, per s]; theta = q at a rigid joint. Motor positions and efforts are on the
    joint side of the gear. All springs of the elastic room, motor friction and parallel dampers
    act; with ``joints.rotor_coupling`` the rotors are bodies on the moving links. Joint limits,
    effort limits and the friction of the URDF do not.

    Parameters
    ----------
    model : ScrewModel
    joints : ElasticJoints

    Raises
    ------
    ModelError
        If the motor behind a spring has no rotor inertia.
    UnknownNameError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(1.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> arm = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [link])
    >>> joint = sd.ElasticJoint(sd.LinearSpring(100.0), sd.Motor(rotor_inertia=0.1))
    >>> robot = ElasticRobot(arm, sd.ElasticJoints({'joint_1': joint}))
    >>> robot.derivatives(robot.state([0.0], motor_position=[0.1]), [0.0])
    array([   0.,   40.,    0., -100.])

    """

    def __init__(self, model: ScrewModel, joints: ElasticJoints) -> None:
        if not isinstance(joints, ElasticJoints):
            raise InputError(f'joints: expected ElasticJoints, got {type(joints).__name__}')
        self.model, self.joints = model, joints
        self.motors = joints.motors(model)
        self._tables = robot_tables(model, joints)
        self._kernel_tables: tuple[Any, ...] = (
            model.n,
            self._tables.model.n,
            *self._tables.for_kernels,
        )

    @property
    def state_size(self) -> int:
        """Length 2 n + 2 m of a state."""
        return 2 * (self.motors.n + self.motors.m)

    def state(
        self,
        position: ArrayLike,
        velocity: ArrayLike | None = None,
        motor_position: ArrayLike | None = None,
        motor_velocity: ArrayLike | None = None,
    ) -> Array:
        """
        Return a state; motors default to those of springs without deflection.

        Parameters
        ----------
        position : (n,) array_like
        velocity : (n,) array_like, optional
            Default at rest.
        motor_position, motor_velocity : (m,) array_like, optional

        Returns
        -------
        (2 n + 2 m,) ndarray

        Raises
        ------
        ShapeError, NotFiniteError, InputError

        """
        n, m, owner = self.motors.n, self.motors.m, self.motors.joint_of_motor
        q = as_vector('position', position, n)
        qd = np.zeros(n) if velocity is None else as_vector('velocity', velocity, n)
        theta, theta_rate = q[owner], qd[owner]
        if motor_position is not None:
            theta = as_vector('motor_position', motor_position, m)
        if motor_velocity is not None:
            theta_rate = as_vector('motor_velocity', motor_velocity, m)
        return np.concatenate([q, qd, theta, theta_rate])

    def initial_state(self, joint_jet: ArrayLike, feedforward: MotorFeedforward) -> Array:
        """
        Return the state in which a motion with its feedforward begins (or passes).

        Parameters
        ----------
        joint_jet : (rows, n) array_like
            Positions and their derivatives at that instant.
        feedforward : MotorFeedforward
            Of one sample; of a batch, the first sample counts.

        Returns
        -------
        (2 n + 2 m,) ndarray

        Raises
        ------
        ShapeError, NotFiniteError, InputError

        """
        jet = np.asarray(joint_jet, dtype=np.float64)
        if jet.ndim != 2 or len(jet) < 2:
            raise ShapeError('joint_jet', f'(rows, {self.motors.n}) with rows >= 2', jet.shape)
        motors = feedforward.motor_jet.reshape(-1, *feedforward.motor_jet.shape[-2:])[0]
        return self.state(jet[0], jet[1], motors[0], motors[1])

    def split(self, states: Array) -> tuple[Array, Array, Array, Array]:
        """
        Return link positions, link velocities, motor positions and motor velocities as views.

        Parameters
        ----------
        states : (..., 2 n + 2 m) ndarray

        Returns
        -------
        position, velocity : (..., n) ndarray
        motor_position, motor_velocity : (..., m) ndarray

        """
        n, m = self.motors.n, self.motors.m
        return (
            states[..., :n],
            states[..., n : 2 * n],
            states[..., 2 * n : 2 * n + m],
            states[..., 2 * n + m :],
        )

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
            K of the joints of `motors.variable_names` (a pair takes none: any number) [N m/rad
            or N/m]; default what their springs say.
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
        status = DERIVATIVE(state, *inputs, *self._kernel_tables, derivative)
        if status != SOLVED:
            raise failure(self._tables.model, self.motors, status, state)
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
        Advance a state in place by classical Runge-Kutta steps with all inputs held.

        Parameters
        ----------
        state : (2 n + 2 m,) ndarray
            C-contiguous float64; the result is written to it. After an error it is unusable.
        motor_effort, stiffness, wrenches :
            See `derivatives`.
        h : float
            Length of a step [s]; stable below 2.8 divided by the highest of
            `natural_frequencies`.
        steps : int
            How many.

        Returns
        -------
        ndarray
            The argument `state`.

        Raises
        ------
        SimulationError
            If the state ceases to be finite: the step is too long, or the robot out of control.
        ShapeError, NotFiniteError, InputError

        """
        if require_out(state).shape != (self.state_size,):
            raise ShapeError('state', f'({self.state_size},)', state.shape)
        inputs = self._inputs(motor_effort, stiffness, wrenches)
        status = RUNGE_KUTTA(state, *inputs, *self._kernel_tables, h, steps)
        if status != SOLVED:
            raise failure(self._tables.model, self.motors, status, state)
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
    ) -> Motion:
        """
        Integrate the equations of motion by scipy's `solve_ivp`.

        Parameters
        ----------
        times : (T,) array_like
            When states are wanted, increasing; the motion begins at the first [s].
        motor_effort : callable
            ``motor_effort(t, state)`` -> (m,), feedforward and, if any, feedback [N m or N].
        state : (2 n + 2 m,) array_like
            At ``times[0]``.
        stiffness, wrenches : callable, optional
            What `derivatives` takes, as functions of time.
        rtol, atol : float
            Tolerances of a step; `atol` defaults to ``rtol / 100``.
        method : str
            Of `solve_ivp`, an explicit one: 'DOP853', 'RK45' or 'RK23'.
        progress : callable, optional
            Called with the time after each step.

        Returns
        -------
        Motion

        Raises
        ------
        SimulationError
            If the integration breaks down; the time is named.
        ShapeError, NotFiniteError, InputError

        """
        return integrate(
            self, times, motor_effort, state,
            stiffness=stiffness, wrenches=wrenches, rtol=rtol,
            atol=rtol / 100.0 if atol is None else atol, method=method, progress=progress,
        )  # fmt: skip

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
        external = body_wrenches(self.model, wrenches)
        rotors = self._tables.model.body_count - self.model.body_count
        if len(external) and rotors:
            external = np.vstack([external, np.zeros((rotors, 6))])
        return effort, values, external
