# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the nodes: choice of executor, signals, exit code."""

import ctypes
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.context import Context
from rclpy.event_handler import EventHandler
from rclpy.exceptions import InvalidHandle, ParameterException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.guard_condition import GuardCondition
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.service import Service
from rclpy.signals import uninstall_signal_handlers
from rclpy.timer import Timer

from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.nodes.shared.arguments import files_for_others, help_text, wants_help
from screw_dynamics.stop_signals import StopOnce, flush, limited_end, stop_once

_LONGEST_WAIT = 0.1  # s, of a signal for an executor whose loop it ends
_WRONG_ARGUMENTS = 2
# s: events of endpoints, such as an incompatible QoS, are looked for during _LOOK of every _LOOKS
_LOOK, _LOOKS = _LONGEST_WAIT, 1.0
_SELDOM_PERIOD = 0.005  # s between looks for what is seldom while ticks are frequent
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # M_... of malloc.h
_KEPT = 2**25  # bytes, the most that glibc accepts
# s until a thread hands over the interpreter lock, for which a tick would wait 5 ms
_HAND_OVER = 2e-4
_AT_ONCE = 2e-4  # s between two timers of one wait, at most
_FREQUENT = 0.01  # s between ticks, or from the last one to a wait: the next wait will be short

_made: list[list[Node]] = []  # by each `_run`, also if the constructor has failed


class SeldomGroup(MutuallyExclusiveCallbackGroup):
    """Callbacks that may wait for some milliseconds between frequent ticks."""


class _Waker(GuardCondition):
    """Ends the wait of the thread that spins, unless that thread asks for it: it does not wait."""

    thread = 0

    def trigger(self) -> None:
        """End the wait of another thread."""
        if threading.get_ident() != self.thread:
            super().trigger()

    def end_wait(self) -> None:
        """End the present or the next wait."""
        super().trigger()


class SparingExecutor(SingleThreadedExecutor):
    """
    A single-threaded executor that does not look for everything before every wait.

    rclpy wakes the executor after each callback, twice; in a single thread, which is awake, that
    makes the next wait return with nothing. Without it there is one wait per tick, not two.
    rclpy prepares each entity anew for each wait. Events of endpoints, some of which every
    publisher and subscription has, are a third of the cost of a node with ticks at 250 Hz: they
    last until they are taken. Of a node at 1 kHz, its 13 services, five of every lifecycle and
    eight of parameters and types, are a fifth: between frequent ticks they, and what is in a
    `SeldomGroup`, wait for `_SELDOM_PERIOD`; more of them that have arrived follow at once.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._without_events = self._without_seldom = False  # the next wait
        self._looked = self._ticked = -math.inf  # for what is seldom, and the last tick [s]
        guard: GuardCondition = self._guard
        guard.destroy()
        self._waker = _Waker(None, None, context=self._context)
        self._guard: GuardCondition = self._waker  # in place of the one that rclpy has made
        self._interval = math.inf  # between the last two ticks [s]

    def create_task(self, *args: Any, **kwargs: Any) -> Any:
        """Return a task for the next callback, also of the thread that spins."""
        task = super().create_task(*args, **kwargs)
        self._waker.end_wait()
        return task

    def _wait_for_ready_callbacks(
        self, timeout_sec: Any = None, nodes: Any = None, condition: Any = lambda: False
    ) -> Iterator[Any]:
        """Yield the callbacks that are ready after one wait, for what is due now."""
        now = time.monotonic()
        self._waker.thread = threading.get_ident()
        self._without_events = now % _LOOKS > _LOOK
        frequent = max(self._interval, now - self._ticked) < _FREQUENT
        self._without_seldom = frequent and now - self._looked < _SELDOM_PERIOD
        if not self._without_seldom:
            self._looked = now
        limit = getattr(timeout_sec, 'timeout', timeout_sec)
        longer = limit is None or not 0.0 <= limit < _SELDOM_PERIOD
        # tasks that are not done wait for what a callback may do
        if longer and (self._without_seldom or any(not task.done() for task, *_ in self._tasks)):
            timeout_sec = _SELDOM_PERIOD
        yield from super()._wait_for_ready_callbacks(timeout_sec, nodes, condition)

    def can_execute(self, entity: Any) -> bool:
        """Return True if an entity is to be waited for."""
        if isinstance(entity, EventHandler):
            left_out = self._without_events
        elif isinstance(entity, Timer):
            left_out = _is_off(entity)
        else:
            left_out = self._without_seldom and _is_seldom(entity)
        return not left_out and bool(super().can_execute(entity))

    def wait_for_ready_callbacks(self, *args: Any, **kwargs: Any) -> Any:
        """Return the next callback, with its entity and node."""
        found = super().wait_for_ready_callbacks(*args, **kwargs)
        if isinstance(found[1], Timer):
            now = time.monotonic()
            if now - self._ticked > _AT_ONCE:
                self._interval, self._ticked = now - self._ticked, now
        elif _is_seldom(found[1]):
            self._looked = -math.inf  # there may be more
        return found


def _is_off(timer: Timer) -> bool:
    """Return True for a timer that is canceled or destroyed."""
    try:
        return bool(timer.is_canceled())
    except InvalidHandle:
        return True


def _is_seldom(entity: Any) -> bool:
    """Return True if the callback of an entity may wait between frequent ticks."""
    return isinstance(entity, Service) or isinstance(
        getattr(entity, 'callback_group', None), SeldomGroup
    )


def run_node(
    make_node: Callable[[], Node],
    name: str,
    args: Sequence[str] | None = None,
    *,
    work: Callable[[Node], None] | None = None,
    at_end: Callable[[Any], None] | None = None,
    interrupted: int = 0,
    purpose: str = '',
    parameters: type | None = None,
) -> int:
    """
    Create a node, run it until SIGINT, SIGTERM or shutdown of the context; return the exit code.

    `work`, by default spinning without end, raises ScrewDynamicsError if it fails. `at_end` is
    called before a node is destroyed and takes as long as it needs; the destruction, with all
    that the node's own `destroy_node` does, may take `LONGEST_END`. The exit code is 0 when
    done, `interrupted` after a stop, 1 after a failure to start, to work or to end, 2 for unknown
    arguments.
    """
    _keep_memory()
    sys.setswitchinterval(_HAND_OVER)
    with stop_once(to_the_end=args is None) as stop:
        try:
            code = _without_node(name, args, purpose, parameters)
            if code is None:
                code = _run(make_node, name, args, work, at_end, interrupted, stop)
        except (KeyboardInterrupt, ExternalShutdownException):
            rclpy.try_shutdown()
            code = interrupted
    if args is None and threading.active_count() > 1:
        # exit at once: LLVM must not be unloaded while a thread compiles
        flush()
        os._exit(code)
    return code


def _keep_memory() -> None:
    """
    Let malloc of glibc keep what is freed.

    rclpy copies a message twice: the pages of one of 10 000 points, from the system each time,
    take 2 ms, four times as long as the copies.
    """
    with suppress(AttributeError, OSError, TypeError):  # of another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_TRIM_THRESHOLD, _KEPT)
        mallopt(_MMAP_THRESHOLD, _KEPT)


def _without_node(
    name: str, args: Sequence[str] | None, purpose: str, parameters: type | None
) -> int | None:
    """Return the exit code after help text or wrong arguments; None if a node must run."""
    try:
        if not wants_help(sys.argv if args is None else args):
            return None
        print(help_text(name, purpose, parameters))
        return 0
    except InputError as error:
        print(f'{name}: {error}', file=sys.stderr)
        return _WRONG_ARGUMENTS
    except RuntimeError:
        return None  # wrong ROS arguments, which ROS reports when it starts


def _run(
    make_node: Callable[[], Node],
    name: str,
    args: Sequence[str] | None,
    work: Callable[[Node], None] | None,
    at_end: Callable[[Any], None] | None,
    interrupted: int,
    stop: StopOnce,
) -> int:
    """Run the node; Ctrl-C raises at any point, but not again while the node is destroyed."""
    node, initialized = None, False
    made: list[Node] = []
    _made.append(made)
    try:
        rclpy.init(args=None if args is None else list(args))
        initialized = True
        node = make_node()
        made.append(node)
        for text in files_for_others(
            sys.argv if args is None else args, node.get_fully_qualified_name()
        ):
            node.get_logger().warning(text)
        if work is None:
            _spin(node, stop)
        else:
            work(node)
    # rclpy raises RuntimeError for a bad command line or parameter file, and ParameterException
    # for parameters that it declares itself
    except (ScrewDynamicsError, ParameterException, RuntimeError) as error:
        if initialized and not rclpy.ok():
            return interrupted  # the context was shut down during construction
        if node is not None and not isinstance(error, ScrewDynamicsError):
            raise
        get_logger(name).fatal(str(error))
        return 1
    finally:
        stop.armed = False
        _made.pop()
        try:
            if node is not None and at_end is not None:
                at_end(node)
        finally:
            with limited_end() if args is None else nullcontext():
                _destroy(made)
    return 0


def _destroy(nodes: Sequence[Node]) -> None:
    """Destroy nodes and shut down their context, also if the end of a node raises."""
    try:
        for node in nodes:
            node.destroy_node()
    finally:
        rclpy.try_shutdown()


def _spin(node: Node, stop: StopOnce) -> None:
    """
    Spin with the executor selected by the node's parameter until a signal asks for the end.

    The signal only ends the loop. An exception, or a shutdown of the context by rclpy, in the
    middle of a callback would stop commands where they are, leave goals without a result and, in
    C++ code of the events executor, abort the process.
    """
    executor = _events_executor(node) or SparingExecutor()
    stop.armed = False
    if threading.current_thread() is threading.main_thread():
        uninstall_signal_handlers()
    executor.add_node(node)
    try:
        # spin() of the events executor in rclpy 7.1 does not always return to its callbacks
        while rclpy.ok() and not stop.requested:
            executor.spin_once(timeout_sec=_LONGEST_WAIT)
    finally:
        executor.shutdown()  # releases its references to the parts of the node


def _events_executor(node: Node) -> Any:
    """Return an events executor, or None if it is not selected or not available."""
    if not node.get_parameter('use_events_executor').value:
        return None
    try:
        from rclpy.experimental.events_executor import EventsExecutor
    except ImportError:
        node.get_logger().warning(
            'this rclpy has no events executor (it came with rclpy 7.1.4): parameter '
            "'use_events_executor' has no effect"
        )
        return None
    return EventsExecutor()


@contextmanager
def destroyed_on_error(node: Node) -> Iterator[None]:
    """
    Destroy a node if the ``with`` block, the part of its constructor after Node's, raises.

    Otherwise references to it would keep its DDS threads running while the library is unloaded,
    which may crash. `run_node` destroys it later, once the reason is logged.
    """
    try:
        yield
    except BaseException:
        if _made:
            _made[-1].append(node)
        else:
            node.destroy_node()
        raise
