# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The recording of the demo, its report, and the times of ticks in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='recordings are read from bags')

from helpers.bag_messages import (
    SECOND,
    START,
    TRAJECTORY,
    TYPES,
    header,
    joint_trajectory,
)

from ros_demo.processes import DemoError
from ros_demo.recording import (
    LONGEST_KEY,
    MEAN_KEY,
    TickTimes,
    read_recording,
    read_tick_times,
)
from ros_demo.report import peak_table, recompute, report, timing
from screw_dynamics.errors import BagError
from screw_dynamics.recordings.bags.writer import BagWriter
from screw_dynamics.recordings.results.results import Origin, Results
from screw_dynamics.recordings.results.results_bag import ResultsWriter

pytestmark = pytest.mark.processes

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


@contextmanager
def written(path: Path) -> Iterator[Callable[..., None]]:
    """Yield a function that writes a trajectory of 8 ms to a new bag, and samples of it."""
    with BagWriter(path) as bag:
        output = ResultsWriter(bag, '/torque')
        bag.add_topic('/trajectory', TRAJECTORY, TYPES.definition(TRAJECTORY))

        def write(start: int, jets: np.ndarray, efforts: np.ndarray, at: float = 0.0) -> None:
            points = [(0.0, [at + 10.0, at]), (0.008, [at + 11.0, at + 1.0])]
            message = joint_trajectory(['b', 'a'], points)
            bag.write('/trajectory', start, TYPES.serialize(message))
            since = 4_000_000 * np.arange(len(jets)) + 7
            results = Results(('a', 'b'), 1e-9 * since, jets, efforts[: len(jets)])
            output.write(results, Origin(start + since, since, 4, 1))

        yield write


def test_the_last_trajectory_of_several(tmp_path: Path, rng: np.random.Generator) -> None:
    jets, efforts = rng.normal(size=(9, 5, 2)), rng.normal(size=(9, 3, 2))
    with written(tmp_path / 'bag') as write:
        for k, own in enumerate([slice(0, 2), slice(2, 6), slice(6, 9)]):
            write(START + SECOND * k, jets[own], efforts[own], 10.0 * k)
    recording = read_recording(tmp_path / 'bag', '/torque', '/trajectory')
    assert recording.joint_jet.tobytes() == jets[6:].tobytes()
    assert recording.effort_jet.tobytes() == efforts[6:].tobytes()
    assert np.allclose(recording.time, 0.004 * np.arange(3) + 7e-9, rtol=0, atol=1e-15)
    assert recording.waypoint_positions.tolist() == [[20.0, 30.0], [21.0, 31.0]]


def test_efforts_that_end_before_the_trajectory(tmp_path: Path, rng: np.random.Generator) -> None:
    jets, efforts = rng.normal(size=(5, 5, 2)), np.ones((5, 3, 2))
    with written(tmp_path / 'bag') as write:
        write(START, jets, efforts)
        write(START + SECOND, jets[:2], efforts)
    text = r'bag: expected /torque until the end .*, 0\.008 s from its start, got it until 0\.004'
    with pytest.raises(BagError, match=text):
        read_recording(tmp_path / 'bag', '/torque', '/trajectory')


def test_a_silent_node_is_named(tmp_path: Path) -> None:
    with written(tmp_path / 'bag') as write:
        write(START, np.zeros((0, 5, 2)), np.zeros((0, 3, 2)))
    with pytest.raises(BagError, match='bag: expected messages on /torque, found none'):
        read_recording(tmp_path / 'bag', '/torque', '/trajectory')


def write_reports(path: Path, reports: list[tuple[float, float, float]]) -> None:
    """Torques from 1 s to 4 s; reports of (time, mean, longest), and those of another node."""
    array, status, pair = (
        TYPES[f'diagnostic_msgs/msg/{name}']
        for name in ('DiagnosticArray', 'DiagnosticStatus', 'KeyValue')
    )
    stamps = np.array([1_000, 2_500, 4_000]) * 1_000_000
    sent = Results(('a', 'b'), 1e-9 * stamps, np.zeros((3, 5, 2)), np.zeros((3, 3, 2)))
    with BagWriter(path) as bag:
        ResultsWriter(bag, '/torque').write(sent, Origin(START + stamps, stamps, 4, 1))
        bag.add_topic('/diagnostics', array.__msgtype__, TYPES.definition(array.__msgtype__))
        for time, mean, longest in reports:
            for name, factor in (('feedforward: rate', 1.0), ('another: rate', 100.0)):
                given = {MEAN_KEY: mean, LONGEST_KEY: longest}
                pairs = [pair(key=key, value=f'{factor * v:.1f}') for key, v in given.items()]
                told = status(level=0, name=name, message='', hardware_id='', values=pairs)
                message = TYPES.serialize(array(header=header(0), status=[told]))
                bag.write('/diagnostics', START + round(time * SECOND), message)


def test_reports_within_the_publication_count(tmp_path: Path) -> None:
    reports = [
        (0.5, 9.0, 900.0),  # before the first torque
        (1.5, 8.0, 800.0),  # covers a time before it, too
        (2.0, 40.0, 90.0),
        (3.0, 60.0, 70.0),
        (4.5, 7.0, 700.0),  # after the last
    ]
    write_reports(tmp_path / 'bag', reports)
    found = read_tick_times(tmp_path / 'bag', '/torque')
    assert found == pytest.approx((50e-6, 90e-6), rel=1e-12)


@pytest.mark.parametrize('reports', [[], [(2.0, 1.0, 1.0)], [(0.5, 1.0, 1.0), (1.5, 1.0, 1.0)]])
def test_without_such_a_report(tmp_path: Path, reports: list[tuple[float, float, float]]) -> None:
    write_reports(tmp_path / 'bag', reports)
    assert read_tick_times(tmp_path / 'bag', '/torque') is None


def test_efforts_that_are_not_numbers_disagree(arm: Any, recording: Any) -> None:
    efforts = recording.effort_jet.copy()
    efforts[20, 0, 3] = np.nan
    with pytest.raises(DemoError, match='got nan'):
        recompute(arm, replace(recording, effort_jet=efforts), 10, ignore).require_agreement()
