# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fits of trajectories in a separate process, so that no tick waits for them."""

import socket
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from screw_dynamics.errors import bounded
from screw_dynamics.messages.times import SECOND
from screw_dynamics.nodes.feedforward.fitting.tasks import (
    FitRobot,
    Fitting,
    Reading,
    Refusal,
    WarmUp,
    receive,
    send,
)
from screw_dynamics.nodes.shared.side_process import OWN_GROUP, side_command

_WORKER = 'screw_dynamics.nodes.feedforward.fitting.worker'
_PATIENCE = 5.0  # s
_LOOK_PERIOD = 0.1  # s between checks that the thread is still running
_FASTEST = 100  # how much faster than ours simulated time may run


class FitProcess:
    """
    A process that executes tasks one by one, and the thread that communicates with it.

    A thread would share the interpreter lock with the ticks: decoding a message of 10 000 points
    alone keeps it for 0.1 s. The process uses no DDS, gets no signals of the terminal, and exits
    when its socket is closed. One that has died is replaced at the next task.
    """

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Any] = SimpleQueue()
        self._answers: deque[tuple[int, Any]] = deque()
        self._robot: FitRobot | None = None
        self._reading: Reading | None = None  # newest message
        # called by the thread when there is an answer
        self.on_answer: Callable[[], object] | None = None
        self._asker = 0  # answers to tasks of earlier askers are dropped
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._closed = False
        self._warm = threading.Event()
        # daemon: a running fit does not delay Ctrl-C
        self._thread = threading.Thread(target=self._work, name='trajectories', daemon=True)
        self._thread.start()

    def warm_up(self, robot: FitRobot, *, poses: bool = False) -> None:
        """Wait until the process is running and has loaded the kernels for a robot."""
        self._warm.clear()
        self._tasks.put(WarmUp(robot, poses))
        while not self._closed and self._thread.is_alive():
            if self._warm.wait(_LOOK_PERIOD):
                return

    def use(self, robot: FitRobot) -> None:
        """Set the robot of the following tasks."""
        self._tasks.put(robot)

    def submit(self, task: Any) -> None:
        """Add a task to the queue."""
        self._tasks.put((task, self._asker))

    def forget(self) -> None:
        """Drop the answers to all tasks submitted so far."""
        self._asker += 1
        self.on_answer = None

    def answer(self) -> Any:
        """Return the next answer to a submitted task; None if there is none yet."""
        while self._answers:
            asker, answer = self._answers.popleft()
            if asker == self._asker:
                return answer
        return None

    def close(self) -> None:
        """End the process."""
        self._closed = True
        self._tasks.put(None)
        process = self._process
        if process is not None:
            process.kill()
        self._thread.join(_PATIENCE)

    def _work(self) -> None:
        with suppress(Exception):  # the next task reports it
            self._start()
        while not self._closed:
            task = self._tasks.get()
            if task is None:
                break
            asker = None
            if isinstance(task, tuple):
                task, asker = task
            elif isinstance(task, FitRobot):
                self._robot = task
            answer = self._answer(task)
            if isinstance(task, WarmUp):
                self._warm.set()
            elif asker is not None:
                self._answers.append((asker, answer))
                if self.on_answer is not None:
                    with suppress(Exception):  # the executor has ended
                        self.on_answer()
        self._end('')

    def _answer(self, task: Any) -> Any:
        """Return the answer to a task; a Refusal if it fails for any reason."""
        again = isinstance(task, Reading)  # the process may have died before this task
        while True:
            try:
                return self._done(task)
            except (EOFError, OSError) as error:
                reason = self._end(str(error))
                if not again or self._closed:
                    return Refusal(reason)
                again = False
            except Exception as error:  # later trajectories must still be fitted
                self._end('')
                return Refusal(bounded(f'{type(error).__name__}: {error}'))

    def _done(self, task: Any) -> Any:
        if self._process is not None and self._process.poll() is not None:
            self._end('')
        if self._connection is None:
            self._start()
            if self._robot is not None and task is not self._robot:
                self._ask(self._robot)
            if self._reading is not None and isinstance(task, Fitting):
                self._ask(self._reading)
        if isinstance(task, Reading):
            self._reading = task
        return self._ask(task)

    def _ask(self, task: Any) -> Any:
        assert self._connection is not None
        send(self._connection, task)
        return receive(self._connection)

    def _start(self) -> None:
        self._connection, other = socket.socketpair()
        with other:
            descriptor = other.fileno()
            self._process = subprocess.Popen(
                side_command(_WORKER, descriptor),
                stdin=subprocess.DEVNULL,
                pass_fds=[descriptor],
                **OWN_GROUP,
            )
        if self._closed:
            self._process.kill()

    def _end(self, reason: str) -> str:
        """Kill the process if it still runs, and return why it ended."""
        process, self._process = self._process, None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if process is None:
            return f'the process that fits trajectories could not be started: {reason}'
        process.kill()
        return f'the process that fits trajectories has ended (code {process.wait()})'


_MARGIN = 1.5
_MANY = 200  # a fit of at least this many points updates the time per point, else the fixed part
_LEAST = 1e-3  # lower limit of the fixed part [s]
_FORGOTTEN = 0.5  # fraction by which a longer earlier time decays at each fit


class FitTime:
    """
    A fixed part and a time per point [s], learned separately from earlier fits.

    If a fit of two points is delayed by half a second, a fit of a thousand points is expected to
    take half a second longer, not hundreds of times as long.
    """

    def __init__(self, fixed: float = 0.02, per_point: float = 4e-4) -> None:
        self._fixed, self._per_point = fixed, per_point  # s

    def estimate(self, points: int) -> int:
        """Return the expected duration of a fit, with a margin [ns]."""
        return round(SECOND * _MARGIN * (self._fixed + self._per_point * points))

    def learn(self, points: int, seconds: float) -> None:
        """Update the estimate with a measured duration; an increase applies at once."""
        if points < _MANY:
            fixed = _learned(self._fixed, seconds - self._per_point * points)
            self._fixed = max(fixed, _LEAST)
        else:
            self._per_point = _learned(self._per_point, (seconds - self._fixed) / points)


class Stopwatch:
    """Measures how long something takes, from an instant [ns] on the clock of the node."""

    def __init__(self, now: int) -> None:
        self._begun, self._steady = now, time.monotonic_ns()

    def passed(self, now: int, *, simulated: bool) -> float:
        """Return the time until now [s]; a jump of the clock is no part of it."""
        steady = time.monotonic_ns() - self._steady
        if simulated:  # this may run faster
            return min(max(0, now - self._begun), _FASTEST * steady) / SECOND
        return steady / SECOND


def _learned(before: float, measured: float) -> float:
    return max(measured, before + _FORGOTTEN * (max(measured, 0.0) - before))
