# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes of the demo are watched, and gone afterwards; its domain."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.patience import patience

from ros_demo import processes
from ros_demo import processes as domain
from ros_demo.processes import DemoError, Processes, isolate_ros, release_domain, unused_domain
from screw_dynamics.common.stop_signals import stop_once
from screw_dynamics.errors import ScrewDynamicsError

pytestmark = pytest.mark.processes

# Says that it is ready where SIGINT is expected already, and answers it with exit code 0.
SERVER = """
import signal
try:
    print('ready', flush=True)
    signal.pause()
except KeyboardInterrupt:
    print('Keyboard interrupt', flush=True)
"""
# Runs until it is killed.
DEAF = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
print('ready', flush=True)
signal.pause()
"""


def pid_of(group: Processes, name: str) -> int:
    return group._running[name].pid


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_line(path: Path) -> None:
    deadline = time.monotonic() + patience(20.0)
    while not path.read_text():
        assert time.monotonic() < deadline, f'nothing in {path}'
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of modules that the processes find: `server` and `deaf`."""
    folder = tmp_path / 'modules'
    folder.mkdir()
    (folder / 'server.py').write_text(SERVER)
    (folder / 'deaf.py').write_text(DEAF)
    monkeypatch.setenv('PYTHONPATH', str(folder))
    return folder


def test_a_failing_block_leaves_no_process(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Processes(tmp_path) as group:
        group.start('server', 'server')
        wait_for_line(group.log('server'))
        pid = pid_of(group, 'server')
        raise ZeroDivisionError
    assert not is_alive(pid)


def test_a_process_that_ends_is_reported_with_its_last_line(tmp_path: Path) -> None:
    with Processes(tmp_path) as group:
        group.start('broken', 'no_such_module')
        group._running['broken'].wait(patience(20.0))
        with pytest.raises(
            DemoError, match=r'broken ended with exit code 1, last wrote: .*No mod'
        ):
            group.require_running()


def test_a_process_that_ignores_sigint_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, 'STOP_TIMEOUT', 0.5)
    with Processes(tmp_path) as group:
        for name in ('stopped', 'left'):
            group.start(name, 'deaf')
            wait_for_line(group.log(name))
        pids = [pid_of(group, name) for name in ('stopped', 'left')]
        with pytest.raises(DemoError, match='stopped did not stop within 0.5 s of SIGINT'):
            group.stop('stopped')
    assert not any(is_alive(pid) for pid in pids)


def test_an_interrupted_start_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = []

    class Interrupted(subprocess.Popen[bytes]):
        """A signal comes when the process runs, before anybody knows it."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            pids.append(self.pid)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(subprocess, 'Popen', Interrupted)
    monkeypatch.setattr(processes, 'STOP_TIMEOUT', 0.5)
    with stop_once(to_the_end=False), Processes(tmp_path) as group:
        with pytest.raises(KeyboardInterrupt):
            group.start('deaf', 'deaf')
    assert len(pids) == 1
    assert not is_alive(pids[0])


@pytest.fixture
def line_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """
    A log: the clock of the demo counts its lines, 0.1 s per line.

    So however long a process or this one is held up, the demo waits as many lines.
    """
    log = tmp_path / 'node.log'

    def now() -> float:
        return 0.1 * log.read_bytes().count(b'\n') if log.exists() else 0.0

    monkeypatch.setattr(processes, 'time', SimpleNamespace(monotonic=now))
    return log


# writes a line, and then, forever, one whose stamp alone is new
CHATTER = """
import time
print('the first line', flush=True)
while True:
    print(f'[INFO] [{time.time():.6f}] [node]: waiting for data', flush=True)
    time.sleep(0.01)
"""


def test_waiting_ends_where_nothing_new_is_logged(
    line_clock: Path, modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, 'SILENCE_TIMEOUT', 3.0)
    (modules / 'chatter.py').write_text(CHATTER)
    newest = ''
    with Processes(line_clock.parent) as group:
        assert group.log('node') == line_clock
        group.start('node', 'chatter')
        with pytest.raises(DemoError, match=r'waited 3 s for a sign .* node: .*waiting for data'):
            while True:
                newest = group.require_advance('a sign')
                time.sleep(0.01)
    assert newest == 'node: INFO waiting for data'


@contextmanager
def own_reservations() -> Iterator[None]:
    """Leave out what this and other processes have reserved."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(domain, 'RESERVATION', f'\0screw_dynamics.test_domain.{os.getpid()}.')
        patch.setattr(domain, '_reservations', {})
        yield


def choices() -> set[int]:
    """Return what 20 calls choose, each from all domains."""
    chosen = set()
    for _ in range(20):
        number = unused_domain()
        chosen.add(number)
        release_domain(number)
    return chosen


@own_reservations()
def test_a_released_domain_is_chosen_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain, 'DOMAINS', [1, 2])
    monkeypatch.setattr(domain, '_is_unused', lambda number: True)
    assert {unused_domain(), unused_domain()} == {1, 2}
    expected = 'expected an unused DDS domain among 1 to 2, all are in use'
    with pytest.raises(ScrewDynamicsError, match=expected):
        unused_domain()
    release_domain(2)
    assert unused_domain() == 2
    for number in (1, 2):
        release_domain(number)


@pytest.mark.parametrize('offset', [0, 10, 12, 40])
@own_reservations()
def test_a_used_domain_is_not_chosen(monkeypatch: pytest.MonkeyPatch, offset: int) -> None:
    monkeypatch.setattr(domain, 'DOMAINS', [1, 2])
    monkeypatch.setattr(domain, 'FIRST_PORT', 31_000)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(('', 31_250 + offset))
        assert choices() == {2}


def test_a_chosen_domain_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', '17')
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE', raising=False)
    assert isolate_ros() == 17
    assert os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    monkeypatch.setenv('ROS_DOMAIN_ID', '')
    chosen = isolate_ros()
    assert 1 <= chosen <= 101
    release_domain(chosen)
