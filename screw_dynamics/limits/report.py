# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeasibilityReport`: the limits along a motion, as records and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import RecordedResult
from screw_dynamics.common.text_table import MARK, NO_BREAK
from screw_dynamics.kernels.drives.limits import SLACK

_HEADER = ('quantity [unit]', 'joint', 'worst', 'limit', 'at [s]', 'first beyond [s]')


@dataclass(frozen=True)
class LimitCheck:
    """
    One quantity of one joint or motor along a motion.

    Parameters
    ----------
    quantity : str
        'position', 'velocity', 'acceleration', 'jerk', 'effort', 'effort rate', 'deflection',
        'motor velocity', 'motor effort', 'stiffness', or 'spring' if a spring cannot transmit the
        effort.
    joint : str
        Name of the joint, or of the motor for motor quantities.
    unit : str
    worst : float
        The value that comes closest to a limit or exceeds it most; NaN for 'spring'.
    limit : float
        The limit to which `worst` is compared.
    time : float
        Time of the worst value [s].
    excess : float
        By how much the worst value exceeds the limit, relative to that limit (to the opposite
        one if it is 0); negative within the limit.
    first_violation : float or None
        Time of the first sample beyond the limit [s]; None if there is none.
    reason : str
        For 'spring': the reason why it cannot transmit the effort.
    sampled : bool
        For reports of `limits.certify`: True if `worst` is that of samples, with no certificate.
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
    sampled: bool = False

    @property
    def feasible(self) -> bool:
        """Whether the limit is respected."""
        return self.first_violation is None

    def __str__(self) -> str:
        """Return the check as a sentence."""
        if self.reason:
            return f'{self.joint}: {self.reason} at t = {self.time:g} s'
        sampled = ' (sampled)' if self.sampled else ''
        return (
            f'{self.joint}: {self.quantity} {self.worst:g} {self.unit} at t = {self.time:g} s, '
            f'limit {self.limit:g} {self.unit}{sampled}'
        )


@dataclass(frozen=True)
class FeasibilityReport(RecordedResult):
    """
    Comparison of a motion with the limits of joints, springs and motors.

    Only finite limits are listed; motor quantities are on the joint's side of the gear.
    ``print(report)`` shows a table; ``>`` marks the limit that is nearest, or exceeded most.

    Parameters
    ----------
    checks : tuple of LimitCheck
    """

    checks: tuple[LimitCheck, ...]

    @property
    def feasible(self) -> bool:
        """Whether all limits are respected."""
        return all(check.feasible for check in self.checks)

    @property
    def violations(self) -> tuple[LimitCheck, ...]:
        """The checks that are violated, in decreasing order of excess."""
        broken = (check for check in self.checks if not check.feasible)
        return tuple(sorted(broken, key=lambda check: -check.excess))

    @property
    def binding(self) -> LimitCheck | None:
        """The check that is nearest to its limit, or exceeds it most; None without checks."""
        return max(self.checks, key=lambda check: check.excess, default=None)

    def _records(self) -> tuple[LimitCheck, ...]:
        return self.checks

    def _parts(self) -> tuple[str, list[tuple[str, ...]]]:
        broken, count = len(self.violations), len(self.checks)
        headline = f'feasible: {count} limits kept'
        if broken:
            headline = f'infeasible: {broken} of {count} limits exceeded'
        return headline, [_HEADER, *(_cells(check, self.binding) for check in self.checks)]


def limit_checks(
    quantity: str,
    names: Sequence[str],
    units: Sequence[str],
    times: Array,
    values: Array,
    lower: Array,
    upper: Array,
) -> list[LimitCheck]:
    """Compare the columns of `values` (T, m) with their finite limits (m,); NaN is beyond all."""
    bounds = np.stack((lower, upper)) + 0.0  # 0.0 instead of -0.0 in texts
    limited = np.isfinite(bounds)
    # relative to the bound, or to the opposite one if it is 0 or infinite
    sizes = np.where(limited, np.abs(bounds), 0.0)
    sizes = np.where(sizes > 0.0, sizes, sizes.max(axis=0))
    beyond = np.stack((bounds[0] - values, values - bounds[1]), axis=1)  # (T, 2, m)
    beyond /= np.where(sizes > 0.0, sizes, 1.0)
    beyond[np.isnan(beyond)] = np.inf
    rows = beyond.reshape(2 * len(values), len(names))
    worst, first = rows.argmax(axis=0), (rows > SLACK).argmax(axis=0)
    checks = []
    for i in np.flatnonzero(limited.any(axis=0)).tolist():
        sample, side = divmod(int(worst[i]), 2)
        violated = rows[first[i], i] > SLACK
        checks.append(
            LimitCheck(
                quantity=quantity,
                joint=names[i],
                unit=units[i],
                worst=float(values[sample, i]),
                limit=float(bounds[side, i]),
                time=float(times[sample]),
                excess=float(rows[worst[i], i]),
                first_violation=float(times[first[i] // 2]) if violated else None,
            )
        )
    return checks


def _cells(check: LimitCheck, binding: LimitCheck | None) -> tuple[str, ...]:
    unit = f' [{check.unit}]' if check.unit else ''
    name = f'{MARK if check is binding else ""}{check.quantity}{unit}'.replace(' ', NO_BREAK)
    first = '-' if check.first_violation is None else f'{check.first_violation:g}'
    worst = f'{check.worst:g}{" (sampled)" if check.sampled else ""}'
    values = (check.reason, '-') if check.reason else (worst, f'{check.limit:g}')
    return name, check.joint, *values, f'{check.time:g}', first
