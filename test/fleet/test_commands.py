# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands with many recordings: folders, shards side by side, failures, options of one."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fleet_functions import ARM, ENVIRONMENT, contents, write_tables
from helpers.driven_recordings import drawn_drives, driven, wrong_drives
from helpers.patience import patience
from helpers.recordings import drawn

import screw_dynamics as sd
from screw_dynamics.command_line.main import main
from screw_dynamics.fleet import Record

pytest.importorskip('pyarrow')
COMMAND = [sys.executable, '-m', 'screw_dynamics.command_line.main']


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Write tables of positions and efforts of one robot, and one that is broken."""
    monkeypatch.chdir(tmp_path)
    arm = sd.read_urdf(ARM)
    for k in range(4):
        one = drawn(arm, 3, seconds=8.0)[0]
        part = one.between(0.0, 5.0 + k)
        with open(f'run_{k}.csv', 'w', newline='') as file:
            writer = csv.writer(file)
            kinds = 'position', 'effort'
            writer.writerow(['time', *(f'{j}.{kind}' for kind in kinds for j in arm.joint_names)])
            writer.writerows(np.column_stack((part.times, part.positions, part.efforts)).tolist())
    Path('run_9.csv').write_text('no table')
    return sorted(path.name for path in tmp_path.glob('*.csv'))


@pytest.mark.processes
def test_shards_side_by_side_are_put_together_by_the_same_command(measured, capsys):
    command = ['identify', *measured, '--urdf', str(ARM), '--smoothing-time', '0.04']
    shards = [
        subprocess.Popen(
            [*COMMAND, *command, '--output', 'parts', '--jobs', '1', '--shard', f'{rank}/4'],
            env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for rank in range(4)
    ]  # fmt: skip
    for rank, shard in enumerate(shards):
        text = shard.communicate(timeout=patience())[0]
        assert shard.returncode == (rank == 0), text  # with the broken one
    times = {file: file.stat().st_mtime_ns for file in Path('parts').glob('run_[0-3]*')}
    assert len(times) == 4
    assert main([*command, '--output', 'parts', '--jobs', '1', '--csv', 'all.csv']) == 1
    assert times == {file: file.stat().st_mtime_ns for file in times}
    shown = capsys.readouterr().out
    assert '4 recordings' in shown and 'failed: run_9.csv: expected rows of numbers' in shown
    assert main([*command, '--output', 'whole', '--jobs', '1', '--csv', 'whole.csv']) == 1
    assert contents('parts') == contents('whole')
    assert Path('all.csv').read_bytes() == Path('whole.csv').read_bytes()


def test_a_fleet_is_written_as_robot_and_drawn_over_time(measured, capsys):
    options = ['--urdf', str(ARM), '--smoothing-time', '0.04', '--jobs', '1', '--plot', 'a.png']
    written = ['--write-drives', 'found.yaml', '--write-urdf', 'found.urdf']
    assert main(['identify', *measured[:3], *options, *written]) == 0
    assert sd.Drives.from_yaml('found.yaml').joints and sd.read_urdf('found.urdf').n == 2
    assert Path('a.png').stat().st_size > 1000


def test_recordings_that_fail_have_their_reason_and_the_exit_code_1(measured, capsys):
    command = ['evaluate', str(ARM), '--smoothing-time', '0.04', '--jobs', '1', '--output', 'out']
    assert main([*command, '--', *measured[-2:]]) == 2  # the files come first
    assert main(['evaluate', str(ARM), *measured[-2:], *command[2:]]) == 1
    shown = capsys.readouterr()
    assert 'run_3.csv: samples 1600, duration' in shown.out
    assert 'failed: run_9.csv: expected rows of numbers' in shown.err
    assert main(['evaluate', str(ARM), measured[-1], *command[2:]]) == 1
    assert main(['evaluate', str(ARM), measured[-1], *command[2:], '--shard', '1/2']) == 0  # empty
    assert main(['evaluate', str(ARM), *command[2:]]) == 1
    assert 'recordings: expected one or more, got none' in capsys.readouterr().err
    (file,) = Path('out').glob('run_3*.parquet')
    assert 'joint_2.effort_ddot' in Record.read(file).columns
    for others, code in ((measured[-2:-1], 0), (['lost.csv'], 1)):
        assert main(['doctor', str(ARM), measured[0], *others, '--jobs', '1']) == code
        assert 'usable True' in capsys.readouterr().out
    command = ['identify', measured[0], 'lost.csv', '--urdf', str(ARM), '--jobs', '1']
    assert main([*command, '--smoothing-time', '0.04', '--csv', 'all.csv']) == 1
    assert Path('all.csv').exists()


def test_trajectories_are_retimed_one_by_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for k in (1, 2):
        Path(f'{k}.csv').write_text(f'time,joint_1,joint_2\n0,0,0\n2,{k},0.5')
    limits = '--velocity', '2', '--effort', '60', '--effort-rate', '1500'
    options = '--output', 'fast', '--jobs', '1'
    assert main(['retime', str(ARM), '1.csv', '2.csv', *limits, *options]) == 0
    assert '1.csv: before 2, after 0.59' in capsys.readouterr().out
    (file,) = Path('fast').glob('2.csv-*.parquet')
    found = Record.read(file)
    assert found.units['joint_1.acceleration'] == 'rad/s^2'
    assert abs(found.columns['joint_1'][-1] - 2.0) < 1e-12  # rounding of a polynomial
    assert main(['retime', str(ARM), '1.csv', *limits, '--csv', 'one.csv']) == 0


def test_drives_are_identified_from_each_recording_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arm, rng = sd.read_urdf(ARM), np.random.default_rng(0)
    drives = drawn_drives(arm, rng)
    for k in range(2):
        one = driven(arm, drives, rng, seconds=8.0)
        names = 'position', 'motor_position', 'motor_effort'
        title = ','.join(['time', *(f'{j}.{name}' for name in names for j in arm.joint_names)])
        kinds = one.times, one.positions, one.motor_positions, one.motor_efforts
        np.savetxt(f'{k}.csv', np.column_stack(kinds), delimiter=',', header=title, comments='')
    wrong_drives(drives, 1.1).to_yaml('given.yaml')
    command = ['identify', '0.csv', '1.csv', '--urdf', str(ARM), '--drives', 'given.yaml']
    assert main([*command, '--jobs', '1', '--output', 'out']) == 0
    assert 'each recording alone: motors and springs have no' in capsys.readouterr().out
    for file in Path('out').glob('[01].csv-*.parquet'):
        found = Record.read(file)
        for name, drive in drives.joints.items():
            value, deviation = (found.values[f'{name}.stiffness{end}'] for end in ('', '_sd'))
            assert abs(value - drive.spring.stiffness) < 4.0 * deviation < 0.1 * value
        assert found.columns['parameter'][0] in found.values
    with pytest.raises(sd.ScrewDynamicsError, match='alone, by fleet.identify_alone'):
        sd.fleet.identify_part(ARM, '0.csv', motor_states='/motors')
    assert main([*command, '--csv', 'a.csv']) == 2


def test_options_of_one_recording_are_refused(measured, capsys):
    for name, command in (
        ('validate', ['identify', *measured, '--urdf', str(ARM), '--validate', measured[0]]),
        ('csv', ['evaluate', str(ARM), *measured, '--csv', 'a.csv']),
        ('limits', ['evaluate', str(ARM), *measured, '--limits']),
        ('html', ['observe', 'a', 'b', '--html', 'a.html']),
    ):
        assert main(command) == 2
        assert f'argument --{name}: expected one recording' in capsys.readouterr().err
    assert main(['observe', 'a', 'b', '--shard', '4/4']) == 2
    assert 'expected RANK/SIZE, with a rank from 0 to SIZE - 1' in capsys.readouterr().err


@pytest.mark.processes
def test_ctrl_c_ends_with_a_line_and_no_process_is_left(tmp_path):
    paths = write_tables(tmp_path, 30, 400)
    command = [*COMMAND, 'evaluate', str(ARM), *paths, '--output', str(tmp_path / 'out')]
    with subprocess.Popen(
        [*command, '--jobs', '2'], env=ENVIRONMENT, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        # the pipes end when the last process that has them ends
        errors = process.communicate(timeout=patience())[1]
    assert process.returncode == 130 and 'Traceback' not in errors
    assert 0 < len(list((tmp_path / 'out').glob('run_*.parquet'))) < 30
