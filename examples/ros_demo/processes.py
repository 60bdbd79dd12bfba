# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes of the studies over ROS 2, in a DDS domain of their own, and exit codes."""

from __future__ import annotations

import atexit
import errno
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from screw_dynamics.common.stop_signals import (
    STOP_SIGNALS,
    replace_handlers,
    restore_handlers,
    stop_once,
)
from screw_dynamics.errors import ScrewDynamicsError

# DDS (RTPS 2.2, section 9.6.1): domain d uses UDP ports from 7400 + 250 d. The first is the
# multicast port of announcements, unused by participants limited to one host; participant p opens
# offset 10 + 2 p, and the first in a domain may be a later one of its process. Up to domain 101
# all ports are below those that Linux assigns to outgoing connections.
FIRST_PORT, PORTS_PER_DOMAIN, DOMAINS = 7400, 250, range(1, 102)
PROBED_OFFSETS = (0, *range(10, 42, 2))
# in Linux' abstract socket namespace, whose names are released when their process ends
RESERVATION = '\0screw_dynamics.dds_domain.'
_reservations: dict[int, socket.socket] = {}  # by domain


def isolate_ros() -> int:
    """
    Move this process and its children to an unused DDS domain, limited to this host.

    Returns the domain. A domain set in ``ROS_DOMAIN_ID`` is kept.
    """
    if not os.environ.get('ROS_DOMAIN_ID'):
        os.environ['ROS_DOMAIN_ID'] = str(unused_domain())
    if not os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE'):
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'  # Iron and newer
    return int(os.environ['ROS_DOMAIN_ID'])


def unused_domain() -> int:
    """
    Return a random DDS domain, 1 to 101, in which nothing runs on this host.

    It is reserved for this process until `release_domain`: no other call, in this or another
    process, returns it before the first node opens its ports. The common default domain 0 is
    never returned. Raises ScrewDynamicsError if all domains are in use.
    """
    domains = list(DOMAINS)
    random.SystemRandom().shuffle(domains)
    for domain in domains:
        if _reserve(domain):
            if _is_unused(domain):
                return domain
            release_domain(domain)
    raise ScrewDynamicsError(
        f'expected an unused DDS domain among {DOMAINS[0]} to {DOMAINS[-1]}, all are in use or '
        'reserved: end other ROS 2 nodes, or set ROS_DOMAIN_ID'
    )


def release_domain(domain: int) -> None:
    """Let a domain that `unused_domain` returned be returned again, once its nodes have ended."""
    _reservations.pop(domain).close()


def _reserve(domain: int) -> bool:
    reservation = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        reservation.bind(f'{RESERVATION}{domain}')
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reservation.close()
            return False  # any other error is no reservation of others
    _reservations[domain] = reservation
    return True


@atexit.register
def _release_all() -> None:
    for domain in list(_reservations):
        release_domain(domain)


def _is_unused(domain: int) -> bool:
    for offset in PROBED_OFFSETS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', FIRST_PORT + PORTS_PER_DOMAIN * domain + offset))
            except OSError:
                return False
    return True


DEMO_STOP_SIGNALS = (*STOP_SIGNALS, signal.SIGHUP)


@contextmanager
def signals_deferred() -> Iterator[None]:
    """
    Defer stop signals to the end of the block.

    None interrupts between the start of something and the note that it must be ended then.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread handles signals
        return
    received: list[int] = []

    def defer(number: int, _: FrameType | None) -> None:
        received.append(number)

    # no mask: processes that are started would inherit it, as they do ignored signals
    before = replace_handlers(DEMO_STOP_SIGNALS, defer)
    try:
        yield
    finally:
        restore_handlers(before)
        for first in received[:1]:
            signal.raise_signal(first)


SILENCE_TIMEOUT = 60.0  # s without a new log line after which waiting fails
STOP_TIMEOUT = 20.0  # s between SIGINT and SIGKILL
_PREFIX = re.compile(r'^\[(\w+)\] \[\d+\.\d+\] \[[^]]*\]: ')  # level, time, name of the node
_LONGEST_LINE = 200  # characters shown


class DemoError(ScrewDynamicsError):
    """The demo cannot continue; the message names the failure and the logs."""


@contextmanager
def ros_processes(log_folder: Path) -> Iterator[Processes]:
    """
    Initialise ROS 2 in a ``with`` block, and yield a `Processes` to start others.

    Converts a `TimeoutError` to a `DemoError` with the last lines and the folder of the logs.
    """
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    isolate_ros()
    # this process handles Ctrl-C itself
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        with Processes(log_folder) as processes:
            try:
                yield processes
            except TimeoutError as error:
                raise DemoError(f'{error}. {processes.last_lines()}') from None
    finally:
        rclpy.try_shutdown()


class Processes:
    """
    Python modules run as processes; all are stopped at the end of a ``with`` block.

    Each process writes to ``<name>.log`` in `log_folder`, which is created.
    """

    def __init__(self, log_folder: Path) -> None:
        self._log_folder = log_folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._seen: set[tuple[str, str]] = set()
        self._newest, self._advanced = '', time.monotonic()
        log_folder.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Processes:
        """Return the empty group."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop all processes, with SIGKILL after `STOP_TIMEOUT`."""
        with signals_deferred():  # a signal would leave those that are not killed yet
            for process in self._running.values():
                if process.poll() is None:
                    process.send_signal(signal.SIGINT)
            deadline = time.monotonic() + STOP_TIMEOUT
            for process in self._running.values():
                try:
                    process.wait(max(deadline - time.monotonic(), 0.1))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def start(self, name: str, module: str, *arguments: str | Path) -> None:
        """Start ``python -m module arguments``."""
        command = [sys.executable, '-m', module, *map(str, arguments)]
        self._advanced = time.monotonic()
        # a process that is not registered yet would be left by a signal
        with signals_deferred(), self.log(name).open('wb') as log:
            # Own process group: only the demo receives Ctrl-C, and then stops the processes.
            self._running[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def log(self, name: str) -> Path:
        """Return the log file of a process."""
        return self._log_folder / f'{name}.log'

    def require_running(self) -> None:
        """Raise `DemoError`, with the last log line, if a process has ended."""
        for name, process in self._running.items():
            if process.poll() is not None:
                raise DemoError(f'{name} ended with {self._ending(name, process.returncode)}')

    def last_line(self, name: str) -> str:
        """Return the last log line of a process."""
        lines = self.log(name).read_text(errors='replace').split('\n')
        last = next((line for line in reversed(lines) if line.strip()), 'nothing')
        return _PREFIX.sub(r'\1 ', last.strip())[:_LONGEST_LINE]

    def last_lines(self) -> str:
        """Return the last log line of each running process, and the folder of the logs."""
        lines = '; '.join(f'{name}: {self.last_line(name)}' for name in self._running)
        return f'Last lines: {lines} (logs: {self._log_folder})'

    def require_advance(self, missing: str) -> str:
        """
        Return the newest log line with its process, while waiting for `missing`.

        Raises `DemoError` if a process has ended, or none has logged anything new for
        `SILENCE_TIMEOUT`.
        """
        self.require_running()
        looked = time.monotonic()
        for name in self._running:
            line = self.last_line(name)
            if (name, line) not in self._seen:
                self._seen.add((name, line))
                self._newest, self._advanced = f'{name}: {line}', time.monotonic()
        # what came after the look began is no silence, however long the look took
        if looked - self._advanced > SILENCE_TIMEOUT:
            raise DemoError(
                f'waited {SILENCE_TIMEOUT:g} s for {missing} while nothing new was logged. '
                f'{self.last_lines()}'
            )
        return self._newest

    def stop(self, name: str) -> None:
        """
        Send SIGINT to a process and wait for its end.

        Raises `DemoError` if it does not end in time or not with exit code 0.
        """
        process = self._running[name]
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise DemoError(f'{name} did not stop within {STOP_TIMEOUT:g} s of SIGINT') from None
        del self._running[name]  # not before: an interrupted wait leaves it to `__exit__`
        if code:
            raise DemoError(f'{name} ended with {self._ending(name, code)}')

    def _ending(self, name: str, code: int) -> str:
        last = self.last_line(name)
        return f'exit code {code}, last wrote: {last} (all of it: {self.log(name)})'


def run_job(name: str, job: Callable[[], object]) -> int:
    """
    Run the job of this process; SIGTERM and SIGHUP (closed terminal) interrupt it like Ctrl-C.

    Returns the exit code: 0, 1 after an error, 130 if interrupted.
    """
    with stop_once(to_the_end=True, numbers=DEMO_STOP_SIGNALS):
        try:
            job()
        except (ScrewDynamicsError, OSError) as error:
            print(f'{name}: {error}', file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print(f'{name}: interrupted', file=sys.stderr)
            return 130
    return 0


def require_ros() -> None:
    """Raise `DemoError` if ROS 2 or the interfaces are missing; ROS 2 itself reports it late."""
    problem = '' if os.environ.get('AMENT_PREFIX_PATH') else 'AMENT_PREFIX_PATH is not set'
    try:
        from rclpy.type_support import check_for_type_support

        from screw_dynamics_interfaces.srv import GetMassMatrix

        check_for_type_support(GetMassMatrix)
    except Exception as error:  # the type support raises its own exception type
        problem = str(error)
    if problem:
        raise DemoError(
            f'needs ROS 2 and the built screw_dynamics_interfaces ({problem}): run `make demo`, '
            'which sets them up, or source them'
        )
