# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`certify`: limits of a whole motion, between samples too."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.drives import Drives
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.errors import InputError, ShapeError, SpringRangeError, shown
from screw_dynamics.kernels.drives.laws import (
    CUBIC,
    EXPONENTIAL,
    LINEAR,
    PAIR_EXPONENTIAL,
    RIGID,
    TABULATED,
    VARIABLE,
)
from screw_dynamics.kernels.drives.parallel import has_length
from screw_dynamics.kernels.enclosures.series import set_hulls
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.enclosures import (
    NO_DRIVES,
    DriveEnclosures,
    Intervals,
    LinkEnclosures,
    bernstein,
    derivative_of,
    motion_of,
)
from screw_dynamics.limits.quantities import (
    DERIVATIVES,
    ROWS,
    Limits,
    checks_of,
    is_of_motors,
    limits_of,
)
from screw_dynamics.limits.report import FeasibilityReport, LimitCheck
from screw_dynamics.limits.sampled_bounds import sampled_bounds
from screw_dynamics.model import ScrewModel
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial

_MOST_HALVINGS = 30  # before efforts are computed
# halved, before and after, and more for each segment: knees narrower than a motion can resolve
_MOST_INTERVALS, _PER_SEGMENT = 40_000, 10
_FAR = -1.0 / 6.0  # excess of a bound that needs not be near: the limit is 1.2 times as large
_NEAR = 5e-3  # of a limit, between a bound and the largest value known
_BEYOND = 1e-3  # the same beyond the limit
_UNDECIDED = 2e-5  # the same where the limit is between both
_SAMPLES = 8  # per interval, of quantities without certificate
_PERIOD, _MOST_SAMPLES = 0.005, 2000  # s, and how many at most, where springs may fail
_ROUNDING = 4e-15
_OF_LINKS = 1 + len(DERIVATIVES)  # groups before those of efforts
_EXACT = [RIGID, LINEAR, VARIABLE, CUBIC, EXPONENTIAL]


class _Group(NamedTuple):
    """A quantity, its limits (m,), and which have a certificate."""

    quantity: str
    limits: Limits
    exact: NDArray[np.int64]  # places of those that have one, and a limit
    sampled: NDArray[np.int64]  # places of the others that have a limit

    def checks(
        self, robot: Robot, places: NDArray[np.int64], bounds: _Bounds, begin: float
    ) -> list[tuple[int, LimitCheck]]:
        """Return the checks of some columns, of which the bounds are, and their places."""
        if not len(places):
            return []
        times, low, high, values = bounds
        limits = self.limits.of(places)
        # what is beyond a limit, for the first time of that
        beyond = ~((values >= limits.lower) & (values <= limits.upper)).all(axis=2)
        every, rows = [times[beyond]], [values[beyond]]
        for i in range(len(places)):
            # largest and least bound, beside the other quantities at an instant next to each
            for bound, side in ((high, 1.0), (low, -1.0)):
                row = np.argmax(side * bound[:, i])
                instant = np.argmax(side * values[row, :, i])
                sample = values[row, instant].copy()
                sample[i] = bound[row, i]
                every.append(times[row, instant : instant + 1])
                rows.append(sample[np.newaxis])
        instants = np.concatenate(every)
        order = np.argsort(instants, kind='stable')
        at, samples = begin + instants[order], np.concatenate(rows)[order]
        found = checks_of(robot, self.quantity, at, samples, limits)
        return list(zip(places.tolist(), found, strict=True))


class _Bounds(NamedTuple):
    """Least and largest values (I, Q) on intervals; values (I, Z, Q) at times."""

    times: Array  # (I, Z)
    low: Array
    high: Array
    values: Array

    def part(self, chosen: NDArray[np.bool_]) -> _Bounds:
        """Return some of the intervals."""
        return _Bounds(*(field[chosen] for field in self))

    def of(self, columns: slice | NDArray[np.int64]) -> _Bounds:
        """Return some of the quantities."""
        times, *fields = self
        return _Bounds(times, *(field[..., columns] for field in fields))


def certify(
    robot: ScrewModel | Robot, curve: PiecewisePolynomial, begin: float = 0.0, speed: float = 1.0
) -> FeasibilityReport:
    """
    Return the limits along a motion, with bounds that hold between samples.

    On an interval a quantity is its Taylor polynomial at the middle, from exact derivatives, and a
    remainder, which Cauchy's estimate bounds by its size at complex times: the proof is in
    docs/theory/certificate.md. So `worst` is never below the truth, also for narrow friction and
    joints that turn often. It is within 0.5 % of the limit above the truth if it is more than
    1/1.2 of the limit. Friction that is narrower than a motion resolves may leave it infinite.

    `LimitCheck.sampled` marks what has no such bound, but that of 8 samples per interval and
    cubics between them: motors behind tabulated springs, antagonistic pairs and springs with
    damper, hysteresis or backlash, all efforts with coupled rotors, and those of soft robots.

    Parameters
    ----------
    robot : Robot or ScrewModel
    curve : PiecewisePolynomial
        If it begins at rest, so does the robot before it, and it rests at the end. Where the curve
        is not C2, efforts jump; where it is not C3, their rates jump, and so on: bounds are those
        within its segments.
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
    if not isinstance(curve, PiecewisePolynomial):
        raise InputError(f'curve: expected a PiecewisePolynomial, got {shown(curve)}')
    if len(curve.end) != robot.n:
        raise ShapeError('curve', f'{robot.n} joints', (len(curve.end),))
    # a bound may be infinite: it becomes finite on shorter intervals
    with np.errstate(divide='ignore', over='ignore', invalid='ignore'):
        return _Quantities(robot, curve, speed or 1.0).certified(begin)


class _Quantities:
    """Limited quantities of a robot along a curve."""

    def __init__(self, robot: Robot, curve: PiecewisePolynomial, speed: float) -> None:
        """Find which have a certificate."""
        self._robot, self._curve, self._speed = robot, curve, speed
        self._motion = motion_of(curve, speed)
        self._most = _MOST_INTERVALS + _PER_SEGMENT * len(self._motion.spans)
        self._source: DriveEnclosures | LinkEnclosures | None = None
        exact = np.zeros(robot.n, dtype=bool)
        coupled = robot.drives is not None and robot.coupling is not None
        if isinstance(robot.model, ScrewModel):
            self._source = LinkEnclosures(robot.model)
            if robot.drives is not None:
                exact = np.isin(robot.motors.laws, _EXACT) & (robot.motors.damped < 0)
        self._groups = _groups(robot, exact, self._source is not None and not coupled)
        if robot.drives is not None:
            motors = any(is_of_motors(g.quantity) and len(g.exact) for g in self._groups)
            self._source = DriveEnclosures(_without_memory(robot, exact), motors and not coupled)
        lower = np.concatenate([group.limits.lower[group.exact] for group in self._groups])
        upper = np.concatenate([group.limits.upper[group.exact] for group in self._groups])
        sizes = [np.where(np.isfinite(bound), np.abs(bound), 0.0) for bound in (lower, upper)]
        size = np.maximum(*sizes)
        self._limits = np.stack((lower, upper, np.where(size > 0.0, size, 1.0)))
        # of the values so far: largest excess of a limit, in parts of it, least and largest one
        self._known = np.repeat([[-np.inf], [np.inf], [-np.inf]], len(size), axis=1)
        self._sampled = _may_fail(robot) or any(len(group.sampled) for group in self._groups)

    def certified(self, begin: float) -> FeasibilityReport:
        """Return the report of a curve whose begin has the time `begin`."""
        first = open_ = self.first_intervals()
        done: list[_Bounds] = []
        halved = 0
        try:
            while len(open_.segments):
                bounds = self.bounds(open_)
                settled = self.settled(bounds)
                halved += np.count_nonzero(~settled)
                if halved > self._most:
                    settled[:] = True
                done.append(bounds.part(settled))
                open_ = open_.part(~settled).halved()
        except SpringRangeError:
            return self.at_samples(first, begin)
        together = _Bounds(*(np.concatenate(field) for field in zip(*done, strict=True)))
        return self.report(together, first, begin)

    def first_intervals(self) -> Intervals:
        """Return intervals on which joints turn little and no law has a pole near."""
        count = len(self._motion.spans)
        open_ = Intervals(np.arange(count), np.full(count, 0.5), np.full(count, 0.5))
        done: list[Intervals] = []
        source = self._source
        # joints of other kinds move as those that turn
        laws = np.ones(self._robot.n), NO_DRIVES, False
        if source is not None:
            laws = source.moved, source.drives, source.motors
        for _ in range(_MOST_HALVINGS):
            narrow = self._motion.narrow(open_, *laws)
            done.append(open_.part(narrow))
            if narrow.all() or np.count_nonzero(~narrow) > self._most:
                break
            open_ = open_.part(~narrow).halved()
        done.append(open_.part(~narrow))
        return Intervals(*(np.concatenate(field) for field in zip(*done, strict=True)))

    def bounds(self, intervals: Intervals) -> _Bounds:
        """Return the bounds of the quantities that have a certificate."""
        positions, sizes, h = self._motion.expanded(intervals)
        enclosures = {
            group.quantity: derivative_of(
                positions, d, h, _ROUNDING * sizes[:, d] / h[:, np.newaxis] ** d
            )
            for d, group in enumerate(self._groups[:_OF_LINKS])
        }
        if self._source is not None and any(len(g.exact) for g in self._groups[_OF_LINKS:]):
            enclosures.update(self._source.enclosures(positions, h))
        shape, start = (len(h), self._limits.shape[1]), 0
        low, high, values = np.empty(shape), np.empty(shape), np.empty((shape[0], 3, shape[1]))
        for group in self._groups:
            if len(group.exact):
                series, derivative, radius, centres = enclosures[group.quantity]
                set_hulls(
                    series, derivative, h, radius, centres, group.limits.joints[group.exact],
                    bernstein(series.shape[1] - derivative), start, self._limits,
                    low, high, values, self._known,
                )  # fmt: skip
                start += len(group.exact)
        times = self._motion.times(intervals, np.array([-1.0, 0.0, 1.0]))
        return _Bounds(times, low, high, values)

    def settled(self, bounds: _Bounds) -> NDArray[np.bool_]:
        """Return whether intervals (I,) need no halving."""
        (lower, upper, size), worst = self._limits, self._known[0]
        beyond = np.maximum(bounds.high - upper, lower - bounds.low) / size
        gap = np.where(worst > 0.0, _BEYOND * (1.0 + worst), _UNDECIDED)
        near = (beyond <= worst + gap) | ((beyond <= 0.0) & (beyond <= worst + _NEAR))
        result: NDArray[np.bool_] = (near | (beyond <= _FAR)).all(axis=1)
        return result

    def samples(self, intervals: Intervals) -> tuple[Array, Array]:
        """Return increasing times of samples, and joint jets (T, m, n) there."""
        z = np.linspace(-1.0, 1.0, _SAMPLES, endpoint=False)
        breaks = self._curve.breaks
        times = [self._motion.times(intervals, z).ravel(), np.nextafter(breaks[1:], -np.inf)]
        if _may_fail(self._robot):
            count = min(int(np.ceil(self._curve.duration / _PERIOD)), _MOST_SAMPLES) + 1
            times.append(np.linspace(breaks[0], breaks[-1], count))
        every = np.unique(np.concatenate([*times, breaks]))
        jets = self._curve.jets(every, max(JET_ROWS, self._robot.required_rows + 2))
        scale_speed(np.moveaxis(jets, 1, 0), self._speed)
        return every, jets

    def at_samples(self, intervals: Intervals, begin: float) -> FeasibilityReport:
        """Return the report of the samples alone, with the springs that fail."""
        times, jets = self.samples(intervals)
        checks = []
        for check in check_feasibility(self._robot, jets, times / self._speed).checks:
            first = check.first_violation
            first = None if first is None else begin + self._speed * first
            time = begin + self._speed * check.time
            checks.append(replace(check, time=time, first_violation=first, sampled=True))
        return FeasibilityReport(tuple(checks))

    def report(self, bounds: _Bounds, first: Intervals, begin: float) -> FeasibilityReport:
        """Return the report of all bounds."""
        sampled: dict[str, _Bounds] = {}
        if self._sampled:
            times, jets = self.samples(first)
            names = {group.quantity for group in self._groups if len(group.sampled)}
            hulls = sampled_bounds(self._robot, times / self._speed, jets, names)
            if hulls is None:
                return self.at_samples(first, begin)
            sampled = {
                name: _Bounds(times[:, np.newaxis], low, high, values[:, np.newaxis])
                for name, (values, low, high) in hulls.items()
            }
        checks: list[LimitCheck] = []
        start = 0
        for group in self._groups:
            columns = slice(start, start + len(group.exact))
            start = columns.stop
            found = group.checks(self._robot, group.exact, bounds.of(columns), begin)
            if len(group.sampled):
                of_group = sampled[group.quantity].of(group.sampled)
                others = group.checks(self._robot, group.sampled, of_group, begin)
                found += [(place, replace(check, sampled=True)) for place, check in others]
            checks += [check for _, check in sorted(found, key=lambda item: item[0])]
        return FeasibilityReport(tuple(checks))


def _may_fail(robot: Robot) -> bool:
    """Return whether some efforts or positions are out of the range of a spring."""
    if robot.drives is None:
        return False
    table = robot.motors
    limited = (table.laws == TABULATED) | (table.laws >= PAIR_EXPONENTIAL)
    return bool(limited.any()) or any(map(has_length, table.parallel_springs))


def _without_memory(robot: Robot, exact: NDArray[np.bool_]) -> Robot:
    """Return the robot with rigid drives in place of those that have no certificate."""
    drives = robot.drives or Drives({})
    records = dict(drives.joints)
    for j in np.flatnonzero(~exact):
        drive = robot.joint_drives[j]
        # friction of a motor is in place of that of the URDF
        motor = max(drive.motors, key=lambda motor: motor.has_friction)
        records[robot.joint_names[j]] = replace(
            drive, spring=None, motor=motor, second_motor=None, hysteresis=0.0, backlash=0.0
        )
    return replace(robot, drives=replace(drives, joints=records, rotor_coupling=False))


def _groups(robot: Robot, exact: NDArray[np.bool_], efforts: bool) -> list[_Group]:
    """Return the limited quantities; `exact` joints have certified motors, if `efforts` are."""
    groups = []
    for quantity, limits in limits_of(robot).items():
        certified = exact[limits.joints] | (not is_of_motors(quantity))
        certified &= efforts or quantity not in ROWS
        limited = np.isfinite(limits.lower) | np.isfinite(limits.upper)
        places = np.flatnonzero(limited & certified), np.flatnonzero(limited & ~certified)
        groups.append(_Group(quantity, limits, *places))
    return groups
