# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`slow_down`: smallest slow-down of a motion that respects all limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.errors import InfeasibleError, InputError, shown
from screw_dynamics.limits.check import Jets, as_jets, as_motion, check_feasibility
from screw_dynamics.limits.report import FeasibilityReport, LimitCheck
from screw_dynamics.model import ScrewModel
from screw_dynamics.series.jets import scale_speed

# quantities that do not depend on speed
_TIMELESS = ('position', 'stiffness')

_MOST_FACTORS = 10_000
_MOST_NAMED = 5  # violations in an error


@dataclass(frozen=True, eq=False)
class SlowDown:
    """
    A slowed motion and the limit that determines its speed.

    Parameters
    ----------
    factor : float
        s >= 1: all times are s times as long.
    joint_jet : (T, m, n) ndarray
        The slow motion: row d of the given motion times s^-d [rad or m, per s^d].
    times : (T,) ndarray
        Times of its samples [s]; the first is unchanged.
    limiting : LimitCheck or None
        The limit exceeded just above this speed: joint, quantity, and time in the slow motion.
        None if the motion is feasible without slowing.
    report : FeasibilityReport
        Report of the slow motion.
    slower_is_feasible : bool
        Whether all slower speeds that were tried are feasible too.
    """

    factor: float
    joint_jet: Array
    times: Array
    limiting: LimitCheck | None
    report: FeasibilityReport
    slower_is_feasible: bool

    def __str__(self) -> str:
        """Return the factor, the duration, and what limits."""
        text = (
            f'feasible when slowed {self.factor:.6g} times, to '
            f'{self.times[-1] - self.times[0]:.6g} s; what limits: {self.limiting}'
        )
        if not self.slower_is_feasible:
            text += '\nbeware: some slower speeds that were tried exceed a limit again'
        return text


def slow_down(
    robot: Robot | ScrewModel,
    joint_jet: ArrayLike,
    times: ArrayLike,
    wrench_jets: Jets = None,
    *,
    stiffness_jets: Jets = None,
    deflection: Mapping[str, float] | None = None,
    max_factor: float = 100.0,
    step: float = 1.05,
    tolerance: float = 1e-9,
) -> SlowDown:
    """
    Find the least factor by which a motion must be slowed to keep every limit.

    Running s times as long divides the d-th time derivative by s^d, exactly. The factors 1,
    `step`, `step`^2, ... are tried up to the first feasible one, and the boundary below it is
    found by bisection. Feasibility need not be monotone in s: gravity may help a fast motion to
    brake, a tendon may go slack in a slow one. So windows narrower than `step` can be missed, and
    a slower robot may exceed a limit again; to detect this (`SlowDown.slower_is_feasible`), all
    factors up to `max_factor` are tried. The factor returned was itself checked.

    Parameters
    ----------
    robot, joint_jet, times, deflection
        See `check_feasibility`.
    wrench_jets, stiffness_jets : optional
        See `elastic_feedforward`. They belong to the position on the path (a payload, a contact)
        and are slowed with it; a wrench that is a function of time or speed has no such scaling
        and must be left out.
    max_factor : float
        Largest factor tried, above 1.
    step : float
        Ratio of successive factors, above 1; at most 10000 factors are tried.
    tolerance : float
        Relative accuracy of the factor; below 2e-16 it is accurate to the last bit.

    Returns
    -------
    SlowDown

    Raises
    ------
    InfeasibleError
        If no factor tried is feasible: positions or stiffness are out of range, the effort at
        rest is too large, or the motion is too fast for `max_factor`; the text states which.
    ShapeError, NotFiniteError, UnknownNameError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> t = np.linspace(0.0, 0.1, 11)
    >>> jets = np.zeros((11, 3, arm.n))
    >>> jets[:, 0, 0], jets[:, 1, 0] = 8.0 * t, 8.0
    >>> limit = arm.limits.velocity[0]
    >>> slow = sd.slow_down(arm, jets, t)
    >>> print(slow.limiting.joint, slow.limiting.quantity, round(slow.factor * limit, 6))
    joint_1 velocity 8.0
    """
    for name, value in (('max_factor', max_factor), ('step', step)):
        require_number(name, value, 1.0, above=True)
    if not 0.0 < require_number('tolerance', tolerance) < 1.0:
        raise InputError(f'tolerance: expected a number between 0 and 1, got {shown(tolerance)}')
    robot = as_robot(robot)
    jets, instants = as_motion(robot, joint_jet, times)
    wrenches = as_jets('wrench_jets', wrench_jets)
    stiffness = as_jets('stiffness_jets', stiffness_jets)

    def at(factor: float) -> FeasibilityReport:
        return check_feasibility(
            robot,
            _slowed(jets, factor, rows=1),
            _stretched(instants, factor),
            {name: _slowed(jet, factor, rows=-2) for name, jet in wrenches.items()},
            stiffness_jets={
                name: _slowed(jet, factor, rows=-1) for name, jet in stiffness.items()
            },
            deflection=deflection,
        )

    count = math.ceil(math.log(max_factor) / math.log(step))
    if count > _MOST_FACTORS:
        least = max_factor ** (1.0 / _MOST_FACTORS)
        raise InputError(
            f'step: expected {least:.9g} or more, so that at most {_MOST_FACTORS} factors lead to '
            f'max_factor = {max_factor:g}, got {shown(step)}'
        )
    as_given = at(1.0)
    if timeless := [check for check in as_given.violations if check.quantity in _TIMELESS]:
        reason = f'expected a motion that is feasible when slow, got {_listed(timeless)}'
        raise InfeasibleError(reason)
    factors = [*(step**i for i in range(count)), max_factor]
    feasible = [as_given.feasible, *(at(factor).feasible for factor in factors[1:])]
    if not any(feasible):
        raise InfeasibleError(_reason(at(math.inf), at(max_factor), max_factor))
    first = feasible.index(True)
    low, high = factors[max(first - 1, 0)], factors[first]
    while high > low * (1.0 + tolerance):
        middle = math.sqrt(low * high)
        if not low < middle < high:
            break
        if at(middle).feasible:
            high = middle
        else:
            low = middle
    return SlowDown(
        factor=high,
        joint_jet=_slowed(jets, high, rows=1),
        times=_stretched(instants, high),
        limiting=at(low).violations[0] if first else None,
        report=at(high),
        slower_is_feasible=all(feasible[first:]),
    )


def _slowed(jet: Array, factor: float, rows: int) -> Array:
    """Return a copy whose d-th row along the axis `rows` is multiplied by s^-d."""
    slowed: Array = jet.copy()
    if jet.ndim >= abs(rows):
        scale_speed(np.moveaxis(slowed, rows, 0), 1.0 / factor)
    return slowed


def _stretched(times: Array, factor: float) -> Array:
    """Return the times s times as long; unchanged if s is infinite (standstill)."""
    stretched: Array = times[0] + (times - times[0]) * factor if factor < math.inf else times
    return stretched


def _reason(at_rest: FeasibilityReport, slowest: FeasibilityReport, factor: float) -> str:
    if at_rest.feasible:
        return (
            f'expected a motion that is feasible at 1/{factor:g} of its speed, got '
            f'{_listed(slowest.violations)}; it is feasible at rest: try factors above {factor:g}'
        )
    return (
        f'expected a motion that is feasible when slow, got at rest {_listed(at_rest.violations)}'
    )


def _listed(violations: Sequence[LimitCheck]) -> str:
    """Return the worst violations as sentences, and the number of the others."""
    more = len(violations) - _MOST_NAMED
    named = '; '.join(str(violation) for violation in violations[:_MOST_NAMED])
    return f'{named}; and {more} more' if more > 0 else named
