# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Measure the timing of `feedforward` beside bare rclpy nodes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from helpers.child_processes import children
from helpers.ros_fixture import RosFixture

from benchmarks.node import hybrid_share, replacements, state_latency, tick_floor, ticks
from benchmarks.node.processes import URDF, interrupt, may_be_real_time, proportional, usage
from benchmarks.report import Report, Requirement

SETTLED = 3.0  # s until a node that has started is at rest
MOST_AT_REST = 120.0  # MiB, of a process
OPTIONS: dict[str, dict[str, Any]] = {
    '--seconds': {'type': float, 'default': 60.0, 'help': 'per run'},
    '--rates': {'type': float, 'nargs': '+', 'default': [250.0, 500.0], 'help': 'of ticks [Hz]'},
}


def measure(seconds: float, rates: list[float]) -> Report:
    """Measure all nodes and return the page."""
    report = Report('node', 'Timing of the node')
    priorities = (False, True) if may_be_real_time() else (False,)
    runs = [
        ticks.measure(subject, motors, rate, seconds, real_time)
        for rate in rates
        for real_time in (priorities if rate == max(rates) else (False,))
        for motors in (False, True)
        for subject in ticks.SUBJECTS
    ]
    ticks.add(report, runs, seconds)
    with tempfile.TemporaryDirectory() as folder:
        floors = [
            tick_floor.measure(motors, ticks.own_parameters('feedforward', motors, Path(folder)))
            for motors in (False, True)
        ]
    tick_floor.add(report, floors)
    busy = [
        replacements.measure(points, seconds, real_time)
        for real_time in priorities
        for points in replacements.POINTS
    ]
    replacements.add(report, busy, seconds)
    cases = [
        state_latency.latency(subject, real_time, seconds)
        for real_time in priorities
        for subject in state_latency.SUBJECTS
    ]
    state_latency.add(report, cases, seconds)
    hybrid_share.add(report, *hybrid_share.shares(seconds), seconds)
    _add_memory(report)
    return report


def _add_memory(report: Report) -> None:
    """Add the memory of nodes that have a robot, and of their processes, and do nothing."""
    rows = []
    with RosFixture() as ros:
        for name, text in (('feedforward', 'Active at'), ('dynamics_server', 'Ready')):
            process = ros.start(name, urdf_path=URDF)
            ros.wait_for('the node', lambda: text in process.log, process)  # noqa: B023
            ros.spin(SETTLED)
            for pid in (process.pid, *children(process.pid)):
                child = '' if pid == process.pid else ', its process for trajectories'
                resident, shared = usage(pid).resident / 1024.0, proportional(pid) / 1024.0
                required = Requirement(f'{name} at rest', resident, MOST_AT_REST, unit=' MiB')
                sizes = f'{resident:.1f} MiB', f'{shared:.1f} MiB'
                rows.append([f'`{name}`{child}', *sizes, report.verdict(required)])
            interrupt(process)
    report.heading('Memory at rest')
    report.text(
        'Nodes with iiwa14.urdf that have received nothing yet. In the proportional memory a page '
        'that n processes share counts 1/n. Required: a resident memory of at most '
        f'{MOST_AT_REST:g} MiB.'
    )
    report.table(['process', 'resident', 'proportional', ''], rows)
