# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`certify`: limits of a whole motion, between samples too."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.kernels.drives.laws import PAIR_EXPONENTIAL, TABULATED
from screw_dynamics.kernels.drives.parallel import has_length
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.feasible_samples import motor_commands_where_feasible
from screw_dynamics.limits.quantities import checks_of, joint_limits, motor_limits
from screw_dynamics.limits.report import FeasibilityReport, LimitCheck
from screw_dynamics.model import ScrewModel
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial

_PARTS = 2  # intervals of a segment to begin with
_PERIOD, _MOST_PARTS = 0.01, 1000  # s, and how many, of the first intervals where springs may fail
_HALVINGS = 24
_MOST_HALVES = 20_000  # at once: for motions that turn joints hundreds of times
_DAMPED_HALVINGS = 8  # each computes all samples again, as dampers depend on those before
_ALIKE = 1e-3  # of a limit: a cubic this close to the value at its middle is near everywhere
_LOOSE = 0.1  # the same far from the limit, and how far that is
_GAP = 2e-5  # of a limit, between a bound beyond it and the largest value known
_SMALLER = 4.0  # times the error of a cubic falls by 16 where its interval is halved: a fourth


class _Group(NamedTuple):
    """Limited values and their rates, (T, m) each, bounds (m,), and whose they are."""

    quantity: str
    values: Array
    rates: Array
    lower: Array
    upper: Array
    names: tuple[str, ...] | None = None
    joint_of: NDArray[np.int64] | None = None


class _Samples(NamedTuple):
    """Intervals (K,) with values and rates of Q quantities (K, Q) at begin, middle and end."""

    times: Array  # (3, K)
    values: Array  # (3, K, Q)
    rates: Array  # (3, K, Q)

    def part(self, chosen: NDArray[np.bool_]) -> _Samples:
        """Return some of the intervals."""
        return _Samples(*(field[:, chosen] for field in self))


def certify(
    robot: ScrewModel | Robot, curve: PiecewisePolynomial, begin: float = 0.0, speed: float = 1.0
) -> FeasibilityReport:
    """
    Return the limits along a motion, with bounds that hold between samples.

    On an interval a quantity and its rate at both ends give a cubic, which lies within the hull of
    its Bernstein coefficients; its distance from the quantity at the middle bounds the error,
    which falls by 16 with each halving. Intervals are halved until a bound is within its limit, or
    hardly above a known value: by 2e-5 of the limit, by 1e-3 where that value exceeds it. So
    `worst` is never below the truth for quantities that are smooth within the segments. Where
    20 000 intervals are open at once (gravity of joints that turn hundreds of times), their
    bounds are reported as they are.

    Parameters
    ----------
    robot : Robot or ScrewModel
    curve : PiecewisePolynomial
        Rates of motor efforts need the fifth derivative within segments.
    begin : float
        Time of the begin of the curve in the report [s].
    speed : float
        At which the curve is followed; times in the report are those at speed 1.

    Returns
    -------
    FeasibilityReport
        If a spring cannot transmit an effort, with that violation, at samples alone: they are 5 ms
        apart, or 2000, where springs have a range.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics import trajectory
    >>> from screw_dynamics.limits import certify
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> points = [(0.0, [0.0, 0.0]), (0.5, [1.5, 0.0]), (0.504, [1.5, 0.0])]
    >>> curve = trajectory.smooth_trajectory(
    ...     trajectory.waypoints_from_points(arm.joint_names, points, arm.joint_names)
    ... )
    >>> certify(arm, curve).feasible
    False
    """
    robot = as_robot(robot)
    quantities = _Quantities(robot, curve, speed)
    first = _first_intervals(curve, _may_fail(robot))
    evaluated = quantities.at(first.ravel())
    if evaluated is None:
        return quantities.at_samples(begin)
    values, rates = (field.reshape(*first.shape, -1) for field in evaluated)
    open_, done = _Samples(first, values, rates), []
    damped = robot.drives is not None and bool(robot.motors.damped_names)
    for _ in range(_DAMPED_HALVINGS if damped else _HALVINGS):
        settled = quantities.settled(open_)
        done.append(open_.part(settled))
        open_ = open_.part(~settled)
        if not open_.times.size or open_.times.shape[1] > _MOST_HALVES:
            break
        halves = quantities.halved(open_)
        if halves is None:
            return quantities.at_samples(begin)
        open_ = halves
    done.append(open_)
    samples = _Samples(*(np.concatenate(field, axis=1) for field in zip(*done, strict=True)))
    return quantities.report(samples, begin)


def _may_fail(robot: Robot) -> bool:
    """Return whether some efforts or positions are out of the range of a spring."""
    if robot.drives is None:
        return False
    table = robot.motors
    limited = (table.laws == TABULATED) | (table.laws >= PAIR_EXPONENTIAL)
    return bool(limited.any()) or any(map(has_length, table.parallel_springs))


def _first_intervals(curve: PiecewisePolynomial, springs: bool) -> Array:
    """Return begins, middles and ends (3, K) of intervals within segments, and the hold after."""
    breaks = curve.breaks
    spans = np.diff(breaks)
    parts = np.full(len(spans), _PARTS)
    if springs:  # whose ranges are looked at in samples
        period = max(_PERIOD, float(spans.sum()) / _MOST_PARTS)
        parts = np.maximum(parts, np.ceil(spans / period).astype(int))
    segment = np.repeat(np.arange(len(spans)), parts)
    count, index = parts[segment], np.arange(len(segment)) - (np.cumsum(parts) - parts)[segment]
    begins, ends = (breaks[segment] + spans[segment] * (at / count) for at in (index, index + 1))
    last = index + 1 == count
    ends[last] = np.nextafter(breaks[1:], -np.inf)  # what follows may differ at a break
    edges = np.stack((begins, 0.5 * (begins + ends), ends))
    return np.column_stack((edges, np.repeat(breaks[-1], 3)))


class _Quantities:
    """Limited quantities of a robot along a curve."""

    def __init__(self, robot: Robot, curve: PiecewisePolynomial, speed: float) -> None:
        self._robot, self._curve, self._speed = robot, curve, speed or 1.0
        self._groups: list[_Group] = []
        self._worst: Array = np.array(-np.inf)  # (Q,) excess of the values so far, of the limits
        self._known: list[Array] = []  # all times: damped joints depend on those before

    def jets(self, times: Array) -> Array:
        """Return joint jets (T, m, n) at times."""
        joint_jet = self._curve.jets(times, max(JET_ROWS, self._robot.required_rows) + 1)
        scale_speed(np.moveaxis(joint_jet, 1, 0), self._speed)
        return joint_jet

    def at(self, times: Array) -> tuple[Array, Array] | None:
        """Return values and rates (T, Q); None if a spring cannot transmit an effort."""
        damped = self._robot.drives is not None and bool(self._robot.motors.damped_names)
        self._known.append(times)
        if damped:
            every, places = np.unique(np.concatenate(self._known), return_inverse=True)
            places = places[-len(times) :]
        else:
            every, places = np.unique(times, return_inverse=True)
        groups = _groups(self._robot, every, self.jets(every))
        if groups is None:
            return None
        self._groups = groups
        values, rates = (
            np.concatenate([getattr(group, name) for group in groups], axis=1)[places]
            for name in ('values', 'rates')
        )
        lower, upper = (
            np.concatenate([getattr(group, name) for group in groups])
            for name in ('lower', 'upper')
        )
        self._lower, self._upper = lower, upper
        sizes = [np.where(np.isfinite(bound), np.abs(bound), 0.0) for bound in (lower, upper)]
        size = np.maximum(*sizes)
        self._size = np.where(size > 0.0, size, 1.0)
        known = np.maximum(values - upper, lower - values).max(axis=0) / self._size
        self._worst = np.maximum(self._worst, known)
        return values, rates / self._speed  # per s of the curve

    def at_samples(self, begin: float) -> FeasibilityReport:
        """Return the report of the samples alone, with the springs that fail."""
        times = np.unique(np.concatenate(self._known))
        report = check_feasibility(self._robot, self.jets(times), times)
        checks = []
        for check in report.checks:
            first = check.first_violation
            first = None if first is None else begin + first
            checks.append(replace(check, time=begin + check.time, first_violation=first))
        return FeasibilityReport(tuple(checks))

    def hull(self, samples: _Samples) -> tuple[Array, Array, Array]:
        """Return the least and largest possible values, and the errors at the middles, (K, Q)."""
        times, values, rates = samples
        span = (times[2] - times[0])[:, np.newaxis]
        middle = 0.5 * (values[0] + values[2]) + span * (rates[0] - rates[2]) / 8.0
        error = np.abs(values[1] - middle)
        low, high = values.min(axis=0), values.max(axis=0)
        for a, b in ((0, 1), (1, 2)):
            third = (times[b] - times[a])[:, np.newaxis] / 3.0
            for inner in (values[a] + third * rates[a], values[b] - third * rates[b]):
                low, high = np.minimum(low, inner), np.maximum(high, inner)
        return low - error / _SMALLER, high + error / _SMALLER, error

    def settled(self, samples: _Samples) -> NDArray[np.bool_]:
        """Return whether intervals (K,) need no halving."""
        low, high, error = self.hull(samples)
        beyond = np.maximum(high - self._upper, self._lower - low) / self._size
        # an interval counts if it may have a violation, the worst one of its quantity
        worst = np.maximum(self._worst, 0.0)
        gap = np.where(self._worst > 0.0, _ALIKE * (1.0 + worst), _GAP)
        smooth = error < _ALIKE * self._size * (1.0 + worst)
        far = (beyond < -_LOOSE) & (error < _LOOSE * self._size)
        unlimited = np.isinf(self._lower) & np.isinf(self._upper)
        settled = unlimited | far | (smooth & ((beyond <= worst) | (beyond < self._worst + gap)))
        result: NDArray[np.bool_] = settled.all(axis=1)
        return result

    def halved(self, samples: _Samples) -> _Samples | None:
        """Return both halves of each interval."""
        begin, middle, end = samples.times
        times = np.concatenate((0.5 * (begin + middle), 0.5 * (middle + end)))
        evaluated = self.at(times)
        if evaluated is None:
            return None

        def both(field: Array, inner: Array) -> Array:
            begin, middle, end = field
            outer = np.concatenate((begin, middle)), np.concatenate((middle, end))
            return np.stack((outer[0], inner, outer[1]))

        return _Samples(
            both(samples.times, times),
            both(samples.values, evaluated[0]),
            both(samples.rates, evaluated[1]),
        )

    def report(self, samples: _Samples, begin: float) -> FeasibilityReport:
        """Return the report of all values, where the worst of an interval is its bound."""
        low, high, _ = self.hull(samples)
        above, below = samples.values - self._upper, self._lower - samples.values
        worst = np.argmax(np.maximum(above, below), axis=0)[np.newaxis]
        bound = np.where(high - self._upper > self._lower - low, high, low)[np.newaxis]
        values = samples.values.copy()
        np.put_along_axis(values, worst, bound, axis=0)
        order = np.argsort(samples.times, axis=None, kind='stable')
        times, rows = begin + samples.times.ravel()[order], values.reshape(len(order), -1)[order]
        checks: list[LimitCheck] = []
        start = 0
        for group in self._groups:
            columns = slice(start, start + len(group.lower))
            start = columns.stop
            checks += checks_of(
                self._robot, group.quantity, times, rows[:, columns], group.lower, group.upper,
                group.names, group.joint_of,
            )  # fmt: skip
        return FeasibilityReport(tuple(checks))


def _groups(robot: Robot, times: Array, jets: Array) -> list[_Group] | None:
    """Return the limited quantities at increasing times; None if a spring fails."""
    limits = joint_limits(robot.model)
    groups = [
        _Group('position', jets[:, 0], jets[:, 1], limits.lower, limits.upper),
        _Group('velocity', jets[:, 1], jets[:, 2], -limits.velocity, limits.velocity),
    ]
    if robot.drives is None:
        efforts = inverse_dynamics(robot.model, jets[:, :4])
        groups.append(_Group('effort', *_two(efforts, 0), -limits.effort, limits.effort))
        return groups
    _, motion, failures = motor_commands_where_feasible(robot, jets, times, {}, {}, None)
    if motion is None or failures:
        return None
    table, bounds = robot.motors, motor_limits(robot)
    groups.append(_Group('effort', *_two(motion.effort_jet, 0), -limits.effort, limits.effort))
    rates = bounds.effort_rates
    groups.append(_Group('effort rate', *_two(motion.effort_jet, 1), -rates, rates))
    for quantity, jet, row, bound in (
        ('deflection', motion.deflection_jet, 0, bounds.deflections),
        ('motor velocity', motion.motor_jet, 1, bounds.motor_velocities),
        ('motor effort', motion.motor_effort_jet, 0, bounds.motor_efforts),
        ('motor effort rate', motion.motor_effort_jet, 1, bounds.motor_effort_rates),
    ):
        if np.isfinite(bound).any():
            groups.append(
                _Group(quantity, *_two(jet, row), -bound, bound, table.names, table.joint_of_motor)
            )
    return groups


def _two(jet: Array, row: int) -> tuple[Array, Array]:
    """Return values and rates (T, m) of a jet from a row on."""
    return jet[:, row], jet[:, row + 1]
