# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The comparison of feedforwards ends on a signal, with all processes that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from helpers.child_processes import children, state
from helpers.patience import patience

from screw_dynamics.common.stop_signals import stop_once

pytest.importorskip('mujoco', reason='the comparison runs in MuJoCo too')
pytest.importorskip('rosbags', reason='the figure shares its style with that of recordings')

from ros_demo.processes import DEMO_STOP_SIGNALS  # noqa: E402
from sea_study.job import _signals_deferred, simulate  # noqa: E402

COMMAND = [sys.executable, '-m', 'screw_dynamics.demo', 'sea', '--without-ros', '--output']
WORKERS = min(2, os.cpu_count() or 1)


@pytest.mark.skipif(not Path('/proc/self').exists(), reason='child processes are read from /proc')
@pytest.mark.parametrize(
    ('number', 'all_of_them'),
    [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, True)],
    ids=['Ctrl-C', 'SIGTERM', 'a closed terminal'],
)
@pytest.mark.usefixtures('hangup')
@pytest.mark.parametrize('delay', [0.0, 3.0], ids=['at the start', 'in the middle'])
def test_nothing_is_left(
    tmp_path: Path, number: signal.Signals, all_of_them: bool, delay: float
) -> None:
    process = subprocess.Popen(
        [*COMMAND, str(tmp_path)], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        interrupt(process, number, all_of_them, delay)
    finally:
        with suppress(ProcessLookupError):  # as it should be
            os.killpg(process.pid, signal.SIGKILL)


def interrupt(
    process: subprocess.Popen[str], number: signal.Signals, all_of_them: bool, delay: float
) -> None:
    deadline = time.monotonic() + patience()
    # the workers, and the process in which multiprocessing keeps track of resources
    while len(started := children(process.pid)) <= WORKERS:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(delay)
    if all_of_them:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.send_signal(number)
    # the runs that remain would take a minute
    _, err = process.communicate(timeout=patience(20.0))
    assert process.returncode == 130
    assert err.rstrip().endswith('demo_sea: interrupted')
    assert 'Traceback' not in err
    deadline = time.monotonic() + patience(5.0)
    while left := [pid for pid in started if state(pid) != 'Z']:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def test_no_thread_of_the_pool_is_left() -> None:
    before = set(threading.enumerate())
    long = partial(time.sleep, 3600.0)
    with pytest.raises(ValueError, match='invalid literal'):
        simulate('Fail', [partial(int, 'x'), long, long, long], 2)
    assert set(threading.enumerate()) <= before


@pytest.mark.usefixtures('hangup')
@pytest.mark.parametrize('number', DEMO_STOP_SIGNALS)
def test_signals_wait_until_the_workers_are_started(number: signal.Signals) -> None:
    started = False
    with stop_once(to_the_end=False, numbers=[number]):
        with pytest.raises(KeyboardInterrupt), _signals_deferred():
            signal.raise_signal(number)
            started = True
    assert started


def test_a_number_of_processes_is_checked(tmp_path: Path) -> None:
    command = [*COMMAND, str(tmp_path), '--processes', '0']
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        'demo_sea: error: --processes: expected 1 or more, got 0'
    )
