# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`learn_motion`: correction of a repeated motion by the errors of its last runs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector
from screw_dynamics.common.scalars import require_number
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.errors import (
    InfeasibleError,
    InputError,
    RecordingWarning,
    ShapeError,
    shown,
)
from screw_dynamics.estimation.identification import Recording
from screw_dynamics.learning.inverse_error import inverse_errors
from screw_dynamics.learning.learned_motion import LearnedMotion, overall
from screw_dynamics.learning.smoothed_errors import (
    RunErrors,
    curve_through,
    knots_of,
    least_smoothing_time,
    run_errors,
    smoothed_errors,
    time_shift,
)
from screw_dynamics.limits import FeasibilityReport, certify
from screw_dynamics.model import ScrewModel
from screw_dynamics.trajectory import PiecewisePolynomial

_CUT = 0.6  # |Delta| + omega delay, at which errors are not corrected any more
_FREQUENCIES = np.geomspace(0.5, 2000.0, 80)  # rad/s
_FALL, _GROWTH = 0.05, 0.1  # of the rms error: no progress, and a run that was worse
_SHIFT = 3e-3  # s beside the delay that is expected, of a shift that is told
_SHIFTED = 0.8  # of the squares of the errors, what such a shift explains
_RINGING = 1e-6  # rad or m beside corrections, by which points may move from a limit


def learn_motion(
    robot: Robot | ScrewModel,
    curve: PiecewisePolynomial | LearnedMotion,
    recordings: Recording | Sequence[Recording],
    *,
    uncertainty: float = 0.1,
    delay: float = 0.002,
    gains: tuple[ArrayLike, ArrayLike] | None = None,
    smoothing_time: float | None = None,
    step: float | None = None,
) -> LearnedMotion:
    """
    Correct a repeated motion by the errors of its last run, for the next one.

    Iterative learning with the exact inverse: the new reference is the last one minus `step` times
    the smoothed error of the links, position to snap, and feedforward and motor positions are
    those of the new reference. What the inverse does wrong, I + Delta instead of I, is corrected
    where ``|Delta| < 1``. So errors are smoothed: the smoothing time is 1 / omega, with omega the
    lowest frequency at which the bound of ``|Delta(j omega)|``, by the uncertainty of the
    parameters, plus omega times the delay reaches 0.6.

    Call it after each run (or some repeats of it), with the last result in place of the curve. It
    is finished where the rms error no longer falls by 5 % of the best one. If it grows by 10 %,
    the motion of the best run returns. Corrections end at the limits of positions.

    An error that is one time times the velocities of all joints gives a RecordingWarning: links
    that are late are corrected, but a recording whose times are not those of the curve looks the
    same, and its correction is wrong by that time.

    Parameters
    ----------
    robot : Robot or ScrewModel
        As the feedforward assumes it.
    curve : PiecewisePolynomial or LearnedMotion
        The motion that was followed: the wanted one, from rest to rest, or the last result.
    recordings : Recording or sequence of Recording
        Positions of the links in one run, or in several of the same motion, whose errors are
        averaged; times are those of the curve, before and after which the robot rests. Efforts
        are not used.
    uncertainty : float
        Largest relative error of inertias, stiffness, rotor inertias and friction, 0 or more.
    delay : float
        Unknown delay from command to motion, 0 or more [s].
    gains : pair of (n,) array_like, optional
        Stiffness and damping of the PD of the drives on the motors, on the joint side of the gear
        [N m/rad or N/m, and times s]; default motors that follow their positions exactly.
    smoothing_time, step : float, optional
        In place of those of the bound [s]; the step is above 0 and at most 1.

    Returns
    -------
    LearnedMotion

    Raises
    ------
    InfeasibleError
        If the corrected motion exceeds a limit of joints, springs or motors; the error names it.
    InputError
        If a recording does not have the whole motion; if the parameters are so uncertain that no
        correction is safe.
    ShapeError, NotFiniteError, UnknownNameError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> points = [(0.0, [0.0, 0.0]), (1.0, [0.5, -0.5])]
    >>> curve = smooth_trajectory(waypoints_from_points(arm.joint_names, points, arm.joint_names))
    >>> t = np.linspace(0.0, 1.5, 301)
    >>> links = 1.01 * curve.jets(t, 1)[:, 0]  # a run whose links go 1 % too far
    >>> run = sd.Recording(arm.joint_names, t, links, np.zeros((301, 2)))
    >>> learned = sd.learn_motion(arm, curve, run, step=1.0)
    >>> (1.01 * learned.curve.end).round(6)
    array([ 0.49995, -0.49995])
    """
    robot = as_robot(robot)
    last = curve if isinstance(curve, LearnedMotion) else None
    reference = _checked(robot, curve if last is None else last.curve)
    wanted = reference if last is None else last.wanted
    runs = _runs(robot, wanted, recordings)
    least, chosen, chosen_step, reason = least_smoothing_time(runs), 0.0, 0.0, 'as given'
    if smoothing_time is None or step is None:
        chosen, chosen_step, reason = _smoothing_and_step(robot, wanted, uncertainty, delay, gains)
    if chosen < least:
        chosen, reason = least, 'by the distance of the samples'
    if smoothing_time is not None:
        chosen, reason = require_number('smoothing_time', smoothing_time, least), 'as given'
    if step is not None:
        chosen_step = require_number('step', step, 0.0, above=True)
        if chosen_step > 1.0:
            raise InputError(f'step: expected at most 1, got {shown(step)}')
    _warn_of_shift(runs, wanted, delay)
    rms, largest = _errors(runs)
    best, finished = reference, False
    if last is not None:
        smallest, now = overall(last.rms).min(), overall(rms[np.newaxis])[0]
        if now > (1.0 + _GROWTH) * smallest:
            finished, reason = True, f'the error grew to {now / smallest:.3g} times the best'
        elif now > (1.0 - _FALL) * smallest:
            finished, reason = True, f'the error no longer falls by {100 * _FALL:g} %'
        best = reference if now < smallest else last.best
        rms, largest = np.vstack((last.rms, rms)), np.vstack((last.largest, largest))
    knots = knots_of(wanted, chosen)
    if finished and best is not wanted:
        corrected, report = best, certify(robot, best)
    else:
        points = (best if finished else reference).jets(knots, 2).transpose(1, 0, 2)
        if not finished:
            found = [smoothed_errors(run, wanted, knots, chosen) for run in runs]
            points = points - chosen_step * np.mean(found, axis=0)
        corrected, report = _within_positions(robot, wanted, knots, points)
    if not report.feasible:
        raise InfeasibleError(
            f'corrected motion: expected one within the limits, got {report.violations[0]}: slow '
            'the wanted motion down, so that room is left for corrections'
        )
    return LearnedMotion(
        robot.joint_names,
        corrected,
        wanted,
        best,
        np.atleast_2d(rms),
        np.atleast_2d(largest),
        chosen,
        chosen_step,
        finished,
        reason,
    )


def _checked(robot: Robot, curve: object) -> PiecewisePolynomial:
    """Return the curve of a motion of the robot from rest to rest."""
    if not isinstance(curve, PiecewisePolynomial):
        raise InputError(
            f'curve: expected a PiecewisePolynomial or a LearnedMotion, got {shown(curve)}'
        )
    if len(curve.end) != robot.n:
        raise ShapeError('curve', f'{robot.n} joints', (len(curve.end),))
    if not curve.duration > 0.0:
        raise InputError('curve: expected a motion that takes time, got one point')
    return curve


def _runs(
    robot: Robot, wanted: PiecewisePolynomial, recordings: Recording | Sequence[Recording]
) -> list[RunErrors]:
    given = [recordings] if isinstance(recordings, Recording) else list(recordings)
    for one in given:
        if not isinstance(one, Recording):
            raise InputError(f'recordings: expected Recordings, got {shown(one)}')
    if not given:
        raise InputError('recordings: expected at least one, got none')
    continuous = [kind == 'continuous' for kind in robot.model.coordinate_types]
    return [run_errors(one.of(robot.tree), wanted, continuous) for one in given]


def _errors(runs: list[RunErrors]) -> tuple[Array, Array]:
    """Return rms and largest errors (n,) within the wanted motion."""
    errors = np.concatenate([run.errors[run.inside] for run in runs])
    return np.sqrt(np.square(errors).mean(axis=0)), np.abs(errors).max(axis=0)


def _warn_of_shift(runs: list[RunErrors], wanted: PiecewisePolynomial, delay: float) -> None:
    """Warn of errors that a shift of time explains, other than the delay that is expected."""
    late, share = time_shift(runs, wanted)
    if share > _SHIFTED and not -_SHIFT < late < _SHIFT + delay:
        warnings.warn(
            f'recordings: expected times of the curve, got links that are {1e3 * abs(late):.2g} '
            f'ms {"late" if late > 0.0 else "early"} at all joints: if the drives follow so, go '
            'on; if the times of the recording are wrong, move them, as corrections make the '
            'error of the links as large',
            RecordingWarning,
            stacklevel=3,
        )


def _within_positions(
    robot: Robot, wanted: PiecewisePolynomial, knots: Array, points: Array
) -> tuple[PiecewisePolynomial, FeasibilityReport]:
    """
    Return the curve through points (2, K, n) without corrections beyond limits of positions.

    A motion that begins at a limit has no room for corrections there, and a curve rings about its
    points. Where it would pass a limit, the distance x to it becomes (x + sqrt(x^2 + s^2)) / 2,
    with s as large as needs be, but for corrections alone.
    """
    limits, known = robot.model.limits, wanted.jets(knots, 1)[:, 0]
    most = 2.0 * np.abs(points[0] - known).max(axis=0) + _RINGING
    sizes = np.zeros((2, robot.n))
    while True:
        positions, velocities = points.copy()
        for size, limit, side in zip(
            sizes, (limits.lower, limits.upper), (1.0, -1.0), strict=True
        ):
            near = size > 0.0
            away = side * (positions[:, near] - limit[near])
            root = np.hypot(away, size[near])
            positions[:, near] = limit[near] + side * 0.5 * (away + root)
            velocities[:, near] *= 0.5 * (1.0 + away / root)
        curve = curve_through(robot.joint_names, knots, positions, velocities)
        report, further = certify(robot, curve), sizes.copy()
        for check in report.violations:
            if check.quantity == 'position' and check.joint in robot.joint_names:
                place = int(check.worst > check.limit), robot.joint_names.index(check.joint)
                beyond = 2.0 * abs(check.worst - check.limit)
                further[place] = max(2.0 * sizes[place], beyond)
        if (further == sizes).all() or (further > most).any():
            return curve, report
        sizes = further


def _smoothing_and_step(
    robot: Robot,
    wanted: PiecewisePolynomial,
    uncertainty: float,
    delay: float,
    gains: tuple[ArrayLike, ArrayLike] | None,
) -> tuple[float, float, str]:
    """Return smoothing time [s] and step for uncertain parameters, and what they are due to."""
    uncertainty = require_number('uncertainty', uncertainty)
    delay = require_number('delay', delay)
    given = None
    if gains is not None:
        if len(gains) != 2:
            raise InputError(f'gains: expected stiffness and damping, got {shown(gains)}')
        given = as_vector('gains[0]', gains[0], robot.n), as_vector('gains[1]', gains[1], robot.n)
    errors = inverse_errors(robot, wanted, _FREQUENCIES, uncertainty, given)
    beyond = np.flatnonzero(errors + _FREQUENCIES * delay >= _CUT)
    cut = int(beyond[0]) if len(beyond) else len(_FREQUENCIES) - 1
    frequency = float(_FREQUENCIES[cut])
    if frequency * wanted.duration < 2.0 * np.pi:
        raise InputError(
            f'uncertainty: expected one with which corrections converge at frequencies of the '
            f'motion, got {uncertainty:g} with a delay of {delay:g} s, for which the inverse may '
            f'be wrong by {errors[cut] + frequency * delay:.2g} at {frequency:.3g} rad/s'
        )
    # steps that are too large by the error of the inverse end where they should
    step = 1.0 / (1.0 + float(errors[_FREQUENCIES <= 0.5 * frequency].max()))
    return (
        1.0 / frequency,
        step,
        f'by an uncertainty of {uncertainty:g} and a delay of {delay:g} s',
    )
