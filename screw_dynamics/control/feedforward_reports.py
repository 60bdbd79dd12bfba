# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports of the core `Feedforward` for /diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screw_dynamics.control.measurements import WRENCH_TOPIC
from screw_dynamics.control.report import ERROR, OK, WARN, Report
from screw_dynamics.trajectory.reference.streamed_reference import Stream

if TYPE_CHECKING:
    from screw_dynamics.control.feedforward import Feedforward


def report(core: Feedforward, task: str, now: int) -> Report:
    """Return the report of a task: a stream, external_wrench, limits or motors."""
    if task == 'limits':
        return _of_limits(core)
    if task == 'motors':
        return Report(OK, 'none') if core.motors is None else core.motors.report()
    if f'~/{task}' == WRENCH_TOPIC:
        return _of_wrenches(core, now)
    return _of_stream(core, Stream(f'~/{task}'), now)


def _of_limits(core: Feedforward) -> Report:
    values = {'state': core.state.value, 'ticks that failed': core.failed}
    if core.failure:
        return Report(ERROR, f'nothing published: {core.failure}', values)
    if core.parameters.limits == 'off':
        return Report(WARN, 'not checked (limits: off)', values)
    reason = core.guard.reason
    if reason:
        return Report(WARN, f'no efforts are published: {reason}', values)
    return Report(OK, 'kept', values)


def _of_stream(core: Feedforward, stream: Stream, now: int) -> Report:
    counts, streamed = core.counts[stream.value], core.streamed
    values: dict[str, object] = {
        'accepted': counts.accepted,
        'rejected': counts.rejected,
        'ignored for a newer command': counts.ignored,
    }
    if stream is Stream.POSITIONS:
        values['delay of the filter [s]'] = f'{streamed.delay:.4f}'
    if streamed.followed is not stream:
        level = WARN if counts.rejected and not counts.accepted else OK
        return Report(level, counts.rejection or 'not followed', values)
    age = streamed.age(now)
    values['age [s]'] = f'{age:.3f}'
    if streamed.stale(now):
        return Report(WARN, f'stale: no sample for {age:.1f} s (input_timeout)', values)
    return Report(OK, counts.rejection or 'followed', values)


def _of_wrenches(core: Feedforward, now: int) -> Report:
    counts = core.counts[WRENCH_TOPIC]
    fresh, stale = core.wrenches.by_age(now, core.parameters.input_timeout)
    values: dict[str, object] = {
        'accepted': counts.accepted,
        'ignored': counts.rejected,
        'in force on': ', '.join(fresh),
    }
    if stale:
        return Report(WARN, f'stale, not in force: {", ".join(stale)}', values)
    return Report(OK, counts.rejection or ('in force' if fresh else 'none'), values)
