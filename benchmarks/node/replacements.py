# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Ticks of a node whose trajectory is replaced all the time, beside one that receives nothing."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from helpers.node_processes import trajectory
from helpers.ros_fixture import RosFixture
from rclpy.serialization import deserialize_message, serialize_message
from trajectory_msgs.msg import JointTrajectory

from benchmarks.node.processes import PRIORITY, URDF, interrupt, paced, priority, start_subject
from benchmarks.report import Report, Requirement
from screw_dynamics import read_urdf
from screw_dynamics_interfaces.msg import FeedforwardTorque

RATE = 500.0  # Hz, of the ticks
PER_SECOND = 20.0  # replacements
POINTS = (10, 100, 1000, 10_000)
NODES = ('replaced', 'quiet')  # namespaces
FIRST = 2.0  # s to the first point, for motions within the limits of the robot
SPACING = 0.05  # s between points
LEAST_CONTINUITY = 4  # positions to snap
EXCESS = 0.1  # % of the ticks, that chance may make


@dataclass(frozen=True)
class Replacements:
    """Missed ticks of both nodes, verdicts, and the smallest continuity of the reference."""

    points: int
    real_time: bool
    ticks: dict[str, int]
    missed: dict[str, int]
    sent: int
    accepted: int
    continuity: int

    @property
    def parts(self) -> list[float]:
        """Part of the ticks that each node missed."""
        return [self.missed[name] / (self.ticks[name] + self.missed[name]) for name in NODES]


def messages(points: int) -> list[bytes]:
    """Return some trajectories, which begin at once and wave about the same places."""
    names, rng = read_urdf(URDF).joint_names, np.random.default_rng(points)
    times = FIRST + SPACING * np.arange(points)
    made = []
    for _ in range(4):
        phases, rates = rng.uniform(0.0, 6.0, (2, len(names)))
        places = 0.3 * np.sin(np.outer(times, 0.2 + 0.3 * rates) + phases)
        made.append(serialize_message(trajectory(names, *places, times=times)))
    return made


def measure(points: int, seconds: float, real_time: bool = False) -> Replacements:
    """Send trajectories of so many points to one of two nodes."""
    sent, names = messages(points), read_urdf(URDF).joint_names
    first = trajectory(names, *np.zeros((2, len(names))))  # nobody measures where it begins
    with RosFixture() as ros, tempfile.TemporaryDirectory() as folder:
        outputs = {name: Path(folder) / f'{name}.npz' for name in NODES}
        samples, verdicts = [], []  # of the replaced node
        count = round(RATE * (seconds + 60.0))
        robot = {'urdf_path': URDF, 'publish_rate': RATE}
        with priority(real_time):
            processes = [
                start_subject(ros, 'feedforward', count, path, namespace=f'/{name}', **robot)
                for name, path in outputs.items()
            ]
        for name, process in zip(NODES, processes, strict=True):
            ros.wait_until_active(process, f'/{name}/feedforward')
            ros.publish(first, f'/{name}/feedforward/joint_trajectory')
        topic = f'/{NODES[0]}/feedforward'
        # both publish to somebody: that costs a tick more than to nobody
        for name, take in zip(NODES, (samples.append, lambda _: None), strict=True):
            ros.node.create_subscription(
                FeedforwardTorque, f'/{name}/feedforward/feedforward', take, 1000, raw=True
            )
        ros.node.create_subscription(
            DiagnosticStatus, f'{topic}/trajectory_status', verdicts.append, 1000
        )
        publisher = ros.node.create_publisher(JointTrajectory, f'{topic}/joint_trajectory', 10)
        ros.wait_for('the node', publisher.get_subscription_count, processes[0])
        ros.wait_for('a sample', lambda: samples, processes[0])
        ros.spin(1.0)
        samples.clear()
        verdicts.clear()
        number = round(seconds * PER_SECOND)
        begun = time.monotonic_ns()
        what = f'replacements of {points} points{", real-time priority" if real_time else ""}'
        for i in paced(ros, number, 1.0 / PER_SECOND, what):
            publisher.publish(sent[i % len(sent)])
        ended = time.monotonic_ns()
        received = list(samples)
        interrupt(*processes)
        begins = {}
        for name, output in outputs.items():
            with np.load(output) as file:
                times = file['ticks'][:, 0]
            begins[name] = times[(times >= begun) & (times < ended)]
    due = round((ended - begun) * 1e-9 * RATE)
    continuity = min(
        deserialize_message(one, FeedforwardTorque).reference_continuity for one in received
    )
    return Replacements(
        points=points,
        real_time=real_time,
        ticks={name: len(times) for name, times in begins.items()},
        missed={name: max(0, due - len(times)) for name, times in begins.items()},
        sent=number,
        accepted=sum(one.level != DiagnosticStatus.ERROR for one in verdicts),
        continuity=continuity,
    )


def add(report: Report, cases: Sequence[Replacements], seconds: float) -> None:
    """Add the section."""
    report.heading('Trajectories that arrive')
    report.text(
        f'Two nodes at {RATE:g} Hz, side by side: `{NODES[0]}` receives {PER_SECOND:g} '
        f'trajectories per second for {seconds:g} s, `{NODES[1]}` receives nothing. A trajectory '
        'that arrives while ten others wait for their fit takes the place of the oldest, which is '
        'refused. Required: no more missed ticks than the quiet node has (to 0.1 %), and a '
        'reference of class C4. Real-time: both nodes, but not the processes that fit '
        f'trajectories, as by `chrt -f {PRIORITY}`. With normal priority the processes that fit '
        'trajectories, send them and listen, on two cores, delay ticks now and then.'
    )
    rows = []
    for case in cases:
        level = 'real-time' if case.real_time else 'normal'
        name = f'replacements of {case.points} points, {level} priority'
        replaced, quiet = (100.0 * part for part in case.parts)
        missed = Requirement(f'{name}: missed ticks', replaced, quiet + EXCESS, unit=' %')
        continuity = Requirement(
            f'{name}: class', case.continuity, LEAST_CONTINUITY, at_least=True
        )
        counts = [
            f'{case.missed[name]} ({part:.2f} %)'
            for name, part in zip(NODES, (replaced, quiet), strict=True)
        ]
        rows.append(
            [case.points, level, *counts, report.verdict(missed),
             f'{case.accepted} of {case.sent}', f'C{case.continuity}', report.verdict(continuity)]
        )  # fmt: skip
    missed_of = [f'missed, `{name}`' for name in NODES]
    report.table(['points', 'priority', *missed_of, '', 'followed', 'class', ''], rows)
