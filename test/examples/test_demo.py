# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The whole demo as a user runs it: exit code, report, files, bag, no process left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.child_processes import children
from helpers.patience import patience

pytestmark = [pytest.mark.first, pytest.mark.processes]

pytest.importorskip('rclpy', reason='the demo needs ROS 2 (rclpy)')
pytest.importorskip('screw_dynamics_interfaces', reason='screw_dynamics_interfaces is not built')
pytest.importorskip('rosbags', reason='the demo records a bag')

from ros_demo.job import HOLD, main, waypoints_until  # noqa: E402
from ros_demo.processes import DemoError, require_ros  # noqa: E402
from ros_demo.recording import TORQUE_TOPIC, TRAJECTORY_TOPIC, read_recording  # noqa: E402
from ros_demo.report import _accepted  # noqa: E402
from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points  # noqa: E402
from screw_dynamics_interfaces.srv import GetMassMatrix  # noqa: E402

DURATION, RATE = 7.5, 100.0  # s, Hz; the limits of the robot allow no less than 7 s


def start_demo(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, '-m', 'screw_dynamics.demo', '--output', str(folder)]
    # the demo finds an unused domain itself
    environment = {k: v for k, v in os.environ.items() if k != 'ROS_DOMAIN_ID'}
    return subprocess.Popen(
        [*command, *arguments],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """Run the demo once; return its folder and what it wrote to stdout and stderr."""
    folder = tmp_path_factory.mktemp('demo') / 'new' / 'folder'
    process = start_demo(folder, '--duration', str(DURATION), '--rate', str(RATE))
    out, err = process.communicate(timeout=patience())
    assert process.returncode == 0, out + err
    return folder, out, err


def test_report(run: tuple[Path, str, str], arm: Any) -> None:
    folder, out, _ = run
    report = (folder / 'report.txt').read_text()
    assert report in out
    peaks = []
    for name in arm.joint_names:
        row = re.search(rf'^{name} +(\d+\.\d{{3}}) +(\d+\.\d{{3}}) +(\d+\.\d{{3}})$', report, re.M)
        assert row, name
        peaks.append([float(number) for number in row.groups()])
    rate = re.search(r'^Rate +(\d+\.\d+) Hz of 100 Hz: (\d+) samples, (\d+) missed', report, re.M)
    assert rate
    assert 0.0 < float(rate[1]) < 1.01 * RATE
    # whatever a busy machine misses is reported: one tick, rounded, for each period without sample
    recording = read_recording(folder / 'bag', TORQUE_TOPIC, TRAJECTORY_TOPIC)
    periods = int(rate[2]) - 1
    missed = max(0.0, periods * (RATE / float(rate[1]) - 1.0))
    missed += int(max(0.0, recording.time[0]) * RATE)
    assert int(rate[3]) == pytest.approx(missed, rel=1e-3, abs=0.6)
    differences = re.search(r'^difference +(\S+) +(\S+) +(\S+)$', report, re.M)
    assert differences
    assert (np.array(differences.groups(), float) < 1e-12 * np.max(peaks, axis=0)).all()
    for service in ('GetMassMatrix', 'GetInverseDynamics'):
        line = re.search(rf'^{service} .*difference (\S+) ', report, re.M)
        assert line
        assert float(line[1]) < 1e-12


def test_progress_and_files(run: tuple[Path, str, str]) -> None:
    folder, out, err = run
    for stage in ('Start the nodes', 'Call GetMassMatrix', 'Follow the trajectory', 'Close the'):
        assert stage in err
    for name in ('plot.png', 'bag', 'report.txt', 'logs'):
        assert str(folder / name) in out
    assert (folder / 'plot.png').read_bytes().startswith(b'\x89PNG')
    assert {path.name for path in (folder / 'logs').iterdir()} == {
        'dynamics_server.log',
        'feedforward.log',
        'recorder.log',
    }
    for path in (folder / 'logs').iterdir():
        assert 'Traceback' not in path.read_text()


def test_bag(run: tuple[Path, str, str], arm: Any) -> None:
    folder, out, _ = run
    with Bag(folder / 'bag') as bag:
        assert {TORQUE_TOPIC, TRAJECTORY_TOPIC, '/robot_description'} <= set(bag.topics)
        torque = bag.arrays(TORQUE_TOPIC)
    assert torque['joint_names'] == arm.joint_names
    assert np.isfinite(torque['effort_ddot']).all()
    recording = read_recording(folder / 'bag', TORQUE_TOPIC, TRAJECTORY_TOPIC)
    assert f'{len(recording.time)} samples' in out
    # the recorder received efforts before the motion began, and so all of the motion
    assert len(recording.time) < len(torque['time'])
    rested = torque['reference.positions'][: -len(recording.time)]
    assert np.allclose(rested, recording.waypoint_positions[0], rtol=0, atol=1e-12)
    assert recording.waypoint_times[-1] == pytest.approx(DURATION)
    assert 0.0 <= recording.time[0] < DURATION
    assert recording.time[-1] >= DURATION + HOLD
    waypoints = waypoints_from_points(arm.joint_names, waypoints_until(DURATION), arm.joint_names)
    wanted = smooth_trajectory(waypoints).jets(np.minimum(recording.time, DURATION))
    assert np.allclose(recording.joint_jet[:, 0], wanted[:, 0], rtol=0, atol=1e-9)
    held = recording.joint_jet[recording.time > DURATION]
    assert np.allclose(held[:, 0], recording.waypoint_positions[-1], rtol=0, atol=1e-12)
    assert (held[:, 1:] == 0.0).all()
    assert np.abs(recording.joint_jet[:, 4]).max() > 0.0
    # ticks follow each other at this rate, though a busy machine misses some
    assert np.diff(recording.time).min() < 1.5 / RATE


@pytest.mark.skipif(not Path('/proc/self').exists(), reason='child processes are read from /proc')
def test_an_interrupted_demo_leaves_no_process(tmp_path: Path) -> None:
    process = start_demo(tmp_path)
    deadline = time.monotonic() + patience()
    while len(started := children(process.pid)) < 3:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=patience(30.0))
    assert process.returncode == 130
    assert err.rstrip().endswith('demo: interrupted')
    assert 'Traceback' not in err
    assert not [pid for pid in started if Path(f'/proc/{pid}').exists()]


def test_a_failure_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('not a folder')
    process = start_demo(tmp_path / 'file')
    _, err = process.communicate(timeout=patience())
    assert process.returncode == 1
    assert re.search(r'^demo: .*Not a directory: .*/file/logs', err, re.M)
    assert 'Traceback' not in err


@pytest.mark.parametrize('duration', ['0', '-1', 'nan', 'long'])
def test_a_duration_is_checked_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], duration: str
) -> None:
    with pytest.raises(SystemExit, match='2'):
        main(['--output', str(tmp_path / 'new'), '--duration', duration])
    expected = f"argument --duration: expected a number above 0, got '{duration}'"
    assert capsys.readouterr().err.rstrip().endswith(expected)
    assert not (tmp_path / 'new').exists()


def test_an_environment_without_ros_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('AMENT_PREFIX_PATH')
    expected = r'^needs ROS 2 and the built screw_dynamics_interfaces \(AMENT_PREFIX(?!.*\n)'
    with pytest.raises(DemoError, match=expected):
        require_ros()


def test_an_answer_that_is_of_no_use_is_named(arm: Any) -> None:
    names = list(arm.joint_names)
    response = GetMassMatrix.Response(success=True, joint_names=names)
    assert _accepted(response, arm) is response
    response.joint_names = names[::-1]
    with pytest.raises(DemoError, match=r"GetMassMatrix: expected the joints \('joint_1', .* got"):
        _accepted(response, arm)
    response.success, response.message = False, 'no model'
    with pytest.raises(DemoError, match='GetMassMatrix refused: no model'):
        _accepted(response, arm)
