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

from benchmarks.node.real_time import PRIORITY  # noqa: E402
from benchmarks.speed.report import machine  # noqa: E402

LARGEST_OWN_SHARE = 0.03  # of the period, at the highest rate, with motors
LARGEST_EXCESS = 0.08  # of a core, beyond the bare node
LARGEST_MISSED_EXCESS = 0.001  # of the ticks, beyond the bare node
MOST_AT_REST = 120.0  # MiB, of a process
US = 1e-3  # of a nanosecond


@dataclass(frozen=True)
class Run:
    """One node at one rate; `ticks` and `pauses` as subject_process records them."""

    subject: str
    motors: bool
    real_time: bool  # priority
    rate: float
    ticks: np.ndarray
    pauses: np.ndarray
    received: int
    share: float  # of a core
    main_share: float  # of it in the thread of the executor
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
    def missed_part(self) -> float:
        """Part of the ticks that were missed."""
        return self.missed / (len(self.ticks) + self.missed)

    @property
    def publishing_share(self) -> float:
        """Mean time inside of publish(), as part of the period."""
        return float(self.publishing.mean()) * 1e-6 * self.rate

    @property
    def name(self) -> str:
        """Name of the node in tables."""
        motors = ', motors' if self.motors else ''
        return f'`{self.subject}`{motors}{", real-time" if self.real_time else ""}'

    @property
    def growth(self) -> float:
        """Rise of the resident memory from the first tenth to the last [KiB]."""
        tenth = max(1, len(self.resident) // 10)
        return float(self.resident[-tenth:].mean() - self.resident[:tenth].mean())


def _pairs(runs: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Return the node and the bare node of each case at the highest rate."""
    rate = max(run.rate for run in runs)
    cases: dict[tuple[bool, bool], dict[str, Run]] = {}
    for run in runs:
        if run.rate == rate:
            cases.setdefault((run.motors, run.real_time), {})[run.subject] = run
    return [(case['feedforward'], case['bare']) for case in cases.values()]


def requirements(runs: Sequence[Run]) -> list[tuple[str, str, str, bool]]:
    """Return what is required at the highest rate: figure, measured, at most, whether it holds."""
    rows = []
    for node, bare in _pairs(runs):
        where = f'with{"" if node.motors else "out"} motors'
        if node.real_time:
            where += ', real-time'
        for what, value, most in (
            ('own part of the period', node.own_share, LARGEST_OWN_SHARE),
            ('share of a core', node.share, bare.share + LARGEST_EXCESS),
            ('missed ticks', node.missed_part, bare.missed_part + LARGEST_MISSED_EXCESS),
        ):
            percent = f'{100.0 * value:.2f} %', f'{100.0 * most:.2f} %'
            rows.append((f'{what}, {where}', *percent, value <= most))
    return rows


def missed(runs: Sequence[Run]) -> list[str]:
    """Return the requirements that do not hold."""
    return [
        f'{what}: expected at most {most}, got {value}'
        for what, value, most, holds in requirements(runs)
        if not holds
    ]


def _three(values: np.ndarray) -> str:
    median, high = np.percentile(values, [50, 99])
    return f'{median:.0f} / {high:.0f} / {values.max():.0f}'


def markdown(runs: Sequence[Run], seconds: float) -> str:
    """Return the tables as Markdown."""
    rate = max(run.rate for run in runs)
    lines = [
        '# Timing of the node',
        '',
        f'Command: `make bench-node`. iiwa14.urdf (7 joints), tau with two derivatives, '
        f'{seconds:g} s per run, one',
        'subscriber per topic. With `motors`, every joint has a spring and a motor with friction, '
        'and `MotorFeedforward` is',
        'published too. `bare` is a node whose rclpy timer publishes messages of the same types, '
        'filled',
        'beforehand, with the same executor: what rclpy and DDS cost without us. Real-time: the '
        'node, but not the',
        f'process that fits trajectories, as by `chrt -f {PRIORITY}`.',
        '',
        f'Machine: {machine()}, shared with other work; `p50 / p99 / max` in microseconds.',
        '',
        f'Required at {rate:g} Hz; the own part is all of a tick but `publish()`, the others are '
        'those of `bare` and 8 points or',
        '0.1 % of the ticks:',
        '',
        '| figure | measured | at most | |',
        '|---|---|---|---|',
        *(
            f'| {what} | {value} | {most} | {"met" if holds else "🔴 **missed**"} |'
            for what, value, most, holds in requirements(runs)
        ),
        '',
        'Missed ticks with normal priority are those that other processes, the subscriber among '
        'them, delay until they give the',
        'processor back; with a real-time priority, as at 1 kHz on a robot, they wait. Shares of '
        'a core vary by a quarter from',
        'run to run, those of `bare` too. For the own part with motors see its floor below.',
        '',
        '| node | wanted | achieved | missed ticks | own time | publish() | jitter |',
        '|---|---|---|---|---|---|---|',
    ]
    for run in runs:
        lines.append(
            f'| {run.name} | {run.rate:g} Hz | {run.achieved:.1f} Hz '
            f'| {run.missed} ({100.0 * run.missed_part:.2f} %) | {_three(run.own)} '
            f'| {_three(run.publishing)} | {_three(run.jitter)} |'
        )
    lines += ['', *_profile(runs)]
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
            f'| {run.name} | {run.rate:g} Hz | {100 * run.share:.1f} % '
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


def _profile(runs: Sequence[Run]) -> list[str]:
    """Return the table of where the time goes."""
    lines = [
        '**Where the time goes**, in percent of a core. In the thread of the executor: the own '
        'part of the ticks,',
        '`publish()` (rclpy and the write of DDS; `bare` publishes messages, `feedforward` their '
        'bytes), and the waits of',
        'rclpy between them, which take the longer the more subscriptions, services, timers and '
        'events a node has. The other',
        'threads are those of DDS.',
        '',
        '| node | rate | own | publish() | rclpy | other threads | in all |',
        '|---|---|---|---|---|---|---|',
    ]
    for run in runs:
        shares = (
            run.own_share,
            run.publishing_share,
            run.main_share - run.own_share - run.publishing_share,
            run.share - run.main_share,
            run.share,
        )
        values = ' | '.join(f'{100.0 * share:.1f}' for share in shares)
        lines.append(f'| {run.name} | {run.rate:g} Hz | {values} |')
    return lines


@dataclass(frozen=True)
class Rest:
    """Memory of a node at rest, or of the process that fits its trajectories [KiB]."""

    node: str
    child: bool
    resident: int
    proportional: int

    @property
    def holds(self) -> bool:
        """True if it is as small as required."""
        return self.resident <= 1024.0 * MOST_AT_REST


def too_large(rests: Sequence[Rest]) -> list[str]:
    """Return the processes whose memory exceeds what is required."""
    return [
        f'{one.node} at rest: expected at most {MOST_AT_REST:g} MiB, got '
        f'{one.resident / 1024.0:.1f}'
        for one in rests
        if not one.holds
    ]


def memory(rests: Sequence[Rest]) -> list[str]:
    """Return the lines of the table of nodes at rest."""
    lines = [
        '## Memory at rest',
        '',
        'Nodes with iiwa14.urdf that have received nothing yet. In the proportional memory a page '
        'that n processes share counts',
        f'1/n. Required: a resident memory of at most {MOST_AT_REST:g} MiB.',
        '',
        '| process | resident | proportional | |',
        '|---|---|---|---|',
    ]
    for one in rests:
        name = f'`{one.node}`{", its process for trajectories" if one.child else ""}'
        lines.append(
            f'| {name} | {one.resident / 1024.0:.1f} MiB | {one.proportional / 1024.0:.1f} MiB '
            f'| {"met" if one.holds else "🔴 **missed**"} |'
        )
    return [*lines, '']


def plot(runs: Sequence[Run], path: Path) -> None:
    """Draw histograms of own time and jitter."""
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.0), layout='constrained')
    styles = {'feedforward': '-', 'bare': '--'}
    runs = [run for run in runs if run.motors and not run.real_time]
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
                label=f'{run.subject}, motors, {run.rate:g} Hz',
            )
        axis.set(xscale='log', xlabel='[µs]', ylabel='ticks [%]', title=title)
        axis.grid(True, alpha=0.3)
        axis.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=130)
    plt.close(figure)
