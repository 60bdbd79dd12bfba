# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""End of the process: exit codes, one line after an error, streams that cannot be written."""

import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from helpers.patience import patience
from processes import COMMAND, environment, in_shell, python

import screw_dynamics
from screw_dynamics.command_line.exit_codes import one_line, run_to_end, signals_as_interrupts

FAST = 'time,joint_1,joint_2\n0,0,0\n0.05,1,0\n1,0,0\n'


def test_exit_codes(run, folder):
    (folder / 'fast.csv').write_text(FAST)
    for line, code in {
        'evaluate my_robot.urdf my_trajectory.yaml': 0,
        '--help': 0,
        'identify --help': 0,
        'evaluate my_robot.urdf none.yaml': 1,
        'evaluate my_robot.urdf': 2,
        'none': 2,
        'evaluate my_robot.urdf my_trajectory.yaml --limits': 0,
        'evaluate my_robot.urdf fast.csv --limits': 3,
        'evaluate my_robot.urdf fast.csv --slow-down': 3,
    }.items():
        found, _, err = run(*line.split())
        assert found == code, (line, err)
        assert bool(err) == (code in (1, 2)), (line, err)


@pytest.mark.parametrize(
    'line',
    [
        'model {}.urdf',
        'model my_robot.urdf --yaml {}.yaml',
        'evaluate {}.urdf my_trajectory.yaml',
        'evaluate my_robot.urdf {}.yaml',
        'evaluate my_robot.urdf my_trajectory.yaml --drives {}.yaml',
        'evaluate my_robot.urdf my_trajectory.yaml --csv {}.csv',
        'evaluate my_robot.urdf my_trajectory.yaml --plot {}.png',
        'evaluate my_robot.urdf my_trajectory.yaml --bag {}',
        'retime my_robot.urdf {}.csv',
        'observe {}',
        'evaluate {}.mcap',
    ],
)
def test_paths_that_lead_nowhere_are_one_line(run, line):
    for path in ('~no_such_user_here/x', 'n' * 300):
        code, _, err = run(*line.format(path).split())
        assert code == 1 and path[:18] in err, err
        assert err.count('\n') == 1 and len(err) <= 1100 and 'Traceback' not in err


LONG = 'x' * 3000


@pytest.mark.parametrize(
    ('line', 'code', 'message'),
    [
        ('model my_robot.urdf --payload link_2=1e308,9,0,0', 1, "model: payload on 'link_2': exp"),
        (f'model my_robot.urdf --payload {LONG}=1', 1, "model: unknown frame 'xxx"),
        (f'model my_robot.urdf --joints {LONG} {LONG}', 2, 'expected every joint once, got'),
        (f'model my_robot.urdf {LONG}', 2, 'error: unrecognized arguments: xxx'),
        (f'model my_robot.urdf --{LONG}', 2, 'error: unrecognized arguments: --xxx'),
        (LONG, 2, "argument COMMAND: invalid choice: 'xxx"),
        ('evaluate my_robot.urdf header.csv', 1, 'header.csv: Incoming joint xxx'),
        (
            'evaluate cell.csv',
            1,
            'evaluate: cell.csv: expected numbers below the header: could not conv',
        ),
        ('evaluate column.csv', 1, "evaluate: column.csv: column 'xxx"),
        ('evaluate my_robot.urdf joint.csv', 1, 'joint.csv: Incoming joint xxx'),
    ],
    ids=lambda value: str(value)[:50],
)
def test_long_and_large_arguments_are_short_errors(run, line, code, message):
    Path('header.csv').write_text(f'time,{LONG}\n0,1\n')
    Path('cell.csv').write_text(f'time,joint_1.effort\n0,{LONG}\n')
    Path('column.csv').write_text(f'time,{LONG}.effort\n0,1\n')
    Path('joint.csv').write_text(f'time,{LONG}\n0,1\n1,1\n')
    found, _, err = run(*line.split())
    assert found == code, err
    last = err.splitlines()[-1]
    assert message in last
    assert len(last) < (2100 if 'error: ' in last else 350)


@pytest.mark.processes
def test_the_version_of_the_checkout(folder):
    done = python(folder, '-m', 'screw_dynamics', '--version')
    assert (done.returncode, done.stderr) == (0, '')
    form = screw_dynamics.kernel_form()
    assert done.stdout == f'screw_dynamics {screw_dynamics.__version__} (kernels: {form})\n'


@pytest.mark.processes
@pytest.mark.parametrize(
    ('line', 'code', 'errors'),
    [
        # without a stream there is nothing to say on it
        ('evaluate my_robot.urdf my_trajectory.yaml --csv a.csv >&-', 0, ''),
        ('--help >&-', 0, ''),
        ('--help <&-', 0, ''),
        ('model none.urdf >&- 2>&-', 1, ''),
        ('none 2>&-', 2, ''),
        # a full disk
        ('--help >/dev/full', 1, 'No space left on device'),
        ('--help >/dev/full 2>&1', 1, ''),
        ('model none.urdf >&- 2>/dev/full', 1, ''),
    ],
)
def test_streams_that_are_closed_or_full(folder, line, code, errors):
    done = in_shell(folder, f'$COMMAND {line}')
    assert done.returncode == code, done.stderr
    assert errors in done.stderr and done.stderr.count('\n') == bool(errors), done.stderr
    if '--csv' in line:
        assert (folder / 'a.csv').read_text().startswith('time,joint_1.position [rad],')


@pytest.mark.processes
@pytest.mark.parametrize(
    'line',
    ['--help', 'evaluate my_robot.urdf my_trajectory.yaml --csv -'],
)
def test_a_reader_that_has_seen_enough(folder, line):
    done = in_shell(folder, f'set -o pipefail; $COMMAND {line} 2>errors.txt | head -n 1')
    assert done.returncode in (0, 1), done.stderr
    text = (folder / 'errors.txt').read_text()
    assert 'Traceback' not in text and 'Exception' not in text and 'Broken' not in text, text


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGHUP])
def test_signals_have_the_exit_codes_of_shells(number):
    before = signal.signal(number, signal.SIG_DFL)
    try:
        with signals_as_interrupts():
            assert run_to_end('a program', lambda: signal.raise_signal(number)) == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


@pytest.mark.processes
def test_signals_leave_no_unfinished_file(folder):
    before = {path.name for path in folder.iterdir()}
    arguments = ['my_robot.urdf', 'my_trajectory.yaml', '--rate', '500000', '--csv', 'big.csv']
    with subprocess.Popen(
        [*COMMAND, 'evaluate', *arguments],
        cwd=folder, env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        while not (folder / '.big.csv.unfinished').exists():
            assert running.poll() is None, running.communicate()
            time.sleep(0.005)
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate(timeout=patience())
    assert running.returncode == 143 and not errors
    assert {path.name for path in folder.iterdir()} == before


def test_not_enough_memory_is_one_line(capsys):
    assert run_to_end('a program', lambda: len(np.empty(2**55))) == 1
    errors = capsys.readouterr().err
    assert errors.startswith('a program: not enough memory: Unable to allocate ')
    assert errors.count('\n') == 1


def test_errors_have_a_longest_length():
    text = one_line(ValueError('begin ' + 'many names, ' * 30_000 + 'end'))
    assert len(text) < 1100 and re.fullmatch(r'begin many .* \.\.\. .* end', text)
    assert one_line(FileNotFoundError(2, 'No such file or directory', 'a')) == (
        'a: No such file or directory'
    )
    assert one_line(OSError(28, 'No space left on device')) == 'No space left on device'
    assert one_line(KeyError()) == 'KeyError'
