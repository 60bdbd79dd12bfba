# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts and motor commands along a curve or a sampled motion."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.common.progress import progress
from screw_dynamics.common.quantities import MOTORS
from screw_dynamics.drives import MotorFeedforward, feedforward_from_efforts, link_efforts
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics import EffortFormat, inverse_dynamics
from screw_dynamics.errors import InputError, RecordingWarning, ShapeError, SpringRangeError
from screw_dynamics.estimation import MeasuredMotion, propagate_uncertainty
from screw_dynamics.model import RobotModel
from screw_dynamics.recordings.results.results import MotorResults, Results
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial
from screw_dynamics.trajectory.piecewise_polynomial import even_times

_BLOCK = 2000  # samples between two steps of the progress bar
RATE = 250.0  # of the samples of a curve [Hz]


class Wanted(NamedTuple):
    """What is computed of a motion; see `bag_efforts`."""

    interpolation: str = 'smooth'
    rate: float | None = None
    order: int = 2
    effort_format: EffortFormat = EffortFormat()
    smoothing_time: float | None = None


def evaluate(
    robot: Robot | RobotModel, curve: PiecewisePolynomial, times: ArrayLike | None = None
) -> Results:
    """
    Return the motion of a curve, its efforts with two derivatives, and motor commands, by name.

    Parameters
    ----------
    robot : Robot or ScrewModel
        With drives, motor commands are computed too.
    curve : PiecewisePolynomial
        Of the joints of the robot.
    times : (T,) array_like, optional
        Increasing [s]; by default the whole curve, 250 samples per second.

    Returns
    -------
    Results

    Raises
    ------
    SpringRangeError
        If a spring cannot transmit an effort.
    ShapeError, NotFiniteError, InputError
        If the curve has another number of joints, or the times are not increasing.

    See Also
    --------
    plot : The figure of it.
    inverse_dynamics, elastic_feedforward : The arrays alone.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> curve = sd.trajectory.through(arm, [0.0, 1.0], [[0.0, 0.0], [0.8, -0.5]])
    >>> found = sd.evaluate(arm, curve)
    >>> found
    Results(251 samples of joint_1, joint_2: efforts to derivative 2)
    >>> found.effort_jet.shape, found.columns()['joint_2.effort_dot [N m/s]'].shape
    ((251, 3, 2), (251,))
    """
    robot = as_robot(robot)
    if not isinstance(curve, PiecewisePolynomial):
        raise InputError(f'curve: expected a PiecewisePolynomial, got {type(curve).__name__}')
    if len(curve.end) != robot.n:
        raise ShapeError('curve', f'{robot.n} joints', len(curve.end))
    first, last = float(curve.breaks[0]), float(curve.breaks[-1])
    if times is None:
        times = even_times(first, last, RATE)
    instants = require_finite('times', as_float_array('times', times))
    if instants.ndim != 1 or not len(instants):
        raise ShapeError('times', '(T,), with T > 0', instants.shape)
    if (np.diff(instants) <= 0.0).any():
        raise InputError('times: expected increasing ones')
    jets = sampled_jets(curve, instants, robot)
    return evaluate_samples(robot, instants, jets, 2, EffortFormat())


def sampled_jets(curve: PiecewisePolynomial, times: Array, robot: Robot) -> Array:
    """Return samples (T, r, n) of a curve with all derivatives required; warn if some jump."""
    rows = max(JET_ROWS, robot.required_rows)
    if rows > JET_ROWS:  # no curve through points is smooth enough
        warnings.warn(
            'motor efforts jump at the points: rotors on moving links need a curve that '
            f'is C{rows - 1}; this one is C{curve.continuity}',
            stacklevel=3,
        )
    return curve.jets(times, rows)


def evaluate_samples(
    robot: Robot, times: Array, joint_jet: Array, order: int, effort_format: EffortFormat
) -> Results:
    """Return efforts up to derivative `order` and motor commands along `joint_jet` (T, r, n)."""
    efforts = np.empty((len(times), order + 1, robot.n))
    for part in _blocks(len(times), 'efforts'):
        efforts[part] = inverse_dynamics(robot.model, joint_jet[part, : order + 3].copy())
    motors = None
    if robot.drives is not None:
        try:
            found = _commands(robot, joint_jet, efforts, times)
        except SpringRangeError as error:
            at = '' if error.sample is None else f' at {times[error.sample]:g} s'
            raise InputError(f'joint {error.joint!r}{at}: {error.reason}') from None
        sent = _converted_motors(robot, joint_jet, found, effort_format)
        motors = MotorResults(
            found.motor_names,
            found.gear_ratios,
            _motor_values(sent),
            transmitted=found.effort_jet[:, : order + 1],
            effort_rates=sent.motor_effort_jet[:, 1 : order + 1],
        )
    return Results(
        robot.joint_names,
        times,
        joint_jet[:, :JET_ROWS],
        _converted(robot, joint_jet, efforts, effort_format),
        motors=motors,
        # efforts with a factor may be currents
        slides=tuple(kind == 'prismatic' for kind in robot.model.coordinate_types)
        if (np.abs(effort_format.gains) == 1.0).all()
        else None,
    )


def evaluate_measured(
    robot: Robot, motion: MeasuredMotion, times: Array, wanted: Wanted
) -> Results:
    """
    Return the efforts along a measured motion at `times` (T,) [s], with standard deviations.

    Those of the motors are omitted if a spring has a damper, because the motion then depends on
    the past, and, with a warning, if one standard deviation leads out of the range of a
    spring.
    """
    if robot.required_rows > JET_ROWS:
        raise InputError(
            'rotor_coupling: expected false, as it needs derivatives beyond the snap, which '
            'measured positions do not give'
        )
    order, taken = wanted.order, wanted.effort_format
    results = evaluate_samples(robot, times, motion.jets(times), order, taken)
    rigid = Robot(robot.model)
    known = robot if (robot.motors.damped < 0).all() else rigid
    try:
        spread, of_values = _deviations(known, motion, results, taken)
    except SpringRangeError as error:
        warnings.warn(
            'no standard deviations of the motors: one standard deviation from the '
            f'motion, joint {error.joint!r}: {error.reason}',
            RecordingWarning,
            stacklevel=2,
        )
        spread, of_values = _deviations(rigid, motion, results, taken)
    shape = results.effort_jet.shape
    size = shape[1] * shape[2]
    motors = results.motors
    if motors is not None and of_values.shape[1] > size:
        motors = replace(motors, deviations=of_values[:, size:].reshape(motors.values.shape))
    return replace(
        results,
        joint_deviations=spread,
        effort_deviations=of_values[:, :size].reshape(shape),
        motors=motors,
    )


def _deviations(
    robot: Robot, motion: MeasuredMotion, results: Results, effort_format: EffortFormat
) -> tuple[Array, Array]:
    """Return the deviations of the motion (T, 5, n), and those of efforts and motor commands."""
    order = results.effort_jet.shape[1] - 1
    rows = order + 3 if robot.drives is None else JET_ROWS

    def values(jets: Array) -> Array:
        efforts = inverse_dynamics(robot.model, jets[:, : order + 3].copy())
        parts = [_converted(robot, jets, efforts, effort_format)]
        if robot.drives is not None:
            commands = _commands(robot, jets, efforts)
            parts.append(_motor_values(_converted_motors(robot, jets, commands, effort_format)))
        return np.concatenate([part.reshape(len(jets), -1) for part in parts], axis=1)

    spread = np.empty_like(results.joint_jet)
    found = []
    for part in _blocks(len(results.times), 'uncertainty of the efforts'):
        covariances = motion.covariances(results.times[part])
        spread[part] = np.sqrt(np.maximum(np.einsum('tnaa->tan', covariances), 0.0))
        found.append(
            propagate_uncertainty(
                values,
                results.joint_jet[part, :rows].copy(),
                covariances[:, :, :rows, :rows].copy(),
            )
        )
    return spread, np.concatenate(found)


def _commands(
    robot: Robot, joint_jet: Array, efforts: Array, times: Array | None = None
) -> MotorFeedforward:
    """Return the motor commands of a motion; reuse its efforts if they have enough derivatives."""
    if robot.coupling is not None or efforts.shape[1] < joint_jet.shape[1] - 2:
        efforts = link_efforts(robot, joint_jet)
    return feedforward_from_efforts(robot, joint_jet, efforts, times=times)


def _blocks(count: int, text: str) -> Iterator[slice]:
    starts = range(0, count, _BLOCK)
    return progress([slice(i, min(i + _BLOCK, count)) for i in starts], text, unit='block')


def _motor_values(found: MotorFeedforward) -> Array:
    """Return the quantities of `results.MOTORS` as an array (T, 5, m)."""
    return np.stack([getattr(found, quantity.name) for quantity in MOTORS], axis=1)


def _converted_motors(
    robot: Robot, joint_jet: Array, found: MotorFeedforward, effort_format: EffortFormat
) -> MotorFeedforward:
    """Return motor commands with motor efforts as the robot takes them."""
    efforts = _converted(robot, joint_jet, found.motor_effort_jet, effort_format)
    return replace(found, motor_effort_jet=efforts)


def _converted(
    robot: Robot, joint_jet: Array, efforts: Array, effort_format: EffortFormat
) -> Array:
    """Return efforts (T, k + 1, n) as the robot takes them."""
    if effort_format.trivial:
        return efforts
    return effort_format.convert(robot.model, joint_jet[:, : efforts.shape[1] + 2].copy(), efforts)
