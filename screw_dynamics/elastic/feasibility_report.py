# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeasibilityReport`: which limits a motion keeps, as records and as a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.text_table import text_table

# A trajectory planned to touch a limit is off by rounding only.
SLACK = 1e-9

_HEADER = ('quantity', 'joint', 'worst', 'limit', 'at [s]', 'first beyond [s]')


@dataclass(frozen=True)
class LimitCheck:
    """
    One quantity of one joint or motor along a motion.

    Parameters
    ----------
    quantity : str
        'position', 'velocity', 'effort', 'effort rate', 'deflection', 'motor velocity',
        'motor effort', 'stiffness', or 'spring' where no deflection gives the effort.
    joint : str
        Name of the joint; of the motor for what belongs to motors.
    unit : str
    worst : float
        The value that comes nearest to a limit or is farthest beyond it; NaN for 'spring'.
    limit : float
        That limit.
    time : float
        When [s].
    excess : float
        How far the worst value is beyond the limit, in parts of that limit (of the opposite one
        where it is 0); negative within it.
    first_violation : float or None
        Time of the first sample beyond the limit [s]; None where all keep it.
    reason : str
        Why no deflection gives the effort, for 'spring'.

    """

    quantity: str
    joint: str
    unit: str
    worst: float
    limit: float
    time: float
    excess: float
    first_violation: float | None
    reason: str = ''

    @property
    def feasible(self) -> bool:
        """Whether the limit is kept."""
        return self.first_violation is None

    def __str__(self) -> str:
        """Return it as a sentence."""
        if self.reason:
            return f'{self.joint}: {self.reason} at t = {self.time:g} s'
        return (
            f'{self.joint}: {self.quantity} {self.worst:g} {self.unit} at t = {self.time:g} s, '
            f'limit {self.limit:g} {self.unit}'
        )


@dataclass(frozen=True)
class FeasibilityReport:
    """
    What a motion asks of joints, springs and motors, limit by limit.

    Only finite limits are listed; what belongs to motors is at the joint's side of the gear.
    ``print(report)`` shows a table.

    Parameters
    ----------
    checks : tuple of LimitCheck

    """

    checks: tuple[LimitCheck, ...]

    @property
    def feasible(self) -> bool:
        """Whether all limits are kept."""
        return all(check.feasible for check in self.checks)

    @property
    def violations(self) -> tuple[LimitCheck, ...]:
        """The limits that are not kept, the one exceeded most first."""
        broken = (check for check in self.checks if not check.feasible)
        return tuple(sorted(broken, key=lambda check: -check.excess))

    def __str__(self) -> str:
        """Return a headline and the table of all limits."""
        broken, count = len(self.violations), len(self.checks)
        headline = (
            f'infeasible: {broken} of {count} limits exceeded'
            if broken
            else f'feasible: {count} limits kept'
        )
        return f'{headline}\n{text_table([_HEADER, *map(_cells, self.checks)])}'


def limit_checks(
    quantity: str,
    names: tuple[str, ...],
    units: tuple[str, ...],
    times: Array,
    values: Array,
    lower: Array,
    upper: Array,
) -> list[LimitCheck]:
    """
    Compare values with their limits.

    `times` (T,) [s]; `values` (T, m); `lower`, `upper` (m,).
    """
    checks = []
    for i, name in enumerate(names):
        # no -0 in texts
        bounds = np.array([lower[i], upper[i]]) + 0.0
        if not np.isfinite(bounds).any():
            continue
        beyond = np.column_stack([bounds[0] - values[:, i], values[:, i] - bounds[1]])
        beyond = beyond / _sizes(bounds)
        beyond[np.isnan(beyond)] = np.inf
        worst, side = np.unravel_index(np.argmax(beyond), beyond.shape)
        violated = np.flatnonzero((beyond > SLACK).any(axis=1))
        checks.append(
            LimitCheck(
                quantity=quantity,
                joint=name,
                unit=units[i],
                worst=float(values[worst, i]),
                limit=float(bounds[side]),
                time=float(times[worst]),
                excess=float(beyond[worst, side]),
                first_violation=float(times[violated[0]]) if len(violated) else None,
            )
        )
    return checks


def _sizes(bounds: Array) -> Array:
    """Return what excess over a lower and an upper bound is measured in."""
    sizes = np.where(np.isfinite(bounds), np.abs(bounds), 0.0)
    return np.where(sizes > 0.0, sizes, sizes.max() or 1.0)


def _cells(check: LimitCheck) -> tuple[str, ...]:
    first = '-' if check.first_violation is None else f'{check.first_violation:g}'
    if check.reason:
        return check.quantity, check.joint, check.reason, '-', f'{check.time:g}', first
    worst, limit = f'{check.worst:g} {check.unit}', f'{check.limit:g} {check.unit}'
    return check.quantity, check.joint, worst, limit, f'{check.time:g}', first
