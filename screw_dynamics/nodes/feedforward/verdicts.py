# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""``~/trajectory_status``: acceptance or rejection of every trajectory, for its sender."""

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from screw_dynamics.common.times import SECOND
from screw_dynamics.control.outputs import Verdict
from screw_dynamics.control.report import ERROR, OK, WARN, Counts, Report
from screw_dynamics.control.tasks import Header, Summary
from screw_dynamics.nodes.shared.endpoints import FRAME_ID, STATUS_QOS, STATUS_TOPIC
from screw_dynamics.nodes.shared.reason_throttle import ReasonThrottle
from screw_dynamics.nodes.shared.robot_node import status

ACCEPTED = 'accepted'
_SOON = 0.05  # s; an earlier start is not logged
_LATE = 60.0  # s; a later start may be of another clock
_SERVO_COUNT = 4  # consecutive replacements before the end that count as a stream
_SERVO_PERIOD = 60.0  # s between warnings about such a stream


class TrajectoryVerdicts:
    """Logs, counts and publishes the verdicts on trajectories, in order of reception."""

    def __init__(self, node: Node) -> None:
        self._node, self.counts = node, Counts()
        self._accepted: tuple[int, int, int] | None = None  # when; start and end [ns]
        self._publisher = node.create_publisher(DiagnosticStatus, f'~/{STATUS_TOPIC}', STATUS_QOS)
        self._log = ReasonThrottle(node).log  # a line takes half a tick
        self._end = 0  # of the last accepted trajectory [ns]; 0 unless it has one point
        self._cut_short = 0  # consecutive ones that were replaced before their end

    def tell(self, verdict: Verdict, now: int) -> None:
        """Log, count and publish a verdict."""
        if verdict.reason:
            self.counts.reject(verdict.reason)
            self._log('error', f'Trajectory rejected: {verdict.reason}')
            self._publish(Report(ERROR, verdict.reason, _named(verdict.header)))
        else:
            self._accept(verdict, now)

    def _accept(self, verdict: Verdict, now: int) -> None:
        start, end, summary = verdict.start, verdict.end, verdict.header
        assert isinstance(summary, Summary)
        self.counts.accepted += 1
        self._accepted = now, start, end
        wait = (start - now) / SECOND
        self._log(
            'info',
            f'Following a trajectory of {summary.points} points and {(end - start) / SECOND:g} s'
            + (f', which starts in {wait:.1f} s' if wait > _SOON else ''),
        )
        if wait > _LATE:
            self._node.get_logger().warning(
                f'header.stamp: it starts in {wait:.0f} s, and the next one replaces it: is the '
                'stamp of another clock?'
            )
        for warning in verdict.warnings:
            self._node.get_logger().warning(warning)
        values = {**_named(summary), 'start [s]': _text(start), 'end [s]': _text(end)}
        level = WARN if verdict.warnings else OK
        self._publish(Report(level, '; '.join((ACCEPTED, *verdict.warnings)), values))
        self._watch_servo(summary.points, end, now)

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

    def _publish(self, report: Report) -> None:
        self._publisher.publish(status(self._node, 'trajectory', report))

    def _watch_servo(self, points: int, end: int, now: int) -> None:
        """Warn about single points that are replaced before they are reached."""
        self._cut_short = self._cut_short + 1 if now < self._end else 0
        self._end = end if points == 1 else 0
        if self._cut_short >= _SERVO_COUNT:
            self._node.get_logger().warning(
                'Trajectories of one point are replaced before it is reached: each stops there '
                'with acceleration 0, which takes large efforts; such a stream belongs on '
                '~/joint_state_reference (see Troubleshooting in docs/guides.md)',
                throttle_duration_sec=_SERVO_PERIOD,
            )


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
