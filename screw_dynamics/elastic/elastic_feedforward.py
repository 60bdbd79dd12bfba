# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`elastic_feedforward`: motor positions and efforts from a joint jet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite, require_out
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.elastic.deflection_filter import DeflectionFilter
from screw_dynamics.elastic.elastic_joints import ElasticJoints, require_elastic_joints
from screw_dynamics.elastic.failures import raise_failure
from screw_dynamics.elastic.motor_feedforward import MotorFeedforward
from screw_dynamics.elastic.motor_table import MotorTable
from screw_dynamics.elastic.rotors.coupled_efforts import coupled_efforts
from screw_dynamics.elastic.rotors.coupling import RotorCoupling
from screw_dynamics.elastic.spring_jets import as_stiffness_jets
from screw_dynamics.error_texts import listed, shown
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.springs.deflections import OK
from screw_dynamics.kernels.springs.motor_commands import motor_commands
from screw_dynamics.model import ScrewModel


def elastic_feedforward(
    model: ScrewModel,
    joints: ElasticJoints,
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
    of the motion, and ``tau_m = B theta'' + d theta' + c tanh(theta' / v0) + f(phi)``, with their
    time derivatives as far as the joint jet allows; exact to rounding.

    Parameters
    ----------
    model : ScrewModel
        The robot with n coordinates.
    joints : ElasticJoints
        Its springs and motors; joints without an entry are rigid.
    joint_jet : (r, n) or (T, r, n) array_like
        Row d is the d-th time derivative of the coordinates [rad or m, per s^d]. r >= 5; 4 if
        every spring has a damper, 3 if every joint is rigid. Coupled rotors need up to
        2 n + 3, see `ElasticJoints.required_rows`.
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
        Buffers from `joints.buffers`, filled and returned, for one sample; they must not share
        memory with other arguments. A call then allocates no arrays of the robot's size, except
        for external wrenches, variable stiffness and coupled rotors.

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

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> rod = sd.lie.inertia_matrix(2.0, np.array([0.0, 0, -0.5]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [rod])
    >>> joint = sd.ElasticJoint(sd.LinearSpring(100.0), sd.Motor(rotor_inertia=0.1))
    >>> joints = sd.ElasticJoints({'joint_1': joint})
    >>> jet = np.array([[np.pi / 2], [0.0], [2.0], [0.0], [0.0]])
    >>> motors = sd.elastic_feedforward(pendulum, joints, jet)
    >>> motors.deflection.round(6), motors.motor_effort.round(6)
    (array([0.1081]), array([11.01]))

    """
    table = require_elastic_joints(joints).motors(model)
    coupling = joints.coupling(model)
    jet = _joint_jet(table, joint_jet, coupling)
    single = jet.ndim == 2
    rows = joints.uncoupled_rows(model, jet.shape[-2])
    shapes = [(*jet.shape[:-2], *shape) for shape in table.jet_shapes(rows)]
    if out is None:
        result = MotorFeedforward(table.names, table.gear_ratios, *map(np.empty, shapes))
    else:
        result = _checked_out(out, table, shapes, jet)
    reactions = None
    if coupling is None:
        inverse_dynamics(model, jet, wrench_jets, out=result.effort_jet)
    else:
        result.effort_jet[...], reactions = coupled_efforts(
            model, joints, coupling, jet, wrench_jets, stiffness_jets
        )
    shape = result.motor_jet.shape
    stiffness = as_stiffness_jets(table, stiffness_jets, shape[:-1])
    instants = _times(table, times, deflection, shape[:-2])
    state = _NO_STATE
    if isinstance(deflection, DeflectionFilter):
        state = deflection.require(table, jet.shape[-2]).state
    elif table.damped_names:
        state = DeflectionFilter(model, joints, jet.shape[-2], deflection).state
    failure = np.zeros(5)
    arrays = (result.deflection_jet, result.motor_jet, result.motor_effort_jet)
    deflections, motions, commands = (a[np.newaxis] for a in arrays) if single else arrays
    status = motor_commands(
        jet[np.newaxis] if single else jet,
        result.effort_jet[np.newaxis] if single else result.effort_jet,
        stiffness,
        table.laws,
        table.offsets,
        table.parameters,
        table.damped,
        table.variable,
        table.first_motor,
        table.rows,
        instants,
        *state,
        deflections,
        motions,
        commands,
        failure,
    )
    if status != OK:
        raise_failure(status, failure, table, joints, single)
    if reactions is not None:
        result.motor_effort_jet[...] += reactions
    return result


def _joint_jet(table: MotorTable, joint_jet: ArrayLike, coupling: RotorCoupling | None) -> Array:
    jet = as_float_array('joint_jet', joint_jet)
    least, reason = 3 + table.lost_orders, table.most_demanding
    if coupling is not None:
        least, reason = coupling.rows, 'this robot with rotors on moving links'
    if jet.ndim not in (2, 3) or jet.shape[-1] != table.n or jet.shape[-2] < least:
        raise ShapeError(
            'joint_jet',
            f'(r, {table.n}) or (T, r, {table.n}) with r >= {least}: rows q to q^({least - 1}), '
            f'which the motor effort of {reason} needs',
            jet.shape,
        )
    return jet


def _checked_out(
    out: object, table: MotorTable, shapes: Sequence[tuple[int, ...]], jet: Array
) -> MotorFeedforward:
    if not isinstance(out, MotorFeedforward):
        raise InputError(f'out: expected a MotorFeedforward, got {type(out).__name__}')
    # buffers of the same joints share the table's ratios, which saves a comparison of arrays
    same = out.gear_ratios is table.gear_ratios
    if out.motor_names != table.names or not (
        same or np.array_equal(out.gear_ratios, table.gear_ratios)
    ):
        raise InputError(
            f'out: expected buffers of these joints, with motors {listed(table.names)} and '
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


def _times(
    table: MotorTable,
    times: ArrayLike | None,
    deflection: Mapping[str, float] | DeflectionFilter | None,
    batch: tuple[int, ...],
) -> Array:
    """Return the time of every sample; empty if no joint is damped."""
    if times is not None:
        times = require_finite('times', as_float_array('times', times))
        if times.shape != batch:
            raise ShapeError('times', str(batch), times.shape)
    if not table.damped_names:
        if deflection:
            raise InputError('deflection: expected none, no spring has a damper beside it')
        return _NO_TIMES
    if times is None:
        if batch or isinstance(deflection, DeflectionFilter):
            raise InputError(
                f'times: expected the times of the samples, which the damped joint '
                f'{table.damped_names[0]!r} needs, got none'
            )
        return _ONE_TIME
    return times.reshape(-1)


_NO_TIMES, _ONE_TIME = np.empty(0), np.zeros(1)
_NO_STATE = np.zeros(2), np.empty((0, 0)), np.empty((0, 0))
