# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`elastic_feedforward`: link efforts, spring deflections and motor efforts of a motion."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_out
from screw_dynamics.drives.deflection_filter import DeflectionFilter
from screw_dynamics.drives.link_efforts import as_elastic_jet, fill_coupled_efforts
from screw_dynamics.drives.motor_efforts import fill_motor_efforts
from screw_dynamics.drives.motor_feedforward import JETS, MotorFeedforward, new_motor_feedforward
from screw_dynamics.drives.robot import Robot, robot_with_drives
from screw_dynamics.drives.spring_deflections import fill_deflections
from screw_dynamics.drives.transmitted_efforts import fill_transmitted_efforts
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, listed, shown
from screw_dynamics.kernels.drives.commands import set_commands_of_one, set_motor_commands
from screw_dynamics.kernels.drives.deflections import OK
from screw_dynamics.model import ScrewModel

NO_EFFORTS = np.empty((0, 0))
"""For `set_commands_of_one`: to compute the efforts of the links."""


def elastic_feedforward(
    robot: Robot | ScrewModel,
    joint_jet: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    *,
    stiffness_jets: Mapping[str, ArrayLike] | None = None,
    times: ArrayLike | None = None,
    deflection: Mapping[str, float] | DeflectionFilter | None = None,
    out: MotorFeedforward | None = None,
) -> MotorFeedforward:
    """
    Return the motor positions and efforts with which an elastic robot follows a motion.

    Per motor ``theta = q + phi`` with the deflection phi at which the spring transmits the effort
    of the motion (that of the links, of joint friction and against parallel springs, see
    `transmitted_efforts`), and ``tau_m = B theta'' + F(theta', f(phi)) + f(phi)`` with the
    friction F of the motor, with their time derivatives as far as the joint jet allows; exact to
    rounding. If all joints are rigid, theta = q, and the motor effort has all rows of the effort.

    Parameters
    ----------
    robot : Robot
        With springs, motors and friction; joints without an entry in its drives are rigid.
    joint_jet : (r, n) or (T, r, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d]. r >= 5; 4 if
        every spring has a damper, 3 if every joint is rigid. Coupled rotors need up to
        2 n + 3, see `Robot.required_rows`.
    wrench_jets : mapping of str to (r - 2, 6) or (T, r - 2, 6) array_like, optional
        External wrenches, see `inverse_dynamics`.
    stiffness_jets : mapping of str to (p or more,) or (T, p or more) array_like, optional
        By joint of variable stiffness: K, or sigma of an antagonistic pair, and its time
        derivatives [N m/rad or N/m, per s^d]; by default the constant of the record. p is the
        number of rows of `motor_jet`; coupled rotors need more for joints far from the base.
    times : (T,) array_like or float, optional
        Times of the samples, not decreasing [s]. Needed for a batch with damped joints, and for
        a sample with a `DeflectionFilter`.
    deflection : mapping of str to float, or DeflectionFilter, optional
        Initial deflections of damped joints [rad or m]; by default, and always with d/K below
        1e-6 s, quasi-steady. A filter keeps the deflections from call to call, in a control loop
        or from batch to batch.
    out : MotorFeedforward, optional
        Buffers from `Robot.buffers`, filled and returned, for one sample; they must not share
        memory with other arguments. A call then allocates no arrays of the robot's size, except
        for external wrenches, variable stiffness and coupled rotors. `Workspace` is faster.

    Returns
    -------
    MotorFeedforward

    Raises
    ------
    SpringRangeError
        If a spring cannot transmit the effort: outside of a table, a stiffness that is not
        positive, a pair out of its range or singular, a tendon that would have to push.
    ShapeError
        If an array has the wrong shape or too few rows; the error names the order needed.
    NotFiniteError, UnknownNameError, InputError

    See Also
    --------
    inverse_dynamics : Efforts of the links.
    Workspace : The same in a loop, without new arrays.
    learn_motion : Where parameters remain wrong.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> rod = sd.lie.inertia_matrix(2.0, np.array([0.0, 0, -0.5]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [rod])
    >>> joint = sd.JointDrive(sd.LinearSpring(100.0), sd.Motor(rotor_inertia=0.1))
    >>> robot = sd.Robot(pendulum, sd.Drives({'joint_1': joint}))
    >>> jet = np.array([[np.pi / 2], [0.0], [2.0], [0.0], [0.0]])
    >>> motors = sd.elastic_feedforward(robot, jet)
    >>> motors.deflection.round(6), motors.motor_effort.round(6)
    (array([0.1081]), array([11.01]))
    """
    plain = stiffness_jets is None and deflection is None and _is_no_array(times)
    if plain and wrench_jets is None:
        commands = _of_one_jet(robot, joint_jet, out)
        if commands is not None:
            return commands
    robot = robot_with_drives(robot)
    table, coupling, model = robot.motors, robot.coupling, robot.model
    jet = as_elastic_jet(robot, joint_jet)
    result = _result(robot, jet, out, times)
    if coupling is None:
        inverse_dynamics(model, jet, wrench_jets, out=result.effort_jet)
        if plain and not table.damped_names and (times is None or jet.ndim == 2):
            if _fill_commands(robot, jet, result):
                return result
            # for the error, from the first efforts
            inverse_dynamics(model, jet, wrench_jets, out=result.effort_jet)
    else:
        fill_coupled_efforts(robot, coupling, jet, wrench_jets, stiffness_jets, result.effort_jet)
    _fill(robot, jet, stiffness_jets, times, deflection, result)
    return result


def _is_no_array(times: object) -> bool:
    """Return whether times are left out, or the instant of one sample."""
    return times is None or (type(times) is float and isfinite(times))


def feedforward_from_efforts(
    robot: Robot | ScrewModel,
    joint_jet: ArrayLike,
    effort_jet: ArrayLike,
    *,
    stiffness_jets: Mapping[str, ArrayLike] | None = None,
    times: ArrayLike | None = None,
    deflection: Mapping[str, float] | DeflectionFilter | None = None,
    out: MotorFeedforward | None = None,
) -> MotorFeedforward:
    """
    Return the result of `elastic_feedforward` for link efforts that are already known.

    Parameters
    ----------
    robot : Robot
        With drives.
    joint_jet : (r, n) or (T, r, n) array_like
        See `elastic_feedforward`.
    effort_jet : (k + 1, n) or (T, k + 1, n) array_like
        Result of `link_efforts` [N m or N, per s^d]; k = r - 3 without coupled rotors. An array
        that is also ``out.effort_jet`` is overwritten by the transmitted efforts.
    stiffness_jets, times, deflection, out : optional
        See `elastic_feedforward`.

    Returns
    -------
    MotorFeedforward

    Raises
    ------
    SpringRangeError, ShapeError, NotFiniteError, UnknownNameError, InputError
        See `elastic_feedforward`.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.drives import feedforward_from_efforts
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> robot = sd.Robot(arm, sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(100.0))}))
    >>> jet = np.full((5, arm.n), 0.1)
    >>> known = feedforward_from_efforts(robot, jet, sd.inverse_dynamics(arm, jet))
    >>> np.array_equal(known.motor_jet, sd.elastic_feedforward(robot, jet).motor_jet)
    True
    """
    robot = robot_with_drives(robot)
    jet = as_elastic_jet(robot, joint_jet)
    efforts = as_float_array('effort_jet', effort_jet)
    result = _result(robot, jet, out, times)
    if efforts.shape != result.effort_jet.shape:
        raise ShapeError('effort_jet', str(result.effort_jet.shape), efforts.shape)
    if efforts is not result.effort_jet:
        result.effort_jet[...] = efforts
    _fill(robot, jet, stiffness_jets, times, deflection, result)
    return result


def _result(robot: Robot, jet: Array, out: object, times: ArrayLike | None) -> MotorFeedforward:
    """Return `out`, checked, or new arrays for the results of a joint jet."""
    table = robot.motors
    rows = jet.shape[-2] - robot.required_rows + 3 + table.lost_orders
    shapes = [(*jet.shape[:-2], *shape) for shape in table.jet_shapes(rows)]
    if out is None:
        made = new_motor_feedforward(table.names, table.gear_ratios, shapes)
        at = None if times is None or jet.ndim < 3 else as_float_array('times', times)
        made.__dict__.update(joint_names=robot.joint_names, times=at)
        return made
    if not isinstance(out, MotorFeedforward):
        raise InputError(f'out: expected a MotorFeedforward, got {type(out).__name__}')
    # buffers of the same robot share the table's ratios, which saves a comparison of arrays
    same = out.gear_ratios is table.gear_ratios
    if out.motor_names != table.names or not (
        same or np.array_equal(out.gear_ratios, table.gear_ratios)
    ):
        raise InputError(
            f'out: expected buffers of this robot, with motors {listed(table.names)} and '
            f'gear ratios {shown(table.gear_ratios.tolist())}, got {listed(out.motor_names)} and '
            f'{shown(out.gear_ratios.tolist())}'
        )
    arrays = (out.effort_jet, out.deflection_jet, out.motor_jet, out.motor_effort_jet)
    for array, shape in zip(arrays, shapes, strict=True):
        if require_out(array).shape != shape:
            raise ShapeError('out', f'{shape} in a jet', array.shape)
        if np.may_share_memory(array, jet):
            raise InputError('out: expected memory of its own, got some of joint_jet')
    return out


def _of_one_jet(robot: object, jet: object, out: object) -> MotorFeedforward | None:
    """Return the commands of a jet that a kernel accepts as it is, in `out`; None for others."""
    if type(robot) is not Robot or type(jet) is not np.ndarray or jet.ndim != 2:
        return None
    tables, kernel = robot.kernel_tables, set_commands_of_one.compiled
    if tables is None or kernel is None:
        return None
    table = robot.motors
    try:
        if out is None:
            shapes = table.jet_shapes(len(jet))
            result = new_motor_feedforward(table.names, table.gear_ratios, shapes)
        elif (
            type(out) is MotorFeedforward
            and out.motor_names is table.names
            and out.gear_ratios is table.gear_ratios
        ):
            result = out
        else:
            return None
        status = kernel(
            NO_EFFORTS, jet, *tables, result.effort_jet, result.deflection_jet,
            result.motor_jet, result.motor_effort_jet,
        )  # fmt: skip
    except (TypeError, ValueError):
        return None
    return result if status == OK else None


def _fill_commands(robot: Robot, jet: Array, result: MotorFeedforward) -> bool:
    """
    Fill the commands of undamped joints with constant stiffness, from the efforts of the links.

    Return False if that fails; the efforts are then undefined.
    """
    arrays = (jet, *(getattr(result, name) for name in JETS))
    if jet.ndim == 2:
        arrays = tuple(array[np.newaxis] for array in arrays)
    return bool(set_motor_commands(*arrays[:2], *robot.motors.blocks, *arrays[2:]) == OK)


def _fill(
    robot: Robot,
    jet: Array,
    stiffness_jets: Mapping[str, ArrayLike] | None,
    times: ArrayLike | None,
    deflection: Mapping[str, float] | DeflectionFilter | None,
    result: MotorFeedforward,
) -> None:
    """Fill the rest of a result that has the efforts of the links as its efforts."""
    efforts, deflections = result.effort_jet, result.deflection_jet
    fill_transmitted_efforts(robot, jet, efforts)
    fill_deflections(robot, efforts, stiffness_jets, times, deflection, deflections)
    commands = result.motor_jet, result.motor_effort_jet
    try:
        fill_motor_efforts(robot, jet, efforts, deflections, *commands)
    except NotFiniteError:
        if isinstance(deflection, DeflectionFilter):
            # the motion as a whole was rejected
            deflection.restore_state()
        raise
