# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Time from a joint state to the effort that carries it, seen from another process."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from helpers.node_processes import NodeProcess, node_command
from helpers.ros_fixture import RosFixture
from sensor_msgs.msg import JointState

from benchmarks.node.processes import PRIORITY, URDF, interrupt, priority, start_subject
from benchmarks.report import Report
from screw_dynamics import read_urdf
from screw_dynamics.common.progress import progress

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
    return start_subject(ros, subject, 1, os.devnull)


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
        text = f'{subject}, {_level(real_time)} priority'
        for i in progress(range(count), text, unit='state'):
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
        interrupt(process)
    return Latency(subject, real_time, times[WARM_UP:])


def _level(real_time: bool) -> str:
    return 'real-time' if real_time else 'normal'


def add(report: Report, cases: Sequence[Latency], seconds: float) -> None:
    """Add the section."""
    report.heading('From a joint state to its effort')
    report.text(
        f'`compensation`, iiwa14.urdf, states at {RATE:g} Hz for {seconds:g} s: from before the '
        'call that publishes a state until its effort has arrived in the same process, an rclpy '
        'node. `echo` is an rclpy node that answers a state with a message that was filled '
        'beforehand. Microseconds; real-time: both processes as by `chrt -f '
        f'{PRIORITY}`.'
    )
    rows = []
    for case in cases:
        got = case.times[np.isfinite(case.times)]
        values = [*np.percentile(got, [50, 99, 99.9]), got.max()]
        cells = *(f'{value:.0f}' for value in values), len(case.times) - len(got)
        rows.append([f'`{case.subject}`', _level(case.real_time), *cells])
    report.table(['node', 'priority', 'p50', 'p99', 'p99.9', 'max', 'lost'], rows)
