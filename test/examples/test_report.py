# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of the report come from the recording and show its faults."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='recordings are read from bags')

from ros_demo.processes import DemoError  # noqa: E402
from ros_demo.recording import TickTimes  # noqa: E402
from ros_demo.report import (  # noqa: E402
    peak_table,
    recompute,  # noqa: E402
    report,
    timing,
)

RATE = 50.0


def ignore(_: int) -> None:
    """Show no progress."""


def test_ticks_are_missed_from_the_start_of_the_trajectory(recording: Any) -> None:
    begun = replace(recording, time=recording.time - recording.time[0] + 0.7 / RATE)
    assert timing(begun, RATE).missed == 0
    late = timing(replace(begun, time=begun.time[5:]), RATE)
    assert late.missed == 5
    assert late.longest_gap == pytest.approx(5.7 / RATE)
    assert late.rate == pytest.approx(RATE)


def test_recomputation_agrees_to_rounding(arm: Any, recording: Any) -> None:
    check = recompute(arm, recording, 7, ignore)
    assert check.count == len(recording.time[::7])
    assert np.allclose(check.peaks, np.abs(recording.effort_jet[::7]).max(axis=(0, 2)))
    check.require_agreement()


@pytest.mark.parametrize('order', [0, 1, 2])
def test_recomputation_finds_a_wrong_effort(arm: Any, recording: Any, order: int) -> None:
    efforts = recording.effort_jet.copy()
    efforts[20, order, 3] += 1e-6
    check = recompute(arm, replace(recording, effort_jet=efforts), 10, ignore)
    assert check.differences[order] == pytest.approx(1e-6, rel=1e-3)
    assert np.delete(check.differences, order).max() < 1e-9
    with pytest.raises(DemoError, match=f'derivative {order} of the published efforts: expected'):
        check.require_agreement()


def test_peaks_are_the_largest_magnitudes(recording: Any) -> None:
    lines = list(peak_table(recording))
    assert lines[0].split() == ['max', '|tau|', 'max', "|tau'|", 'max', "|tau''|"]
    assert len(lines) == 2 + len(recording.joint_names)
    for i, line in enumerate(lines[2:]):
        name, *numbers = line.split()
        assert name == recording.joint_names[i]
        expected = np.abs(recording.effort_jet[:, :, i]).max(axis=0)
        assert np.allclose([float(number) for number in numbers], expected, rtol=0, atol=5e-4)


def test_the_report_is_in_the_units_it_names(arm: Any, recording: Any) -> None:
    kept = np.delete(np.arange(len(recording.time)), [30, 31])
    gap = replace(
        recording,
        time=recording.time[kept],
        joint_jet=recording.joint_jet[kept],
        effort_jet=recording.effort_jet[kept],
    )
    check = recompute(arm, gap, 10, ignore)
    text = '\n'.join(report('An arm', arm, gap, check, RATE, TickTimes(123e-6, 456e-6)))
    assert text.startswith('An arm: 7 joints, 6 waypoints in 2 s\n')
    assert f'{len(kept)} samples, 2 missed ticks, longest gap 60.00 ms' in text
    assert 'mean 123 us, longest 456 us' in text
    times = re.search(r'median (\d+\.\d) us, 99 % below (\d+\.\d) us', text)
    assert times
    # from a microsecond to a millisecond, on any machine
    assert 0.1 < float(times[1]) <= float(times[2]) < 1e5
