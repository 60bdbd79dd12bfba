# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostic tasks of the node `feedforward`: limits and motor commands."""

from __future__ import annotations

from collections.abc import Callable

from screw_dynamics.nodes.outputs.torque_stream import TorqueStream
from screw_dynamics.nodes.parameters.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.running.diagnostics import OK, Report

_NOT_CONFIGURED = Report(OK, 'not configured')


class OutputReports:
    """Tasks that report on limits and motor commands."""

    def __init__(
        self,
        output: Callable[[], TorqueStream | None],
        parameters: Callable[[], FeedforwardParameters],
    ) -> None:
        self._output, self._parameters = output, parameters

    def tasks(self) -> dict[str, Callable[[], Report]]:
        """Return the diagnostic tasks by name; 'motors' only with elastic joints."""
        tasks = {'limits': self._limits}
        if self._parameters().elastic_joints_path:
            tasks['motors'] = self._motors
        return tasks

    def _limits(self) -> Report:
        if self._parameters().check_limits == 'off':
            return Report(OK, 'not checked')
        output = self._output()
        return _NOT_CONFIGURED if output is None else output.limits.report()

    def _motors(self) -> Report:
        output = self._output()
        motors = None if output is None else output.motors
        return _NOT_CONFIGURED if motors is None else motors.report()
