# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Drift`: parameters that change over the time of many recordings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import COLOURS, STYLE
from screw_dynamics.common.results import Part, RecordedResult, optional_library
from screw_dynamics.common.text_table import NO_BREAK
from screw_dynamics.errors import UnknownNameError
from screw_dynamics.estimation.identification.payload import BAND
from screw_dynamics.fleet.joint_solution import INSIDE, WINDOW, JointSolution

_TREND = '.trend'
_SIGNIFICANT = 0.05


class Trend(NamedTuple):
    """
    A parameter over time: its value in the middle, its rate and the standard deviation of that.

    `probability` is that of a rate of this size by chance in any of the parameters tested.
    """

    parameter: str
    value: float
    rate: float
    standard_deviation: float
    probability: float
    unit: str


@dataclass(frozen=True, eq=False)
class Drift(RecordedResult):
    """
    How parameters change from recording to recording.

    Parameters
    ----------
    trends : tuple of Trend
        One per parameter.
    times : (M,) ndarray
        Of the recordings [`unit`].
    estimates, deviations : (M, P) ndarray
        Of each parameter by each recording, and their standard deviations.
    unit : str
        's', or 'recording' if the times are not known.
    """

    trends: tuple[Trend, ...]
    times: Array
    estimates: Array
    deviations: Array
    unit: str

    @property
    def significant(self) -> tuple[str, ...]:
        """Parameters whose rate is one of 20 or fewer by chance."""
        return tuple(t.parameter for t in self.trends if t.probability < _SIGNIFICANT)

    def _records(self) -> list[dict[str, Any]]:
        return [trend._asdict() for trend in self.trends]

    def _parts(self) -> list[Part]:
        rows = [('parameter', 'value', 'rate', f'95{NO_BREAK}%', 'unit', 'by chance')]
        for trend in self.trends:
            band = f'+-{NO_BREAK}{BAND * trend.standard_deviation:.2g}'
            unit = f'{trend.unit}/{self.unit}'.replace(' ', NO_BREAK)
            numbers = f'{trend.value:.4g}', f'{trend.rate:.3g}', band
            rows.append((trend.parameter, *numbers, unit, f'{trend.probability:.2g}'))
        return [rows]

    def plot(self, parameters: Sequence[str] = ()) -> Any:
        """
        Draw parameters of each recording over time, with their bands and trends.

        Parameters
        ----------
        parameters : sequence of str
            By default those that are `significant`, or all.

        Returns
        -------
        Figure
        """
        pyplot = optional_library('matplotlib.pyplot', 'plot')
        every = [trend.parameter for trend in self.trends]
        shown = list(parameters or self.significant or every)
        with pyplot.rc_context(STYLE):
            size = 7.0, 0.8 + 1.8 * len(shown)
            figure, panels = pyplot.subplots(len(shown), sharex=True, figsize=size, squeeze=False)
        middle = self.times.mean()
        for name, axes in zip(shown, panels[:, 0], strict=True):
            if name not in every:
                raise UnknownNameError('parameter', name, every)
            p = every.index(name)
            trend = self.trends[p]
            known = np.isfinite(self.deviations[:, p])
            points = self.times[known], self.estimates[known, p], BAND * self.deviations[known, p]
            axes.errorbar(*points, fmt='o', markersize=3, elinewidth=1, color=COLOURS[0])
            line = trend.value + trend.rate * (self.times - middle)
            axes.plot(self.times, line, color=COLOURS[1])
            axes.set_title(f'{name}: {trend.probability:.2g} by chance', loc='left')
            axes.set_ylabel(f'[{trend.unit}]')
        panels[-1, 0].set_xlabel(f'time [{self.unit}]' if self.unit == 's' else self.unit)
        figure.tight_layout()
        return figure


def drift_of(
    solution: JointSolution,
    names: tuple[str, ...],
    times: Array,
    units: tuple[str, ...],
    unit: str,
) -> Drift:
    """
    Return the drift of shared parameters.

    Each has a further column, itself times the time. Recordings as a whole count as independent,
    so that what changes from one to the next to and fro is no trend.
    """
    span = float(np.ptp(times)) or 1.0
    trends = tuple(f'{name}{_TREND}' for name in names)
    records = []
    for one, time in zip(solution.records, ((times - times.mean()) / span).tolist(), strict=True):
        columns = {**one.columns, WINDOW: np.zeros_like(one.columns[WINDOW])}
        columns |= {t: columns[n] * time for n, t in zip(names, trends, strict=True) if n in
                    columns}  # fmt: skip
        records.append(replace(one, columns=columns))
    whole = replace(solution, records=tuple(records), shared=(*solution.shared, *trends))
    found = whole.solved(0)
    values = found.values[[whole.names.index(name) for name in names]]
    rates, freedom = (of[-len(names) :] for of in (found.values, found.freedom))
    deviations = np.sqrt(np.diag(found.covariance))[-len(names) :]
    narrower = deviations * ndtri(INSIDE) / stdtrit(freedom, INSIDE)
    chances = 2.0 * len(names) * stdtr(freedom, -np.abs(rates) / narrower)
    # what each recording tells
    others = tuple(name for name in solution.shared if name not in names)
    each = replace(solution, own=(*names, *solution.own), shared=others)
    own, count = [each.solved(k) for k in range(len(times))], len(names)
    spreads = np.array([np.sqrt(np.diag(one.covariance))[:count] for one in own])
    estimates = np.where(np.isinf(spreads), np.nan, [one.values[:count] for one in own])
    rows = np.column_stack((values, rates / span, deviations / span, np.minimum(chances, 1.0)))
    every = zip(names, *rows.T.tolist(), units, strict=True)
    return Drift(tuple(Trend(*one) for one in every), times, estimates, spreads, unit)
