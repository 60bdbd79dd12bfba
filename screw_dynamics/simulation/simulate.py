# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`simulate`: the motion of rigid and elastic robots under efforts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import as_vector
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics.dispatch import by_kind
from screw_dynamics.errors import InputError, shown
from screw_dynamics.model import RobotModel, ScrewModel
from screw_dynamics.simulation.by_forward_dynamics import (
    CoordinateMotion,
    effort_law,
    simulate_coordinates,
)
from screw_dynamics.simulation.elastic_robot import ElasticRobot
from screw_dynamics.simulation.robot_tables import SimulationResult


@partial(by_kind, 'simulate')
def simulate(
    robot: Robot | RobotModel,
    times: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    efforts: ArrayLike | Callable[..., ArrayLike] | None = None,
    *,
    motor_position: ArrayLike | None = None,
    motor_velocity: ArrayLike | None = None,
    stiffness: Callable[[float], ArrayLike] | None = None,
    wrenches: Callable[[float], Mapping[str, ArrayLike]] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    method: str | None = None,
    progress: Callable[[float], object] | None = None,
) -> SimulationResult | CoordinateMotion:
    """
    Return the motion of a robot under efforts that may depend on its state.

    The equations of rigid and elastic robots are those of `simulation.ElasticRobot`: with all
    springs, friction and rotors of the drives, without limits of joints and efforts. Those of
    other kinds are their `forward_dynamics`, of soft robots ``M q'' + c + g + s = efforts``.

    Parameters
    ----------
    robot : Robot or RobotModel
        A `ScrewModel` has rigid joints without rotors and friction. Another kind, a `SoftRobot`
        for example, takes none of the options of motors, stiffness and wrenches.
    times : (T,) array_like
        Times of the states to return, increasing [s]; the motion begins at the first.
    q, qd : (n,) array_like
        Positions and velocities at ``times[0]``; by default it begins at rest [rad or m, per s].
    efforts : (m,) array_like or callable, optional
        Efforts of the motors on the joint side of their gears, one per joint without drives;
        0 by default [N m or N]. Constant, ``efforts(t, q, qd)`` of a robot without drives, or
        ``efforts(t, q, qd, theta, thetad)`` of one with drives, with the state of its motors.
    motor_position, motor_velocity : (m,) array_like, optional
        Motors at ``times[0]``, on the joint side; by default springs are not deflected.
    stiffness, wrenches : callable, optional
        Functions of time, see `simulation.ElasticRobot.derivatives`.
    rtol, atol : float
        Tolerances of a step, rtol > 0, atol >= 0; `atol` defaults to ``rtol / 100``, `rtol` to
        1e-9, of other kinds than trees of rigid bodies to 1e-6.
    method : str
        Of scipy's `solve_ivp`: 'DOP853', the default, 'RK45' or 'RK23'. Of other kinds also 'BDF',
        their default, and 'Radau': implicit, for stiff and damped bodies.
    progress : callable, optional
        Called with the time after each step.

    Returns
    -------
    SimulationResult
        Of other kinds a `simulation.CoordinateMotion`.

    Raises
    ------
    SimulationError
        If the integration fails, or the motion leaves the range of a soft body; the error states
        the time.
    ModelError
        If the motor behind a spring has no rotor inertia.
    ShapeError, NotFiniteError, InputError, UnknownNameError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> motion = sd.simulate(arm, [0.0, 0.5, 1.0], [0.3, 0.0], efforts=lambda t, q, qd: -2.0 * qd)
    >>> motion.position.shape
    (3, 2)
    """
    robot = as_robot(robot)
    functions = {'stiffness': stiffness, 'wrenches': wrenches, 'progress': progress}
    for name, given in functions.items():
        if given is not None and not callable(given):
            raise InputError(f'{name}: expected a function of time, got {shown(given)}')
    if not isinstance(robot.model, ScrewModel):
        of_trees = {
            'motor_position': motor_position, 'motor_velocity': motor_velocity,
            'stiffness': stiffness, 'wrenches': wrenches,
        }  # fmt: skip
        for name, option in of_trees.items():
            if option is not None:
                raise InputError(f'{name}: expected none for a {type(robot.model).__name__}')
        return simulate_coordinates(
            robot.model, times, q, qd, efforts, rtol=1e-6 if rtol is None else rtol, atol=atol,
            method=method or 'BDF', progress=progress,
        )  # fmt: skip
    dynamics = ElasticRobot(robot)
    start = dynamics.state(
        as_vector('q', q, robot.n),
        None if qd is None else as_vector('qd', qd, robot.n),
        motor_position,
        motor_velocity,
    )
    law, parts = effort_law(efforts, robot.motors.m), 2 if robot.drives is None else 4
    return dynamics.integrate(
        times,
        lambda t, state: law(t, *dynamics.split(state)[:parts]),
        start,
        stiffness=stiffness,
        wrenches=wrenches,
        rtol=1e-9 if rtol is None else rtol,
        atol=atol,
        method=method or 'DOP853',
        progress=progress,
    )
