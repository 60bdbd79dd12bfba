# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The time of the node's ticks is read from its reports that cover publication alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='recordings are read from bags')

from recorded_messages import START, TORQUE, Messages  # noqa: E402

from ros_demo.recording import read_tick_times  # noqa: E402
from screw_dynamics.recordings.bags.writer import BagWriter  # noqa: E402

DIAGNOSTICS = 'diagnostic_msgs/msg/DiagnosticArray'
SECOND = 1_000_000_000


def write_bag(path: Path, reports: list[tuple[float, float, float]]) -> None:
    """Torques from 1 s to 4 s; reports of (time, mean, longest), and those of another node."""
    messages = Messages()
    with BagWriter(path) as bag:
        messages.add_topic(bag, '/torque', TORQUE)
        messages.add_topic(bag, '/diagnostics', DIAGNOSTICS)
        for time in (1.0, 2.5, 4.0):
            torque = messages.torque(0, np.zeros((5, 2)), np.zeros((3, 2)))
            messages.write(bag, '/torque', TORQUE, START + round(time * SECOND), torque)
        for time, mean, longest in reports:
            for name, factor in (('feedforward: rate', 1.0), ('another: rate', 100.0)):
                pairs = {'mean compute time [us]': mean, 'longest compute time [us]': longest}
                status = messages(
                    'diagnostic_msgs/msg/DiagnosticStatus',
                    level=0,
                    name=name,
                    message='',
                    hardware_id='',
                    values=[
                        messages('diagnostic_msgs/msg/KeyValue', key=k, value=f'{factor * v:.1f}')
                        for k, v in pairs.items()
                    ],
                )
                report = messages(DIAGNOSTICS, header=messages.header(0), status=[status])
                at = START + round(time * SECOND)
                messages.write(bag, '/diagnostics', DIAGNOSTICS, at, report)


def test_reports_within_the_publication_count(tmp_path: Path) -> None:
    reports = [
        (0.5, 9.0, 900.0),  # before the first torque
        (1.5, 8.0, 800.0),  # covers a time before it, too
        (2.0, 40.0, 90.0),
        (3.0, 60.0, 70.0),
        (4.5, 7.0, 700.0),  # after the last
    ]
    write_bag(tmp_path / 'bag', reports)
    found = read_tick_times(tmp_path / 'bag', '/torque')
    assert found == pytest.approx((50e-6, 90e-6), rel=1e-12)


@pytest.mark.parametrize('reports', [[], [(2.0, 1.0, 1.0)], [(0.5, 1.0, 1.0), (1.5, 1.0, 1.0)]])
def test_without_such_a_report(tmp_path: Path, reports: list[tuple[float, float, float]]) -> None:
    write_bag(tmp_path / 'bag', reports)
    assert read_tick_times(tmp_path / 'bag', '/torque') is None
