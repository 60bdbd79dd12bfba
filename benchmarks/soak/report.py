# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Growth of memory during a soak, as a table and a plot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use('Agg')
from matplotlib import pyplot as plt  # noqa: E402

from benchmarks.node.memory import Usage  # noqa: E402
from benchmarks.speed.report import machine  # noqa: E402
from screw_dynamics.jit.kernel import kernel_form  # noqa: E402

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


def markdown(soak: Soak) -> str:
    """Return the table as Markdown."""
    minutes = soak.times[-1] / 60.0
    passed = (
        f'No node grows by more than {SMALLEST_STEP:g} KiB after the warm-up and by more than '
        f'{ALLOWED_GROWTH:g} KiB/h.'
    )
    lines = [
        '# Soak',
        '',
        f'Command: `make soak`. {minutes:.0f} minutes of `feedforward`, at '
        f'{soak.rate:g} Hz, and `dynamics_server` with iiwa14.urdf.',
        'Every 3 s a new trajectory, every 5 s one that is rejected, every 7 s another payload',
        '(the model is built anew), every minute a deactivation, clean-up and new start, and the',
        f'services all the time. {soak.received} samples received, {soak.not_finite} of them not '
        f'finite; {soak.answers} services answered.',
        '',
        f'Machine: {machine()}; kernels in the form `{kernel_form()}`.',
        '',
        f'| node | RSS at the start | after {100 * WARM_UP:.0f} % of the time | at the end '
        '| slope after that | threads | open files | share of a core |',
        '|---|---|---|---|---|---|---|---|',
    ]
    for name, samples in soak.samples.items():
        warm = samples[int(WARM_UP * len(samples))]
        first, last = samples[0], samples[-1]
        share = (last.processor - first.processor) / (soak.times[-1] - soak.times[0])
        lines.append(
            f'| `{name}` | {first.resident / 1024:.1f} MiB | {warm.resident / 1024:.1f} MiB '
            f'| {last.resident / 1024:.1f} MiB | {soak.growth(name)[0]:+.0f} KiB/h '
            f'| {warm.threads} to {last.threads} | {warm.files} to {last.files} '
            f'| {100 * share:.0f} % |'
        )
    lines += [
        '',
        *([f'**{problem}**' for problem in soak.problems()] or [passed]),
        '',
        '![Resident memory over time](soak.png)',
        '',
    ]
    return '\n'.join(lines)


def plot(soak: Soak, path: Path) -> None:
    """Draw the resident memory over time."""
    figure, axes = plt.subplots(
        len(soak.samples), 1, figsize=(8.0, 4.5), sharex=True, layout='constrained'
    )
    for axis, (name, samples) in zip(axes, soak.samples.items(), strict=True):
        resident = np.array([sample.resident for sample in samples]) / 1024.0
        axis.plot(soak.times / 60.0, resident, color='tab:blue')
        axis.axvspan(0.0, WARM_UP * soak.times[-1] / 60.0, color='0.93')
        axis.set(title=name, ylabel='RSS [MiB]')
        axis.set_ylim(resident.min() - 2.0, resident.max() + 2.0)
        axis.grid(True, alpha=0.3)
    axes[-1].set_xlabel('time [min]; grey: warm-up')
    figure.savefig(path, dpi=130)
    plt.close(figure)
