# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Verdicts`: what the senders of trajectories, the log and the reports are told of each."""

from screw_dynamics.common.times import SECOND
from screw_dynamics.control.outputs import Verdict
from screw_dynamics.control.report import ERROR, FRAME_ID, OK, WARN, Counts, Line, Report
from screw_dynamics.control.tasks import Header, Summary

ACCEPTED = 'accepted'
_SEEN = 'verdict'  # key of lines that may come with every message
_SOON = 0.05  # s; an earlier start is not logged
_LATE = 60.0  # s; a later start may be of another clock
_SERVO_COUNT = 4  # consecutive replacements before the end that count as a stream
_SERVO_PERIOD = 60 * SECOND  # between warnings about such a stream
_SERVO = (
    'Trajectories of one point are replaced before it is reached: each stops there with '
    'acceleration 0, which takes large efforts; such a stream belongs on ~/joint_state_reference '
    '(see Troubleshooting in docs/guides.md)'
)


class Verdicts:
    """Counts verdicts on trajectories, in order of reception, and puts them into words."""

    def __init__(self) -> None:
        self.counts = Counts()
        self._accepted: tuple[int, int, int] | None = None  # when; start and end [ns]
        self._end = 0  # of the last accepted trajectory [ns]; 0 unless it has one point
        self._cut_short = 0  # consecutive ones that were replaced before their end
        self._warned = -_SERVO_PERIOD  # of a stream [ns]

    def tell(self, verdict: Verdict, now: int) -> tuple[Report, list[Line]]:
        """Count a verdict; return the status for its sender, and lines for the log."""
        if verdict.reason:
            self.counts.reject(verdict.reason)
            line = Line('error', f'Trajectory rejected: {verdict.reason}', _SEEN)
            return Report(ERROR, verdict.reason, _named(verdict.header)), [line]
        start, end, summary = verdict.start, verdict.end, verdict.header
        assert isinstance(summary, Summary)
        self.counts.accepted += 1
        self._accepted = now, start, end
        wait = (start - now) / SECOND
        later = f', which starts in {wait:.1f} s' if wait > _SOON else ''
        text = (
            f'Following a trajectory of {summary.points} points and {(end - start) / SECOND:g} s'
        )
        warnings = list(verdict.warnings)
        if wait > _LATE:
            warnings.insert(
                0,
                f'header.stamp: it starts in {wait:.0f} s, and the next one replaces it: is the '
                'stamp of another clock?',
            )
        if self._is_servo(summary.points, end, now):
            warnings.append(_SERVO)
        values = {**_named(summary), 'start [s]': _text(start), 'end [s]': _text(end)}
        level = WARN if verdict.warnings else OK
        report = Report(level, '; '.join((ACCEPTED, *verdict.warnings)), values)
        return report, [
            Line('info', text + later, _SEEN),
            *(Line('warning', warning) for warning in warnings),
        ]

    def report(self, now: int) -> Report:
        """Return the report for /diagnostics."""
        counts, age = self.counts, 'never'
        times = {}
        if self._accepted is not None:
            at, start, end = (instant / SECOND for instant in self._accepted)
            age = f'{now / SECOND - at:.3f}'
            times = {'start [s]': f'{start:.3f}', 'end [s]': f'{end:.3f}'}
        values = {'accepted': counts.accepted, 'rejected': counts.rejected, 'age [s]': age}
        return Report(OK, counts.rejection or 'ok', {**values, **times})

    def _is_servo(self, points: int, end: int, now: int) -> bool:
        """Return True, at times, for single points that are replaced before they are reached."""
        self._cut_short = self._cut_short + 1 if now < self._end else 0
        self._end = end if points == 1 else 0
        due = self._cut_short >= _SERVO_COUNT and now - self._warned >= _SERVO_PERIOD
        if due:
            self._warned = now
        return due


def _named(header: Header | None) -> dict[str, object]:
    """Return the values by which a sender identifies its trajectory."""
    if header is None:
        return {}
    named = {FRAME_ID: header.frame_id, 'header.stamp [s]': _text(header.stamp)}
    return {**named, 'points': header.points} if isinstance(header, Summary) else {**named}


def _text(instant: int) -> str:
    """Return an instant in seconds, to the nanosecond."""
    whole, rest = divmod(instant, SECOND)
    return f'{whole}.{rest:09d}'
