# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the nodes: executor, signals, exit code."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from inspect import getdoc

import rclpy
from rclpy.context import Context
from rclpy.exceptions import ParameterException
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.signals import uninstall_signal_handlers

from screw_dynamics.common.stop_signals import SignalGuard, flush, shutdown_deadline, stop_once
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.nodes.shared.arguments import help_text, wants_help

_LONGEST_WAIT = 0.1  # s, of a signal for an executor whose loop it ends
_WRONG_ARGUMENTS = 2
# s until a thread hands over the interpreter lock, for which a tick would wait 5 ms
_HAND_OVER = 2e-4

_made: list[list[Node]] = []  # by each `_run`, also if the constructor has failed


def make_executor(context: Context | None = None) -> Executor:
    """Return the events executor of rclpy; before rclpy 7.1.4, the single-threaded one."""
    try:
        from rclpy.experimental.events_executor import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor(context=context)
    return EventsExecutor(context=context)


def run_node(
    make_node: Callable[[], Node],
    name: str,
    args: Sequence[str] | None = None,
    *,
    work: Callable[[Node], None] | None = None,
    interrupted: int = 0,
    purpose: str = '',
    parameters: type | None = None,
) -> int:
    """
    Create a node, run it until SIGINT, SIGTERM or shutdown of the context; return the exit code.

    `work`, by default spinning, raises ScrewDynamicsError if it fails. The code is 0 when done,
    `interrupted` after a stop, 1 after a failure, 2 for unknown arguments.
    """
    try:
        if wants_help(sys.argv if args is None else args):
            print(help_text(name, purpose or getdoc(make_node) or '', parameters))
            return 0
    except InputError as error:
        print(f'{name}: {error}', file=sys.stderr)
        return _WRONG_ARGUMENTS
    except RuntimeError:
        pass  # wrong ROS arguments, which ROS reports when it starts
    return run_nodes([make_node], name, args, work=work, interrupted=interrupted)


def run_nodes(
    makers: Sequence[Callable[[], Node]],
    name: str,
    args: Sequence[str] | None = None,
    *,
    work: Callable[[Node], None] | None = None,
    interrupted: int = 0,
) -> int:
    """
    Create nodes, spin them with one executor and return the exit code, as `run_node`.

    They end in the opposite order: `come_to_rest`, if they have it, takes as long as it needs,
    their destruction `SHUTDOWN_DEADLINE` at most.
    """
    sys.setswitchinterval(_HAND_OVER)
    if args is None and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # so scripts start what runs in their background; nodes of rclpy end nevertheless
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with stop_once(to_the_end=args is None) as stop:
        try:
            code = _run(makers, name, args, work, interrupted, stop)
        except (KeyboardInterrupt, ExternalShutdownException):
            rclpy.try_shutdown()
            code = interrupted
    if args is None and threading.active_count() > 1:
        # exit at once: a thread may still build a model
        flush()
        os._exit(code)
    return code


def _run(
    makers: Sequence[Callable[[], Node]],
    name: str,
    args: Sequence[str] | None,
    work: Callable[[Node], None] | None,
    interrupted: int,
    stop: SignalGuard,
) -> int:
    """Run the nodes; Ctrl-C raises at any point, but not again while they are destroyed."""
    initialized, complete, maker = False, False, makers[0]
    made: list[Node] = []
    _made.append(made)
    try:
        rclpy.init(args=None if args is None else list(args))
        initialized = True
        for maker in makers:
            made.append(maker())
        complete = True
        if work is None:
            _spin(made, stop)
        else:
            work(made[0])
    # rclpy raises RuntimeError for a bad command line or parameter file, and ParameterException
    # for parameters that it declares itself
    except (ScrewDynamicsError, ParameterException, RuntimeError) as error:
        if initialized and not rclpy.ok():
            return interrupted  # the context was shut down during construction
        if complete and not isinstance(error, ScrewDynamicsError):
            raise
        if initialized and not complete:  # of several nodes, the one that fails
            name = getattr(sys.modules[maker.__module__], 'NAME', name)
        get_logger(name).fatal(str(error))
        return 1
    finally:
        stop.armed = False
        _made.pop()
        try:
            for node in reversed(made if complete else ()):
                getattr(node, 'come_to_rest', lambda: None)()
        finally:
            with shutdown_deadline() if args is None else nullcontext():
                _destroy(made)
    return 0


def _destroy(nodes: Sequence[Node]) -> None:
    """Destroy nodes and shut down their context, also if the end of a node raises."""
    try:
        for node in reversed(nodes):
            node.destroy_node()
    finally:
        rclpy.try_shutdown()


def _spin(nodes: Sequence[Node], stop: SignalGuard) -> None:
    """
    Spin until a signal asks for the end, which only ends the loop.

    An exception in the middle of a callback would stop commands where they are, leave goals
    without a result and, in C++ code of the events executor, abort the process.
    """
    executor = make_executor()
    stop.armed = False
    if threading.current_thread() is threading.main_thread():
        uninstall_signal_handlers()
    for node in nodes:
        executor.add_node(node)
    try:
        # spin() of the events executor in rclpy 7.1 does not always return to its callbacks
        while rclpy.ok() and not stop.requested:
            executor.spin_once(timeout_sec=_LONGEST_WAIT)
    finally:
        executor.shutdown()  # releases its references to the parts of the nodes


@contextmanager
def destroyed_on_error(node: Node) -> Iterator[None]:
    """
    Destroy a node, once the reason is logged, if the ``with`` block in its constructor raises.

    Its DDS threads would run while the library is unloaded, which may crash.
    """
    try:
        yield
    except BaseException:
        if _made:
            _made[-1].append(node)
        else:
            node.destroy_node()
        raise
