# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`retime`: fastest time law of a motion along its path."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_count, require_number
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import (
    InfeasibleError,
    InputError,
    ShapeError,
    SpringRangeError,
    shown,
)
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.retiming.last_slowing import certified
from screw_dynamics.limits.retiming.limited_quantities import (
    Limits,
    limited_quantities,
    limited_robot,
)
from screw_dynamics.limits.retiming.motion_on_path import motion_on_path
from screw_dynamics.limits.retiming.path_rows import PathRows
from screw_dynamics.limits.retiming.speed_program import faster
from screw_dynamics.limits.retiming.stations import (
    denser_knots,
    divided,
    limits_at_stations,
    most_intervals,
    spline_knots,
)
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import POSITION_UNITS
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import PiecewisePolynomial

_FEWEST = 10  # intervals
_PER_INTERVAL = 3  # stations between two knots
_BETWEEN = 4  # instants per distance of two stations where limits are checked
_MOST_PROGRAMS = 20
_COARSE = 3  # times fewer intervals in the first programs
_COARSE_GAIN = 0.1  # of the duration, by a program
_LEAST_GAIN = 2e-3  # of the duration, by a program
_TIGHTENING_GAIN = 0.03  # below it, what is exceeded between stations tightens limits there
_MARGIN = 1e-3  # of a limit, for what is exceeded between stations
_MARGIN_OF_FIXED = 3e-3  # where conditions at the ends forbid to slow the result
_FIRST_SPEEDS = 10.0 ** np.arange(3.0, -6.2, -0.1)
_EXCESS = 1e-6  # of a limit, by rounding
_LEAST_GROWTH = 1e-9  # of a share of a limit, at twice the speed
_LEAST_STEP = 1e-3  # of the way to the solution of a program
_BEYOND = 1e-9  # a limit of positions [rad or m]
_LEAST_DURATION = 1e-3  # of the given curve, for numbers of a size that programs solve [s]


def retime(
    robot: Robot | ScrewModel,
    curve: PiecewisePolynomial,
    limits: Limits = None,
    *,
    intervals: int = 200,
    no_faster: bool = False,
    longest: float = np.inf,
) -> PiecewisePolynomial:
    """
    Return the fastest motion along the path of a curve that keeps every limit.

    The time law is a spline of degree 4 in the squared speed along the path. Sequential linear
    programs minimise the duration under the limits of velocity, acceleration, jerk, effort, effort
    rate and, with elastic joints, deflection, motor velocity, effort, its rate and voltage, at
    stations along the path: first with half of the intervals, then with all. All times of the
    result are scaled until the largest share of a limit is 0.9999, by `check_feasibility`, of
    voltages, rms currents and temperatures too; then by `limits.certify`, until limits hold
    between samples. If it does not begin and end at rest, it is only slowed, and only where a
    limit is exceeded. The duration is a local optimum within the time laws of this form, in
    practice within some per cent of the best possible one.

    Parameters
    ----------
    robot : Robot or ScrewModel
        The friction and the rotors of its motors count; springs with dampers are planned without
        them and checked with them.
    curve : PiecewisePolynomial
        The motion whose path is kept; its own times matter only as the parameter of the path.
        Where it does not start or end at rest, velocity, acceleration, jerk and snap are kept.
    limits : JointLimits or mapping of str to array_like, optional
        Limits in place of those of the robot: 'velocity' [rad/s or m/s], 'acceleration' and 'jerk'
        [per s^2 and s^3], 'effort' [N m or N] and 'effort_rate' [N m/s or N/s], a number or (n,)
        each. What is left out remains that of the model and the drives.
    intervals : int
        Least number of intervals of the spline; more make a faster motion and a longer
        computation. Motions of less than 3 ms per interval have no more than that.
    no_faster : bool
        Whether each segment of `curve` keeps the largest velocity that every joint has in it, and
        pauses their time.
    longest : float
        Time of the computation after which no further linear program is solved: the time law
        found so far is finished [s].

    Returns
    -------
    PiecewisePolynomial
        Begins at the first break of `curve`, is as often differentiable as it (at most C4) and
        within 1e-9 rad or m of its path. Its segments take at least 1 ms: breaks of the path that
        it passes sooner are left out.

    Raises
    ------
    InfeasibleError
        If a limit is exceeded at every speed: of a position, or of an effort at rest; or if the
        ends that are not at rest leave no time law.
    ShapeError, NotFiniteError, UnknownNameError, InputError

    See Also
    --------
    limits.certify : Limits of a whole curve.
    limits.slow_down : The whole motion slower.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points
    >>> points = [(0.0, [0.0, 0.0]), (2.0, [1.0, 0.5])]
    >>> curve = smooth_trajectory(waypoints_from_points(arm.joint_names, points, arm.joint_names))
    >>> fast = sd.retime(arm, curve, {'velocity': 2.0, 'effort': 60.0, 'effort_rate': 1500.0})
    >>> print(f'{curve.duration:.1f} s, {fast.duration:.1f} s')
    2.0 s, 0.6 s
    """
    robot = limited_robot(robot, limits)
    _check_curve(robot, curve)
    intervals = require_count('intervals', intervals, _FEWEST)
    if 0.0 < curve.duration < _LEAST_DURATION:
        raise InputError(
            f'curve: expected a duration of at least {_LEAST_DURATION:g} s, got '
            f'{curve.duration:.3g} s: the time of a path may be stretched'
        )
    if _stays(curve):
        return replace(curve, breaks=curve.breaks[:1], coefficients=curve.coefficients[:0])
    until = time.monotonic() + require_number('longest', longest, infinite=True)
    stations = partial(limits_at_stations, robot, limited_quantities(robot), curve, no_faster)
    few = spline_knots(curve, max(intervals // 2 // _COARSE, 10))
    _check_positions(robot, curve, divided(few, _COARSE * _PER_INTERVAL))
    coarse = stations(few, _PER_INTERVAL)
    first = _first(robot, coarse)
    if coarse.fixed is None:
        first = _nearly_fastest(coarse, first)
        duration = float(coarse.basis.durations(first, few).sum())
        intervals = min(intervals, max(most_intervals(duration), _FEWEST))
    knots = spline_knots(curve, intervals // 2)
    rows, between = stations(knots, _PER_INTERVAL), stations(knots, _PER_INTERVAL * _BETWEEN)
    # near enough: the coefficients of a spline approach its values at these means of knots
    start = coarse.basis.at(first, rows.basis.means)[..., 0]
    coefficients = _fastest(rows, between, start, until)
    durations = between.basis.durations(coefficients, knots)
    if not no_faster and _unbounded(robot, rows, coefficients):
        raise InputError('limits: expected some that bound the speed along the path')
    if time.monotonic() < until:
        knots = denser_knots(knots, durations)
        rows = stations(knots, _PER_INTERVAL)
        start = rows.basis.interpolated(between.basis, coefficients)
        between = stations(knots, _PER_INTERVAL * _BETWEEN)
        coefficients = _fastest(rows, between, start, until)
    fast = motion_on_path(curve, between.basis, coefficients, knots)
    return certified(robot, fast, may_gain=rows.fixed is None)


def _unbounded(robot: Robot, rows: PathRows, coefficients: Array) -> bool:
    """Whether no quantity comes nearer to its limit with speed."""
    moving = np.abs(rows.path_jets[:, 1]).max(axis=0) > 0.0
    if np.isfinite(robot.model.limits.ignoring_zeros().velocity[moving]).any():
        return False
    growth = np.abs(rows.ratios(coefficients) - rows.ratios(coefficients / 4.0))
    return bool(growth[:, : rows.quantities.count].max(initial=0.0) < _LEAST_GROWTH)


def _check_curve(robot: Robot, curve: PiecewisePolynomial) -> None:
    if not isinstance(curve, PiecewisePolynomial):
        raise InputError(f'curve: expected a PiecewisePolynomial, got {shown(curve)}')
    if len(curve.end) != robot.n:
        raise ShapeError('curve', f'{robot.n} joints', (len(curve.end),))


def _check_positions(robot: Robot, curve: PiecewisePolynomial, times: Array) -> None:
    """Raise InfeasibleError for a path beyond the limits of positions, which no speed changes."""
    limits, positions = robot.model.limits, curve.jets(times, rows=1)[:, 0]
    beyond = np.maximum(positions - limits.upper, limits.lower - positions)
    if not beyond.max(initial=0.0) > _BEYOND:
        return
    at, joint = np.unravel_index(np.argmax(beyond), beyond.shape)
    over = positions[at, joint] > limits.upper[joint]
    bound = (limits.upper if over else limits.lower)[joint]
    unit = POSITION_UNITS[robot.model.coordinate_types[joint] == 'prismatic']
    raise InfeasibleError(
        f'expected a path within the limits of positions, got {robot.joint_names[joint]}: '
        f'position {positions[at, joint]:.6g} {unit} at t = {times[at]:.6g} s, limit {bound:.6g} '
        f'{unit}, with t of the given motion'
    )


def _stays(curve: PiecewisePolynomial) -> bool:
    """Whether all positions of a curve are its end."""
    c = curve.coefficients
    return bool((c[:, 1:] == 0.0).all() and (c[:, 0] == curve.end).all())


def _first(robot: Robot, rows: PathRows) -> Array:
    """Return spline coefficients of the fastest of some constant speeds along the path."""
    constant = np.ones(rows.basis.count)
    if rows.fixed is not None:
        return constant
    for speed in _FIRST_SPEEDS:
        try:
            if rows.ratios(speed**2 * constant).max(initial=0.0) <= 1.0:
                constant *= speed**2
                return constant
        except SpringRangeError:
            continue
    jets = rows.path_jets.copy()
    scale_speed(np.moveaxis(jets, 1, 0), speed)
    worst = check_feasibility(robot, jets, rows.basis.stations).violations
    listed = '; '.join(str(violation) for violation in worst[:3])
    raise InfeasibleError(
        f'expected a motion that is feasible when slow, got {listed}, with t of the given motion'
    )


def _nearly_fastest(coarse: PathRows, coefficients: Array) -> Array:
    """Return spline coefficients of a time law of few intervals, whose programs are small."""
    tightening, gain = np.ones((coarse.count, coarse.width)), 1.0
    while gain > _COARSE_GAIN:
        coefficients, gain = _improved(coarse, coefficients, tightening)
    return coefficients


def _fastest(rows: PathRows, between: PathRows, coefficients: Array, until: float) -> Array:
    """Return the spline coefficients where linear programs gain no more, or at a time [s]."""
    margin, highest = _MARGIN, 1.0 + _MARGIN
    if rows.fixed is not None:  # slowing would change the ends
        margin, highest = _MARGIN_OF_FIXED, 1.0 - _MARGIN_OF_FIXED / 3.0
    tightening = np.full((rows.count, rows.width), 1.0 - margin)
    for _ in range(_MOST_PROGRAMS):
        if time.monotonic() >= until:
            break
        coefficients, gain = _improved(rows, coefficients, tightening)
        if gain < _TIGHTENING_GAIN:
            worst = between.ratios(coefficients)
            if gain < _LEAST_GAIN and worst.max(initial=0.0) < highest:
                return coefficients
            tightening /= np.maximum(_around(worst / (1.0 - margin / 2.0), _BETWEEN), 1.0)
    return coefficients


def _improved(rows: PathRows, coefficients: Array, tightening: Array) -> tuple[Array, float]:
    """Return the coefficients after a linear program, and its gain, a part of the duration."""
    weights = np.gradient(rows.basis.stations)

    def excess(of: Array) -> float:
        try:
            return float((rows.ratios(of) / tightening).max(initial=0.0))
        except SpringRangeError:
            return np.inf

    def duration(of: Array) -> float:
        return float((weights / np.sqrt(rows.squared_speeds(of))).sum())

    allowed = max(1.0, excess(coefficients)) * (1.0 + _EXCESS)
    way, step = faster(rows, coefficients, weights, tightening) - coefficients, 1.0
    while excess(coefficients + step * way) > allowed and step > _LEAST_STEP:
        step /= 2.0
    result = coefficients + step * way
    return result, 1.0 - duration(result) / duration(coefficients)


def _around(worst: Array, parts: int) -> Array:
    """Return the largest value next to every station, of values at `parts` times as many."""
    count = (len(worst) - 1) // parts + 1
    padded = np.pad(worst, ((parts, parts), (0, 0)), mode='edge')
    windows = [padded[i : i + parts * (count - 1) + 1 : parts] for i in range(2 * parts + 1)]
    largest: Array = np.max(windows, axis=0)
    return largest
