# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Ticks of a node whose trajectory is replaced all the time, beside one that receives nothing."""

from __future__ import annotations

import sys
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

from benchmarks.node.real_time import PRIORITY, priority
from ros_demo.stages import Stage
from screw_dynamics import read_urdf, share_path
from screw_dynamics_interfaces.msg import FeedforwardTorque

URDF = share_path('urdf/iiwa14.urdf')
RATE = 500.0  # Hz, of the ticks
PER_SECOND = 20.0  # replacements
POINTS = (10, 100, 1000, 10_000)
NODES = ('replaced', 'quiet')  # namespaces
SPACING = 0.05  # s between points
LEAST_CONTINUITY = 4  # positions to snap
EXCESS = 0.001  # of the ticks, that chance may make


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
    def priority(self) -> str:
        """Name of the priority of both nodes."""
        return 'real-time' if self.real_time else 'normal'

    @property
    def parts(self) -> list[float]:
        """Part of the ticks that each node missed."""
        return [self.missed[name] / (self.ticks[name] + self.missed[name]) for name in NODES]

    @property
    def holds(self) -> bool:
        """True if no ticks are lost to the trajectories, and the motion is continuous."""
        replaced, quiet = self.parts
        return replaced <= quiet + EXCESS and self.continuity >= LEAST_CONTINUITY


def messages(points: int) -> list[bytes]:
    """Return some trajectories, which begin at once and wave about the same places."""
    names, rng = read_urdf(URDF).joint_names, np.random.default_rng(points)
    times = SPACING * (1.0 + np.arange(points))
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
        script = str(Path(__file__).with_name('subject_process.py'))
        count = round(RATE * (seconds + 60.0))
        with priority(real_time):
            processes = [
                ros.start_command(
                    [sys.executable, '-W', 'ignore', script, 'feedforward', str(count), str(path)],
                    namespace=f'/{name}',
                    urdf_path=URDF,
                    publish_rate=RATE,
                )
                for name, path in outputs.items()
            ]
        for name, process in zip(NODES, processes, strict=True):
            ros.wait_until_active(process, f'/{name}/feedforward')
            ros.publish(
                first,
                f'/{name}/feedforward/joint_trajectory',
            )
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
        with Stage(what, number) as bar:
            for i in range(number):
                publisher.publish(sent[i % len(sent)])
                due = 1e-9 * begun + (i + 1) / PER_SECOND
                ros.spin(max(0.0, due - time.monotonic()))
                bar.update()
        ended = time.monotonic_ns()
        received = list(samples)
        for process in processes:
            if process.interrupt():
                raise RuntimeError(f'the node ended badly: {process.log[-2000:]}')
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


def missed(cases: Sequence[Replacements]) -> list[str]:
    """Return the requirements that do not hold."""
    return [
        f'replacements of {case.points} points, {case.priority} priority: expected '
        f'{100 * case.parts[1]:.2f} % missed ticks and continuity {LEAST_CONTINUITY}, got '
        f'{100 * case.parts[0]:.2f} % and {case.continuity}'
        for case in cases
        if not case.holds
    ]


def markdown(cases: Sequence[Replacements], seconds: float) -> list[str]:
    """Return the lines of a table."""
    lines = [
        '## Trajectories that arrive',
        '',
        f'Two nodes at {RATE:g} Hz, side by side: `{NODES[0]}` receives {PER_SECOND:g} '
        f'trajectories per second for {seconds:g} s, `{NODES[1]}`',
        'receives nothing. A trajectory that arrives while ten others wait for their fit takes '
        'the place of the oldest, which',
        'is refused. Required: no more missed ticks than the quiet node has (to 0.1 %), and a '
        'reference of class C4. Real-time:',
        f'both nodes, but not the processes that fit trajectories, as by `chrt -f {PRIORITY}`. '
        'With normal priority the',
        'processes that fit trajectories, send them and listen, on two cores, delay ticks now '
        'and then.',
        '',
        '| points | priority | missed, `replaced` | missed, `quiet` | followed | class | |',
        '|---|---|---|---|---|---|---|',
    ]
    for case in cases:
        ticks = ' | '.join(
            f'{case.missed[name]} ({100.0 * part:.2f} %)'
            for name, part in zip(NODES, case.parts, strict=True)
        )
        lines.append(
            f'| {case.points} | {case.priority} | {ticks} | {case.accepted} of {case.sent} '
            f'| C{case.continuity} | {"met" if case.holds else "**missed**"} |'
        )
    return [*lines, '']
