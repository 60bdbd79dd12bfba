# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes are watched, and gone afterwards."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ros_demo import processes
from ros_demo.processes import DemoError, Processes

# Runs until SIGINT, which it then answers with exit code 0.
SERVER = ('http.server', '--bind', '127.0.0.1', '0')


def pid_of(group: Processes, name: str) -> int:
    return group._running[name].pid


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_line(path: Path, timeout: float = 20.0) -> None:
    deadline = time.monotonic() + timeout
    while not path.read_text():
        assert time.monotonic() < deadline, f'nothing in {path}'
        time.sleep(0.05)


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the servers write their first line at once."""
    monkeypatch.setenv('PYTHONUNBUFFERED', '1')


def test_a_process_is_stopped_by_name(tmp_path: Path, listening: None) -> None:
    with Processes(tmp_path) as group:
        group.start('server', *SERVER)
        wait_for_line(group.log('server'))
        group.require_running()
        group.stop('server')
        assert 'Keyboard interrupt' in group.log('server').read_text()


def test_a_failing_block_leaves_no_process(tmp_path: Path, listening: None) -> None:
    with pytest.raises(ZeroDivisionError), Processes(tmp_path) as group:
        group.start('server', *SERVER)
        wait_for_line(group.log('server'))
        pid = pid_of(group, 'server')
        raise ZeroDivisionError
    assert not is_alive(pid)


def test_a_process_that_ends_is_reported_with_its_last_line(tmp_path: Path) -> None:
    with Processes(tmp_path) as group:
        group.start('broken', 'no_such_module')
        group._running['broken'].wait(20)
        with pytest.raises(
            DemoError, match=r'broken ended with exit code 1, last wrote: .*No mod'
        ):
            group.require_running()


def test_a_process_that_ignores_sigint_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, 'STOP_TIMEOUT', 0.5)
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    (tmp_path / 'deaf.py').write_text(
        'import signal, time\n'
        'signal.signal(signal.SIGINT, signal.SIG_IGN)\n'
        "print('ready', flush=True)\n"
        'time.sleep(60)\n'
    )
    with Processes(tmp_path) as group:
        for name in ('stopped', 'left'):
            group.start(name, 'deaf')
            wait_for_line(group.log(name))
        pids = [pid_of(group, name) for name in ('stopped', 'left')]
        with pytest.raises(DemoError, match='stopped did not stop within 0.5 s of SIGINT'):
            group.stop('stopped')
    assert not any(is_alive(pid) for pid in pids)


# writes a line, and then, forever, one whose stamp alone is new
CHATTER = """
import time
print('compiling 3 of 11', flush=True)
while True:
    print(f'[INFO] [{time.time():.6f}] [node]: waiting for data', flush=True)
    time.sleep(0.01)
"""


def test_waiting_ends_where_nothing_new_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    monkeypatch.setattr(processes, 'SILENCE_TIMEOUT', 3.0)
    (tmp_path / 'chatter.py').write_text(CHATTER)
    newest = ''
    with Processes(tmp_path / 'logs') as group:
        group.start('node', 'chatter')
        with pytest.raises(DemoError, match=r'waited 3 s for a sign .* node: .*waiting for data'):
            while True:
                newest = group.require_advance('a sign')
                time.sleep(0.01)
    assert newest == 'node: INFO waiting for data'


def test_waiting_goes_on_while_something_new_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    monkeypatch.setattr(processes, 'SILENCE_TIMEOUT', 3.0)
    (tmp_path / 'busy.py').write_text(
        'import time\n'
        'for i in range(1000):\n'
        "    print('step', i, flush=True)\n"
        '    time.sleep(0.1)\n'
    )
    with Processes(tmp_path / 'logs') as group:
        group.start('node', 'busy')
        while group.require_advance('step 60') != 'node: step 60':  # twice the patience
            time.sleep(0.01)
