# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostic tasks of the node `feedforward`: streams and external wrenches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.pipeline import TorqueStream
from screw_dynamics.nodes.shared.diagnostics import OK, WARN, Report
from screw_dynamics.reference.streamed_reference import Stream

WRENCH_TOPIC = '~/external_wrench'


class StreamReports:
    """Counters of the streams, and the tasks that report them; `now` returns the time [ns]."""

    def __init__(
        self,
        output: Callable[[], TorqueStream | None],
        parameters: Callable[[], FeedforwardParameters],
        now: Callable[[], int],
    ) -> None:
        self._output, self._parameters, self._now = output, parameters, now
        self._accepted: Counter[str] = Counter()
        self._ignored: Counter[str] = Counter()
        self._rejected: Counter[str] = Counter()
        self._last_rejection: dict[str, str] = {}

    def count(self, topic: str, followed: bool = True) -> None:
        """Count a valid message; `followed` is False if a newer command is followed."""
        (self._accepted if followed else self._ignored)[topic] += 1

    def count_rejected(self, topic: str, reason: str) -> None:
        """Count a rejected message."""
        self._rejected[topic] += 1
        self._last_rejection[topic] = reason

    def tasks(self) -> dict[str, Callable[[], Report]]:
        """Return the diagnostic tasks by name."""
        tasks = {stream.value[2:]: self._stream_task(stream) for stream in Stream}
        return {**tasks, WRENCH_TOPIC[2:]: self._wrench}

    def _stream_task(self, stream: Stream) -> Callable[[], Report]:
        return lambda: self._stream(stream)

    def _stream(self, stream: Stream) -> Report:
        topic, output = stream.value, self._output()
        values: dict[str, object] = {
            'accepted': self._accepted[topic],
            'rejected': self._rejected[topic],
            'ignored for a newer command': self._ignored[topic],
        }
        followed = output is not None and output.streamed.followed is stream
        if output is not None and stream is Stream.POSITIONS:
            values['delay of the filter [s]'] = f'{output.streamed.delay:.4f}'
        if output is None or not followed:
            return Report(OK, self._rejection(topic) or 'not followed', values)
        now = self._now()
        age = output.streamed.age(now)
        values['age [s]'] = f'{age:.3f}'
        if output.streamed.stale(now):
            return Report(
                WARN,
                f'stale: no sample for {age:.1f} s, the output has stopped (max_reference_age '
                f'{self._parameters().max_reference_age:g} s)',
                values,
            )
        return Report(OK, self._rejection(topic) or 'followed', values)

    def _wrench(self) -> Report:
        output = self._output()
        values: dict[str, object] = {
            'accepted': self._accepted[WRENCH_TOPIC],
            'ignored': self._rejected[WRENCH_TOPIC],
        }
        if output is None:
            return Report(OK, 'none', values)
        fresh, stale = output.wrenches.by_age(
            self._now(), self._parameters().external_wrench_timeout
        )
        values['in force on'] = ', '.join(fresh)
        if stale:
            return Report(WARN, f'stale, not in force: {", ".join(stale)}', values)
        return Report(
            OK, self._rejection(WRENCH_TOPIC) or ('in force' if fresh else 'none'), values
        )

    def _rejection(self, topic: str) -> str:
        reason = self._last_rejection.get(topic)
        return f'last rejection: {reason}' if reason else ''


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
