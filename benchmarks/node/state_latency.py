# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Time from a joint state to the effort that carries it, seen from another process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from helpers.node_processes import NodeProcess, node_command
from helpers.ros_fixture import RosFixture
from sensor_msgs.msg import JointState

from benchmarks.node.real_time import PRIORITY, priority
from ros_demo.stages import Stage
from screw_dynamics import read_urdf, share_path

URDF = share_path('urdf/iiwa14.urdf')
RATE = 500.0  # Hz, of the states
WARM_UP = 500  # states
LOST = 0.5  # s
SUBJECTS = ('compensation', 'echo')
TOPIC = '/compensation/joint_effort'


@dataclass(frozen=True)
class Latency:
    """Times of one node [us]; nan for a state without an answer."""

    subject: str
    real_time: bool
    times: np.ndarray


def start(ros: RosFixture, subject: str) -> NodeProcess:
    """Start a node that answers joint states."""
    if subject == 'compensation':
        return ros.start_command(node_command(subject), urdf_path=URDF, input_timeout=10.0)
    script = str(Path(__file__).with_name('subject_process.py'))
    return ros.start_command([sys.executable, '-W', 'ignore', script, subject, '1', os.devnull])


def latency(subject: str, real_time: bool, seconds: float) -> Latency:
    """Publish states at `RATE` and wait for the answer to each."""
    names = read_urdf(URDF).joint_names
    period = round(1e9 / RATE)
    count = round(seconds * RATE) + WARM_UP
    times = np.full(count, np.nan)
    with priority(real_time), RosFixture() as ros:
        process = start(ros, subject)
        answers: list[bytes] = []
        ros.node.create_subscription(JointState, TOPIC, answers.append, 10, raw=True)
        publisher = ros.node.create_publisher(JointState, '/joint_states', 10)
        state = JointState(name=names, velocity=[0.0] * len(names))

        def answered() -> bool:
            state.position = [0.1] * len(names)
            publisher.publish(state)
            return bool(answers)

        ros.wait_for('an answer', answered, process)
        ros.spin(LOST)
        due = time.monotonic_ns()
        with Stage(label(subject, real_time), count) as bar:
            for i in range(count):
                time.sleep(max(0.0, 1e-9 * (due - time.monotonic_ns())))
                state.position = [0.1 + 1e-3 * np.sin(i)] * len(names)
                answers.clear()
                sent = time.monotonic_ns()
                publisher.publish(state)
                while not answers and time.monotonic_ns() - sent < 1e9 * LOST:
                    ros.spin_once(LOST)
                if answers:
                    times[i] = 1e-3 * (time.monotonic_ns() - sent)
                due = max(due + period, time.monotonic_ns())
                if i % 100 == 0:
                    bar.update(100)
        if process.interrupt():
            raise RuntimeError(f'{subject} ended badly: {process.log[-2000:]}')
    return Latency(subject, real_time, times[WARM_UP:])


def label(subject: str, real_time: bool) -> str:
    """Return a short name of a case."""
    return f'{subject}, {"real-time" if real_time else "normal"} priority'


def markdown(cases: Sequence[Latency], seconds: float) -> list[str]:
    """Return the lines of a table."""
    lines = [
        '## From a joint state to its effort',
        '',
        f'`compensation`, iiwa14.urdf, states at {RATE:g} Hz for {seconds:g} s: from before '
        'the call that publishes a',
        'state until its effort has arrived in the same process, an rclpy node. `echo` is an '
        'rclpy node that',
        'answers a state with a message that was filled beforehand. Microseconds; real-time: both '
        f'processes as by `chrt -f {PRIORITY}`.',
        '',
        '| node | priority | p50 | p99 | p99.9 | max | lost |',
        '|---|---|---|---|---|---|---|',
    ]
    for case in cases:
        got = case.times[np.isfinite(case.times)]
        values = [*np.percentile(got, [50, 99, 99.9]), got.max()]
        lines.append(
            f'| `{case.subject}` | {"real-time" if case.real_time else "normal"} | '
            + ' | '.join(f'{value:.0f}' for value in values)
            + f' | {len(case.times) - len(got)} |'
        )
    return [*lines, '']
