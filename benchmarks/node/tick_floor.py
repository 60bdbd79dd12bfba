# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Own time of a tick in the running node, after sleeps without rclpy, and in a loop."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from helpers.ros_fixture import RosFixture

from benchmarks.node.processes import URDF, random_motion, start_subject
from benchmarks.report import Report
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


def measure(motors: bool, parameters: dict[str, object]) -> Floor:
    """Run a node that ticks in all three places."""
    with RosFixture() as ros, tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / 'ticks.npz'
        process = start_subject(
            ros, 'loops', len(PLACES) * TICKS, output, publish_rate=RATE, **parameters
        )
        ros.wait_until_active(process)
        motion = random_motion(read_urdf(URDF).joint_names, LONGEST)
        ros.publish(motion, '/feedforward/joint_trajectory')
        ros.wait_for('the ticks', lambda: not process.running)
        if process.wait():
            raise RuntimeError(f'the node ended badly: {process.log[-2000:]}')
        with np.load(output) as file:
            ticks = file['ticks'].reshape(len(PLACES), TICKS, -1)
    own = 1e-3 * (ticks[..., 1] - ticks[..., 2])
    return Floor(motors, tuple(np.median(own, axis=1).tolist()))


def add(report: Report, floors: Sequence[Floor]) -> None:
    """Add the table."""
    report.text(
        '**Floor of the own part.** The same tick of the same process, medians in microseconds: '
        f'called by the executor of rclpy at {RATE:g} Hz; by a loop that sleeps for 1 ms before '
        'each, without rclpy; by a loop without a pause that publishes nothing. What a tick takes '
        'beyond the last column is the processor after a sleep: caches that DDS and other '
        'processes have filled, and its clock. 3 % of the period are 30 microseconds.'
    )
    rows = [
        [
            f'`feedforward`{", motors" if floor.motors else ""}',
            *(f'{value:.1f}' for value in floor.medians),
        ]
        for floor in floors
    ]
    report.table(['node', *PLACES], rows)
