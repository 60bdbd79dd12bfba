# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Growth of memory during a soak, as a table and a plot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.node.processes import Usage
from benchmarks.report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WARM_UP = 0.2  # of the time: caches fill, DDS grows its pools
# A leak of one message per second would be some MiB per hour.
ALLOWED_GROWTH = 1024.0  # KiB per hour
SMALLEST_STEP = 256.0  # KiB: the allocator takes memory in such pieces, once or twice in a run


@dataclass(frozen=True)
class Soak:
    """One run: samples of memory per process, and what went over the wire."""

    rate: float
    times: np.ndarray
    samples: dict[str, list[Usage]]
    received: int
    not_finite: int
    answers: int
    exit_codes: dict[str, int]

    def growth(self, name: str) -> tuple[float, float]:
        """Return slope [KiB/h] and rise [KiB] of the resident memory after the warm-up."""
        later = self.times >= WARM_UP * self.times[-1]
        times = self.times[later]
        resident = np.array([sample.resident for sample in self.samples[name]])[later]
        slope = float(np.polyfit(times, resident, 1)[0])
        return 3600.0 * slope, slope * float(np.ptp(times))

    def problems(self) -> list[str]:
        """Return the faults; empty if there are none."""
        found = []
        for name, samples in self.samples.items():
            slope, rise = self.growth(name)
            if slope > ALLOWED_GROWTH and rise > SMALLEST_STEP:
                found.append(f'{name}: memory grows by {slope:.0f} KiB/h')
            first = samples[int(WARM_UP * len(samples))]
            for what in ('threads', 'files'):
                if getattr(samples[-1], what) > getattr(first, what) + 2:
                    found.append(f'{name}: {what} grow from {getattr(first, what)}')
            if self.exit_codes[name]:
                found.append(f'{name}: exit code {self.exit_codes[name]}')
        if self.not_finite:
            found.append(f'{self.not_finite} samples are not finite')
        return found


def page(soak: Soak) -> Report:
    """Return the page."""
    report = Report('soak', 'Soak')
    report.text(
        f'Command: `make soak`. {soak.times[-1] / 60.0:.0f} minutes of `feedforward`, at '
        f'{soak.rate:g} Hz, and `dynamics_server` with iiwa14.urdf. Every 3 s a new trajectory, '
        'every 5 s one that is rejected, every 7 s another payload (the model is built anew), '
        'every minute a deactivation, clean-up and new start, and the services all the time. '
        f'{soak.received} samples received, {soak.not_finite} of them not finite; '
        f'{soak.answers} services answered.'
    )
    report.machine()
    report.table(
        ['node', 'RSS at the start', f'after {100 * WARM_UP:.0f} % of the time', 'at the end',
         'slope after that', 'threads', 'open files', 'share of a core'],
        [_cells(soak, name) for name in soak.samples],
    )  # fmt: skip
    for problem in soak.problems():
        report.text(f'**{problem}**')
        report.fail(problem)
    if not soak.problems():
        report.text(
            f'No node grows by more than {SMALLEST_STEP:g} KiB after the warm-up and by more than '
            f'{ALLOWED_GROWTH:g} KiB/h.'
        )
    report.figure('Resident memory over time', partial(_draw, soak), (8.0, 4.5))
    return report


def _cells(soak: Soak, name: str) -> list[str]:
    samples = soak.samples[name]
    first, warm, last = samples[0], samples[int(WARM_UP * len(samples))], samples[-1]
    share = (last.processor - first.processor) / (soak.times[-1] - soak.times[0])
    return [
        f'`{name}`',
        *(f'{sample.resident / 1024:.1f} MiB' for sample in (first, warm, last)),
        f'{soak.growth(name)[0]:+.0f} KiB/h',
        f'{warm.threads} to {last.threads}',
        f'{warm.files} to {last.files}',
        f'{100 * share:.0f} %',
    ]


def _draw(soak: Soak, figure: Figure) -> None:
    """Draw the resident memory over time."""
    axes = figure.subplots(len(soak.samples), 1, sharex=True)
    for axis, (name, samples) in zip(axes, soak.samples.items(), strict=True):
        resident = np.array([sample.resident for sample in samples]) / 1024.0
        axis.plot(soak.times / 60.0, resident, color='tab:blue')
        axis.axvspan(0.0, WARM_UP * soak.times[-1] / 60.0, color='0.93')
        axis.set(title=name, ylabel='RSS [MiB]')
        axis.set_ylim(resident.min() - 2.0, resident.max() + 2.0)
        axis.grid(True, alpha=0.3)
    axes[-1].set_xlabel('time [min]; grey: warm-up')
