# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Own time of a tick in the running node, after sleeps without rclpy, and in a loop."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from helpers.node_processes import trajectory
from helpers.ros_fixture import RosFixture

from screw_dynamics import read_urdf

RATE = 1000.0  # Hz
TICKS = 3000  # of each kind
LONGEST = 60.0  # s, of the trajectory
PLACES = (
    'in the node',
    'after sleeps of 1 ms',
    'in a loop, nothing published',
)  # as subject_process.py has them


@dataclass(frozen=True)
class Floor:
    """Medians of the time of a tick outside of publish() [us], by `PLACES`."""

    motors: bool
    medians: tuple[float, ...]


def measure(urdf: str, motors: bool, parameters: dict[str, object]) -> Floor:
    """Run a node that ticks in all three places."""
    names = read_urdf(urdf).joint_names
    times = np.linspace(0.0, LONGEST, 30)
    points = np.random.default_rng(2).uniform(-1.0, 1.0, (len(times), len(names)))
    with RosFixture() as ros, tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / 'ticks.npz'
        script = str(Path(__file__).with_name('subject_process.py'))
        process = ros.start_command(
            [sys.executable, '-W', 'ignore', script, 'loops', str(3 * TICKS), str(output)],
            publish_rate=RATE,
            **parameters,
        )
        ros.wait_until_active(process)
        ros.publish(trajectory(names, *points, times=times), '/feedforward/joint_trajectory')
        ros.wait_for('the ticks', lambda: not process.running)
        if process.wait():
            raise RuntimeError(f'the node ended badly: {process.log[-2000:]}')
        with np.load(output) as file:
            ticks = file['ticks'].reshape(len(PLACES), TICKS, -1)
    own = 1e-3 * (ticks[..., 1] - ticks[..., 2])
    return Floor(motors, tuple(np.median(own, axis=1).tolist()))


def markdown(floors: Sequence[Floor]) -> list[str]:
    """Return the lines of the table."""
    lines = [
        '**Floor of the own part.** The same tick of the same process, medians in microseconds: '
        'called by the executor of',
        f'rclpy at {RATE:g} Hz; by a loop that sleeps for 1 ms before each, without rclpy; by a '
        'loop without a pause that',
        'publishes nothing. What a tick takes beyond the last column is the processor after a '
        'sleep: caches that DDS and other',
        'processes have filled, and its clock. 3 % of the period are 30 microseconds.',
        '',
        f'| node | {" | ".join(PLACES)} |',
        '|---|---|---|---|',
    ]
    for floor in floors:
        values = ' | '.join(f'{value:.1f}' for value in floor.medians)
        lines.append(f'| `feedforward`{", motors" if floor.motors else ""} | {values} |')
    return [*lines, '']
