# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Diagnostics`: periodic DiagnosticArray on /diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


class Report(NamedTuple):
    """Report of one task; `level` is OK, WARN or ERROR, `values` are printed with str()."""

    level: bytes
    message: str
    values: Mapping[str, object] = {}


class Diagnostics:
    """Publishes the reports of all tasks every `period` [s], like diagnostic_updater."""

    def __init__(
        self, node: Node, tasks: Mapping[str, Callable[[], Report]], period: float
    ) -> None:
        self._node, self._tasks = node, tasks
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 1)
        self._clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(period, self.publish, clock=self._clock)

    def set_period(self, period: float) -> None:
        """Change the period [s]."""
        self._node.destroy_timer(self._timer)
        self._timer = self._node.create_timer(period, self.publish, clock=self._clock)

    def publish(self) -> None:
        """Publish the reports of all tasks."""
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        node_name = self._node.get_fully_qualified_name().lstrip('/')
        for name, task in self._tasks.items():
            report = task()
            message.status.append(
                DiagnosticStatus(
                    level=report.level,
                    name=f'{node_name}: {name}',
                    message=report.message,
                    hardware_id='none',
                    values=[
                        KeyValue(key=key, value=str(value)) for key, value in report.values.items()
                    ],
                )
            )
        self._publisher.publish(message)
