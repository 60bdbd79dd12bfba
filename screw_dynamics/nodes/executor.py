# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Spin a node until it is told to stop: choice of executor, signals, exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node

from screw_dynamics.errors import ScrewDynamicsError

_LONGEST_WAIT = 1.0  # s


def run_node(make_node: Callable[[], Node], name: str, args: Sequence[str] | None = None) -> int:
    """
    Make a node and spin it until SIGINT, SIGTERM or the shutdown of the context.

    Parameters
    ----------
    make_node : callable
        Returns the node; raises ScrewDynamicsError if it cannot start.
    name : str
        For the log, until there is a node.
    args : sequence of str, optional
        Command line; default that of the process.

    Returns
    -------
    int
        Exit code: 0 after a stop that was asked for, 1 if the node could not start.

    """
    node = None
    try:
        rclpy.init(args=None if args is None else list(args))
        node = make_node()
        _spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    # what rclpy raises is a RuntimeError, also for a bad command line or parameter file
    except (ScrewDynamicsError, RuntimeError) as error:
        if node is None:
            get_logger(name).fatal(str(error))
            return 1
        if rclpy.ok():
            raise
        # a callback was about to publish when the context went down: the stop was asked for
    finally:
        _tear_down(node)
    return 0


def _tear_down(node: Node | None) -> None:
    """Destroy the node and the context; a second Ctrl-C on the way changes nothing."""
    try:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    except KeyboardInterrupt:
        rclpy.try_shutdown()


def _spin(node: Node) -> None:
    """Spin with the executor that the node's parameter asks for."""
    executor = _events_executor(node)
    if executor is None:
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        executor.spin()
        return
    executor.add_node(node)
    # spin() of the events executor in rclpy 7.1 does not always return to its callbacks
    while rclpy.ok():
        executor.spin_once(timeout_sec=_LONGEST_WAIT)


def _events_executor(node: Node) -> Any:
    """Return an events executor, or None where it is not wanted or does not exist."""
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
