# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams, diagnostics and samples for the tests of streams."""

import time

import numpy as np

from screw_dynamics.common.times import nanoseconds


def wait(ros, process, seconds):
    end = time.monotonic() + seconds
    ros.wait_for('time to pass', lambda: time.monotonic() > end, process)


def status(ros, reports, name, now=None):
    """
    Return a status of now and its values by name.

    `now` is the time [ns] of a node with simulated time; a report may be older and arrive late.
    """
    begin = time.time_ns() if now is None else now
    reports.clear()

    def fresh():
        return [report for report in reports if nanoseconds(report.header.stamp) >= begin]

    report, *_ = ros.wait_for('diagnostics', fresh)
    found = {status.name: status for status in report.status}[f'feedforward: {name}']
    return found, {value.key: value.value for value in found.values}


def jet_of(sample):
    point = sample.reference
    return np.array(
        [
            point.positions,
            point.velocities,
            point.accelerations,
            sample.reference_jerk,
            sample.reference_snap,
        ]
    )


def efforts_of(sample):
    return np.array([sample.effort, sample.effort_dot, sample.effort_ddot])
