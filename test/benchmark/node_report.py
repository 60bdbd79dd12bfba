# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables and the plot of a node benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use('Agg')
from matplotlib import pyplot as plt  # noqa: E402

from benchmark.report import machine  # noqa: E402

REQUIRED_SHARE = 0.1  # of the period, at the highest rate
US = 1e-3  # of a nanosecond


@dataclass(frozen=True)
class Run:
    """One node at one rate; `ticks` and `pauses` as node_subject records them."""

    subject: str
    rate: float
    ticks: np.ndarray
    pauses: np.ndarray
    received: int
    share: float
    resident: np.ndarray

    @property
    def achieved(self) -> float:
        """Ticks per second."""
        return (len(self.ticks) - 1) / (1e-9 * float(np.ptp(self.ticks[:, 0])))

    @property
    def missed(self) -> int:
        """Periods that passed without a tick; a late tick is not a missed one."""
        return round(float(np.ptp(self.ticks[:, 0])) * 1e-9 * self.rate) + 1 - len(self.ticks)

    @property
    def own(self) -> np.ndarray:
        """Time of each tick outside of publish() [us]."""
        return (self.ticks[:, 1] - self.ticks[:, 2]) * US

    @property
    def publishing(self) -> np.ndarray:
        """Time of each tick inside of publish() [us]."""
        return self.ticks[:, 2] * US

    @property
    def jitter(self) -> np.ndarray:
        """Deviation of the time between ticks from the period [us]."""
        return np.abs(np.diff(self.ticks[:, 0]) * US - 1e6 / self.rate)

    @property
    def own_share(self) -> float:
        """Mean time outside of publish(), as part of the period."""
        return float(self.own.mean()) * 1e-6 * self.rate

    @property
    def growth(self) -> float:
        """Rise of the resident memory from the first tenth to the last [KiB]."""
        tenth = max(1, len(self.resident) // 10)
        return float(self.resident[-tenth:].mean() - self.resident[:tenth].mean())


def _decisive(runs: Sequence[Run]) -> Run:
    return max((run for run in runs if run.subject == 'feedforward'), key=lambda run: run.rate)


def met(runs: Sequence[Run]) -> bool:
    """Return whether the node's own share is as small as required."""
    return _decisive(runs).own_share <= REQUIRED_SHARE


def _three(values: np.ndarray) -> str:
    median, high = np.percentile(values, [50, 99])
    return f'{median:.0f} / {high:.0f} / {values.max():.0f}'


def markdown(runs: Sequence[Run], seconds: float) -> str:
    """Return the tables as Markdown."""
    decisive = _decisive(runs)
    share = 100 * decisive.own_share
    verdict = 'met' if met(runs) else '🔴 **missed**'
    lines = [
        '# Timing of the node',
        '',
        f'Command: `make bench-node`. iiwa14.urdf (7 joints), tau with two derivatives, '
        f'{seconds:g} s per run, one',
        'subscriber. `bare` is a node whose rclpy timer publishes a `FeedforwardTorque` filled',
        'beforehand, with the same executor: what rclpy and DDS cost without us.',
        '',
        f'Machine: {machine()}, shared with other work; `p50 / p99 / max` in microseconds.',
        '',
        f'**Own share of the period at {decisive.rate:g} Hz** (all of the tick but `publish()`, '
        f'mean): **{share:.1f} %**,',
        f'required at most {100 * REQUIRED_SHARE:g} %: {verdict}.',
        '',
        '| node | wanted | achieved | missed ticks | own time | publish() | jitter |',
        '|---|---|---|---|---|---|---|',
    ]
    for run in runs:
        part = 100.0 * run.missed / (len(run.ticks) + run.missed)
        lines.append(
            f'| `{run.subject}` | {run.rate:g} Hz | {run.achieved:.1f} Hz '
            f'| {run.missed} ({part:.2f} %) | {_three(run.own)} | {_three(run.publishing)} '
            f'| {_three(run.jitter)} |'
        )
    lines += [
        '',
        '| node | rate | share of a core | growth of RSS | collections in all | of them full '
        '| longest pause | objects left per tick |',
        '|---|---|---|---|---|---|---|---|',
    ]
    for run in runs:
        longest = run.pauses[:, 1].max() * US if len(run.pauses) else 0.0
        # a collection inside the tick would make the count smaller
        left = np.median(run.ticks[:, 3])
        lines.append(
            f'| `{run.subject}` | {run.rate:g} Hz | {100 * run.share:.1f} % '
            f'| {run.growth:+.0f} KiB | {len(run.pauses)} | {(run.pauses[:, 2] == 2).sum()} '
            f'| {longest:.0f} µs | {left:g} |'
        )
    lines += [
        '',
        'Collections are runs of the garbage collector. "Objects left" is the number of objects',
        'that a tick leaves to it: 0 means that no pause comes from the tick.',
        '',
        '![Distribution of own time and jitter](benchmark_node.png)',
        '',
    ]
    return '\n'.join(lines)


def plot(runs: Sequence[Run], path: Path) -> None:
    """Draw histograms of own time and jitter."""
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.0), layout='constrained')
    styles = {'feedforward': '-', 'bare': '--'}
    rates = sorted({run.rate for run in runs})
    colours = dict(zip(rates, ('tab:blue', 'tab:orange', 'tab:green', 'tab:red'), strict=False))
    for axis, name, title in (
        (axes[0], 'own', 'Time of a tick outside of publish()'),
        (axes[1], 'jitter', 'Jitter: deviation from the period'),
    ):
        for run in runs:
            if name == 'own' and run.subject == 'bare':
                continue  # nothing but the call
            values = np.maximum(getattr(run, name), 0.5)
            axis.hist(
                values,
                bins=np.geomspace(0.5, 2e4, 120),
                histtype='step',
                weights=np.full(len(values), 100.0 / len(values)),
                linestyle=styles[run.subject],
                color=colours[run.rate],
                label=f'{run.subject}, {run.rate:g} Hz',
            )
        axis.set(xscale='log', xlabel='[µs]', ylabel='ticks [%]', title=title)
        axis.grid(True, alpha=0.3)
        axis.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=130)
    plt.close(figure)
