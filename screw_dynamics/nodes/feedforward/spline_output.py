# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""``~/spline``: the followed motion as polynomials, for a controller that samples it itself."""

import time
from typing import Any

from rclpy.node import Node

from screw_dynamics.common.times import SECOND, set_stamp
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.nodes.shared.endpoints import (
    LATCHED,
    await_delivery,
    make_publisher,
    steady_timer,
)
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics.trajectory import Waypoints
from screw_dynamics.trajectory.reference.reference import Reference
from screw_dynamics.trajectory.reference.timeline import LATEST, Timeline, intervals
from screw_dynamics_interfaces.msg import JointSpline, SplinePiece

TOPIC = '~/spline'
_REST = 4.0  # times the processor time of a message, until the next one is sent
_LOOK_PERIOD = 0.002  # s between looks whether that has passed


class SplineOutput:
    """
    Publishes what a reference follows whenever that changes, complete each time.

    Messages are made in callbacks of their own; a tick only calls `watch`.
    """

    def __init__(
        self,
        node: Node,
        reference: Reference,
        names: tuple[str, ...],
        values: FeedforwardParameters,
    ) -> None:
        self._node, self._names, self._values = node, list(names), values
        self._reference, self._timeline = reference, Timeline(reference)
        self._stopped: Waypoints | None = None
        self._due = False
        self._since: int | None = None  # instant from which a change applies [ns]
        self._free = 0.0  # monotonic time from which the next message may be sent [s]
        self._sent = self._late = self._pieces = 0
        self._longest = 0.0  # s that a message was late
        self._publisher = make_publisher(node, JointSpline, TOPIC, LATCHED)
        self._timer = steady_timer(node, _LOOK_PERIOD, self._look)
        self._timer.cancel()
        reference.on_change = self._change

    def apply(self, values: FeedforwardParameters) -> None:
        """Apply changed parameters."""
        old, self._values = self._values, values
        if old.hold_time != values.hold_time:
            self._request()

    def watch(self, stopped: Waypoints | None) -> None:
        """Set the points of the motion whose output is stopped, at every tick; None if none is."""
        if stopped is not self._stopped:
            self._stopped = stopped
            self._request()

    def _change(self, since: int) -> None:
        """Register a change of the reference, of which nothing has been sampled yet."""
        self._timeline.update(since)
        self._since = since if self._since is None else min(since, self._since)
        self._request()

    def _request(self) -> None:
        """Send a message in the next callback of the node."""
        if self._due:
            return
        self._due = True
        self._timer.reset()

    def _look(self) -> None:
        """Send what is due, but leave most of the time to the ticks: long messages take longer."""
        if not self._due:
            return
        if time.monotonic() < self._free:
            self._timer.reset()
            return
        self._timer.cancel()
        self.send()

    def send(self) -> None:
        """Publish what is followed."""
        started = time.thread_time()
        now = self._node.get_clock().now().nanoseconds
        self._due = False
        self._publisher.publish(self.message(now))
        self._sent += 1
        self._count_late(self._node.get_clock().now().nanoseconds)
        self._free = time.monotonic() + _REST * (time.thread_time() - started)

    def message(self, now: int) -> Any:
        """Return the message of what is followed at an instant [ns], and later."""
        message = JointSpline(joint_names=self._names)
        set_stamp(message.header.stamp, now)
        pieces = self._timeline.pieces(now, self._stopped)
        self._pieces = len(pieces)
        for piece, since, until in intervals(pieces, now):
            breaks, coefficients, end = piece.polynomials(since, until)
            part = SplinePiece(
                time=piece.time_at(piece.begin),
                speed=piece.speed,
                breaks=double_array(breaks),
                coefficients=double_array(coefficients),
                end=double_array(end),
                motion=piece.number,
                continues=piece.motion.continues,
            )
            set_stamp(part.begin, piece.begin)
            set_stamp(part.release, self._release(piece.ended))
            message.pieces.append(part)
        return message

    def _release(self, ended: int | None) -> int:
        """Return the instant until which an end is held that is reached at `ended` [ns], or 0."""
        held = self._values.hold_time
        release = (ended or LATEST) + round(SECOND * max(held, 0.0))
        return 0 if held < 0.0 or release >= LATEST else release

    def _count_late(self, now: int) -> None:
        """Count a message whose change applies already; the controller has done otherwise."""
        since, self._since = self._since, None
        # what is cleared ends at once; a controller's spline begins at its reception
        if not since or self._values.interpolation == 'jtc' or now <= since:
            return
        self._late += 1
        late = (now - since) / SECOND
        self._longest = max(self._longest, late)
        self._node.get_logger().warning(
            f'{TOPIC}: sent {1e3 * late:.1f} ms after a change of the motion: expected before it, '
            f"raise the parameter 'lead_time' ({self._values.lead:g} s)",
            throttle_duration_sec=10.0,
        )

    def report(self) -> Report:
        """Return the report for /diagnostics; WARN once messages were late."""
        values = {
            'messages': self._sent,
            'pieces': self._pieces,
            'late messages': self._late,
            'longest lateness [ms]': f'{1e3 * self._longest:.1f}',
        }
        if self._late:
            return Report(WARN, 'messages were sent after the change (lead_time)', values)
        return Report(OK, 'ok', values)

    def destroy(self, latest: float) -> None:
        """Drop what is followed, and wait until a monotonic time [s] for its receivers."""
        self._reference.clear()
        if self._due and self._node.context.ok():
            self.send()
            await_delivery(self._publisher, latest)
        self._node.destroy_timer(self._timer)
