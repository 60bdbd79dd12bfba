# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Time, jitter and cost of the ticks of `feedforward`, beside bare rclpy nodes."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from helpers.ros_fixture import RosFixture

from benchmarks.node.processes import (
    PRIORITY,
    URDF,
    interrupt,
    paced,
    priority,
    random_motion,
    start_subject,
    usage,
)
from benchmarks.report import Report, Requirement
from screw_dynamics import read_urdf
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUBJECTS = ('feedforward', 'bare')
# every joint elastic, with friction of the motor, as in most arms with strain-wave gears
JOINT = {
    'spring': {'type': 'linear', 'stiffness': 8000.0},
    'motor': {
        'rotor_inertia': 0.4,
        'viscous_friction': 0.5,
        'coulomb_friction': 0.3,
        'coulomb_velocity': 0.02,
    },
}
MOTOR_TOPIC = '/feedforward/motor_feedforward'
WARM_UP = 2.0  # s before the measurement
STEP = 0.1  # s between looks at the memory
LARGEST_OWN_SHARE = 0.03  # of the period, at the highest rate, with motors
LARGEST_EXCESS = 0.08  # of a core, beyond the bare node
LARGEST_MISSED_EXCESS = 0.001  # of the ticks, beyond the bare node
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


def own_parameters(subject: str, motors: bool, folder: Path) -> dict[str, object]:
    """Return the parameters of a node, with or without motors."""
    if subject == 'bare':
        return {'motors': motors}
    if not motors:
        return {'urdf_path': URDF}
    path = folder / 'drives.yaml'
    joints = dict.fromkeys(read_urdf(URDF).joint_names, JOINT)
    path.write_text(json.dumps({'drives': joints}), encoding='utf-8')
    return {'urdf_path': URDF, 'drives_path': path}


def measure(
    subject: str, motors: bool, rate: float, seconds: float, real_time: bool = False
) -> Run:
    """Run one node at one rate."""
    with RosFixture() as ros, tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / 'ticks.npz'
        parameters = own_parameters(subject, motors, Path(folder))
        with priority(real_time):
            samples = round(rate * (seconds + 30.0))
            process = start_subject(ros, subject, samples, output, publish_rate=rate, **parameters)
        if subject == 'feedforward':
            ros.wait_until_active(process)
        received = [0]

        def count(_: bytes) -> None:
            received[0] += 1

        topic = '/feedforward/feedforward'
        ros.node.create_subscription(FeedforwardTorque, topic, count, 10, raw=True)
        if motors:
            ros.node.create_subscription(MotorFeedforward, MOTOR_TOPIC, count, 10, raw=True)
        if subject == 'feedforward':
            motion = random_motion(read_urdf(URDF).joint_names, seconds + 20.0)
            ros.publish(motion, '/feedforward/joint_trajectory')
        ros.wait_for('the first sample', lambda: received[0], process)
        ros.spin(WARM_UP)
        begun, before = time.monotonic_ns(), usage(process.pid)
        what = f'{subject}{" with motors" if motors else ""} at {rate:g} Hz'
        text = f'{what}{", real-time priority" if real_time else ""}'
        resident = [
            usage(process.pid).resident for _ in paced(ros, round(seconds / STEP), STEP, text)
        ]
        ended, after = time.monotonic_ns(), usage(process.pid)
        interrupt(process)
        with np.load(output) as file:
            ticks, pauses = file['ticks'], file['pauses']
    inside = [(rows[:, 0] >= begun) & (rows[:, 0] < ended) for rows in (ticks, pauses)]
    return Run(
        subject=subject,
        motors=motors,
        real_time=real_time,
        rate=rate,
        ticks=ticks[inside[0]],
        pauses=pauses[inside[1]],
        share=(after.processor - before.processor) / (1e-9 * (ended - begun)),
        main_share=(after.main_thread - before.main_thread) / (1e-9 * (ended - begun)),
        resident=np.array(resident),
    )


def _pairs(runs: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Return the node and the bare node of each case at the highest rate."""
    rate = max(run.rate for run in runs)
    cases: dict[tuple[bool, bool], dict[str, Run]] = {}
    for run in runs:
        if run.rate == rate:
            cases.setdefault((run.motors, run.real_time), {})[run.subject] = run
    return [(case['feedforward'], case['bare']) for case in cases.values()]


def _require(report: Report, runs: Sequence[Run]) -> None:
    """Add what is required at the highest rate."""
    for node, bare in _pairs(runs):
        where = f'with{"" if node.motors else "out"} motors'
        if node.real_time:
            where += ', real-time'
        for what, value, most in (
            ('own part of the period', node.own_share, LARGEST_OWN_SHARE),
            ('share of a core', node.share, bare.share + LARGEST_EXCESS),
            ('missed ticks', node.missed_part, bare.missed_part + LARGEST_MISSED_EXCESS),
        ):
            report.require(Requirement(f'{what}, {where}', 100 * value, 100 * most, unit=' %'))


def _three(values: np.ndarray) -> str:
    median, high = np.percentile(values, [50, 99])
    return f'{median:.0f} / {high:.0f} / {values.max():.0f}'


def add(report: Report, runs: Sequence[Run], seconds: float) -> None:
    """Add requirements, tables and figure."""
    report.text(
        f'Command: `make bench-node`. iiwa14.urdf (7 joints), tau with two derivatives, '
        f'{seconds:g} s per run, one subscriber per topic. With `motors`, every joint has a '
        'spring and a motor with friction, and `MotorFeedforward` is published too. `bare` is a '
        'node whose rclpy timer publishes messages of the same types, filled beforehand, with '
        'the same executor: what rclpy and DDS cost without us. Real-time: the node, but not the '
        f'process that fits trajectories, as by `chrt -f {PRIORITY}`.'
    )
    report.machine(note=' It is shared with other work. `p50 / p99 / max` in microseconds.')
    report.text(
        f'Required at {max(run.rate for run in runs):g} Hz; the own part is all of a tick but '
        '`publish()`, the others are those of `bare` and 8 points or 0.1 % of the ticks. A robot '
        'needs ticks that are not missed; the other rows are aims that leave more of a core to '
        'others:'
    )
    _require(report, runs)
    report.requirements()
    report.text(
        'Missed ticks with normal priority are those that other processes, the subscriber among '
        'them, delay until they give the processor back; with a real-time priority, as at 1 kHz '
        'on a robot, they wait. Shares of a core vary by a quarter from run to run, those of '
        '`bare` too. For the own part with motors see its floor below.'
    )
    report.table(
        ['node', 'wanted', 'achieved', 'missed ticks', 'own time', 'publish()', 'jitter'],
        [
            [
                run.name,
                f'{run.rate:g} Hz',
                f'{run.achieved:.1f} Hz',
                f'{run.missed} ({100.0 * run.missed_part:.2f} %)',
                *map(_three, (run.own, run.publishing, run.jitter)),
            ]
            for run in runs
        ],
    )
    report.text(
        '**Where the time goes**, in percent of a core. In the thread of the executor: the own '
        'part of the ticks, `publish()` (rclpy and the write of DDS; `bare` publishes messages, '
        '`feedforward` their bytes), and the waits of rclpy between them, which take the longer '
        'the more subscriptions, services, timers and events a node has. The other threads are '
        'those of DDS.'
    )
    report.table(
        ['node', 'rate', 'own', 'publish()', 'rclpy', 'other threads', 'in all'],
        map(_profile, runs),
    )
    report.table(
        ['node', 'rate', 'share of a core', 'growth of RSS', 'collections in all',
         'of them full', 'longest pause', 'objects left per tick'],
        map(_collections, runs),
    )  # fmt: skip
    report.text(
        'Collections are runs of the garbage collector. "Objects left" is the number of objects '
        'that a tick leaves to it: 0 means that no pause comes from the tick.'
    )
    report.figure('Distribution of own time and jitter', partial(_draw, runs))


def _profile(run: Run) -> list[str]:
    """Return where the time goes."""
    waits = run.main_share - run.own_share - run.publishing_share
    shares = run.own_share, run.publishing_share, waits, run.share - run.main_share, run.share
    return [run.name, f'{run.rate:g} Hz', *(f'{100.0 * share:.1f}' for share in shares)]


def _collections(run: Run) -> list[object]:
    longest = run.pauses[:, 1].max() * US if len(run.pauses) else 0.0
    return [
        run.name,
        f'{run.rate:g} Hz',
        f'{100 * run.share:.1f} %',
        f'{run.growth:+.0f} KiB',
        len(run.pauses),
        (run.pauses[:, 2] == 2).sum(),
        f'{longest:.0f} µs',
        # a collection inside the tick would make the count smaller
        f'{np.median(run.ticks[:, 3]):g}',
    ]


def _draw(runs: Sequence[Run], figure: Figure) -> None:
    """Draw histograms of own time and jitter."""
    axes = figure.subplots(1, 2)
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
