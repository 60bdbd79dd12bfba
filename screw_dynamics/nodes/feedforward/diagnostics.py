# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostic tasks of the node `feedforward`."""

import time
from collections import Counter
from collections.abc import Callable
from functools import partial

from screw_dynamics.control.report import ERROR, OK, WARN, Report
from screw_dynamics.nodes.feedforward.context import FeedforwardContext
from screw_dynamics.nodes.feedforward.tick_cost import MissedTicks
from screw_dynamics.nodes.shared.diagnostics import model_report
from screw_dynamics.nodes.shared.model_source import ModelSource
from screw_dynamics.nodes.shared.tick_timer import TickTimer
from screw_dynamics.reference.streamed_reference import Stream

_REPORTED_PART = 0.01  # fraction of missed ticks above which a warning is reported


class FeedforwardReports:
    """Counters of the node, and the tasks that report them."""

    def __init__(
        self, source: ModelSource, ticks: TickTimer, warn: Callable[[str], object]
    ) -> None:
        self._source, self._ticks = source, ticks
        self._missed = MissedTicks(warn)
        self._accepted = self._rejected = self._not_finite = 0
        self._last_accepted: float | None = None
        self._span = (0.0, 0.0)  # its start and end [s]
        self._last_rejection = ''
        self._not_finite_reported = 0
        self._last_not_finite = ''

    def count_accepted(self, start: float, end: float) -> None:
        """Count an accepted trajectory with its start and end on the clock of the node [s]."""
        self._accepted += 1
        self._last_accepted = time.monotonic()
        self._span = start, end

    def count_rejected(self, reason: str) -> None:
        """Count a rejected trajectory."""
        self._rejected += 1
        self._last_rejection = reason

    def count_not_finite(self, reason: str) -> None:
        """Count a tick without output because a sample was not finite."""
        self._not_finite += 1
        self._last_not_finite = reason

    def tasks(self) -> dict[str, Callable[[], Report]]:
        """Return the diagnostic tasks by name."""
        return {
            'model': lambda: model_report(self._source),
            'trajectory': self._trajectory,
            'rate': self._rate,
        }

    def _trajectory(self) -> Report:
        age = (
            'never' if self._last_accepted is None
            else f'{time.monotonic() - self._last_accepted:.3f}'
        )  # fmt: skip
        message = f'last rejection: {self._last_rejection}' if self._rejected else 'ok'
        values = {'accepted': self._accepted, 'rejected': self._rejected, 'age [s]': age}
        if self._last_accepted is not None:
            start, end = self._span
            values |= {'start [s]': f'{start:.3f}', 'end [s]': f'{end:.3f}'}
        return Report(OK, message, values)

    def _rate(self) -> Report:
        statistics = self._ticks.statistics
        summary = statistics.summary()
        values = {
            'rate [Hz]': f'{summary.rate:.1f}',
            'wanted rate [Hz]': f'{1e9 / statistics.period:.1f}',
            'missed ticks': summary.missed,
            'missed ticks in all': statistics.missed_total,
            'ticks in all': statistics.ticks_total,
            'mean compute time [us]': f'{1e6 * summary.mean_time:.1f}',
            'longest compute time [us]': f'{1e6 * summary.longest_time:.1f}',
            'samples not finite': self._not_finite,
        }
        if self._not_finite > self._not_finite_reported:
            self._not_finite_reported = self._not_finite
            return Report(ERROR, self._last_not_finite, values)
        self._missed.add(summary, statistics.period)
        if not summary.ticks:
            return Report(OK, 'not active', values)
        if summary.missed_part > _REPORTED_PART:
            return Report(WARN, f'{100.0 * summary.missed_part:.1f} % of the ticks missed', values)
        return Report(OK, 'ok', values)


WRENCH_TOPIC = '~/external_wrench'
MOTOR_TOPIC = '~/motor_states'


class StreamReports:
    """Counters of the streams, and the tasks that report them."""

    def __init__(self, context: FeedforwardContext) -> None:
        self._context = context
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
        tasks: dict[str, Callable[[], Report]] = {
            stream.value[2:]: partial(self._stream, stream) for stream in Stream
        }
        if self._context.parameters.elastic_joints_path:
            tasks['feedback'] = self._feedback
        return {**tasks, WRENCH_TOPIC[2:]: self._wrench}

    def _stream(self, stream: Stream) -> Report:
        topic, pipeline = stream.value, self._context.pipeline
        values: dict[str, object] = {
            'accepted': self._accepted[topic],
            'rejected': self._rejected[topic],
            'ignored for a newer command': self._ignored[topic],
        }
        followed = pipeline is not None and pipeline.streamed.followed is stream
        if pipeline is not None and stream is Stream.POSITIONS:
            values['delay of the filter [s]'] = f'{pipeline.streamed.delay:.4f}'
        if pipeline is None or not followed:
            return Report(OK, self._rejection(topic) or 'not followed', values)
        now = self._context.now()
        age = pipeline.streamed.age(now)
        values['age [s]'] = f'{age:.3f}'
        if pipeline.streamed.stale(now):
            return Report(
                WARN,
                f'stale: no sample for {age:.1f} s, the output has stopped (max_reference_age '
                f'{self._context.parameters.max_reference_age:g} s)',
                values,
            )
        return Report(OK, self._rejection(topic) or 'followed', values)

    def _wrench(self) -> Report:
        pipeline = self._context.pipeline
        values: dict[str, object] = {
            'accepted': self._accepted[WRENCH_TOPIC],
            'ignored': self._rejected[WRENCH_TOPIC],
        }
        if pipeline is None:
            return Report(OK, 'none', values)
        fresh, stale = pipeline.wrenches.by_age(
            self._context.now(), self._context.parameters.external_wrench_timeout
        )
        values['in force on'] = ', '.join(fresh)
        if stale:
            return Report(WARN, f'stale, not in force: {", ".join(stale)}', values)
        return Report(
            OK, self._rejection(WRENCH_TOPIC) or ('in force' if fresh else 'none'), values
        )

    def _feedback(self) -> Report:
        pipeline = self._context.pipeline
        if pipeline is None or pipeline.motors is None:
            return _NOT_CONFIGURED
        feedback = pipeline.motors.feedback
        if feedback is None:
            wanted = self._context.parameters.has_feedback
            return Report(WARN, 'publish_commands is false') if wanted else Report(OK, 'off')
        level, message, values = feedback.report()
        if level == OK and feedback.on:
            message = self._rejection(MOTOR_TOPIC) or message
        return Report(level, message, {**values, 'ignored': self._rejected[MOTOR_TOPIC]})

    def _rejection(self, topic: str) -> str:
        reason = self._last_rejection.get(topic)
        return f'last rejection: {reason}' if reason else ''


_NOT_CONFIGURED = Report(OK, 'not configured')


class OutputReports:
    """Tasks that report on limits and motor commands."""

    def __init__(self, context: FeedforwardContext) -> None:
        self._context = context

    def tasks(self) -> dict[str, Callable[[], Report]]:
        """Return the diagnostic tasks by name, those of outputs only if there are these."""
        tasks = {'limits': self._limits, 'guard': self._guard}
        if 'position' in self._context.parameters.command_fields:
            tasks['commands'] = self._commands
        if self._context.parameters.elastic_joints_path:
            tasks['motors'] = self._motors
        if self._context.parameters.publish_spline:
            tasks['spline'] = self._spline
        return tasks

    def _spline(self) -> Report:
        pipeline = self._context.pipeline
        spline = None if pipeline is None else pipeline.spline
        return _NOT_CONFIGURED if spline is None else spline.report()

    def _commands(self) -> Report:
        pipeline = self._context.pipeline
        commands = None if pipeline is None else pipeline.commands
        return Report(OK, 'none') if commands is None else commands.report()

    def _limits(self) -> Report:
        if self._context.parameters.check_limits == 'off':
            return Report(OK, 'not checked')
        pipeline = self._context.pipeline
        return _NOT_CONFIGURED if pipeline is None else pipeline.limits.report()

    def _guard(self) -> Report:
        if self._context.parameters.output_guard == 'off':
            return Report(OK, 'off')
        pipeline = self._context.pipeline
        if pipeline is None:
            return _NOT_CONFIGURED
        reason = pipeline.guard.reason
        return Report(WARN, f'no efforts are published: {reason}') if reason else Report(OK, 'ok')

    def _motors(self) -> Report:
        pipeline = self._context.pipeline
        motors = None if pipeline is None else pipeline.motors
        return _NOT_CONFIGURED if motors is None else motors.report()
