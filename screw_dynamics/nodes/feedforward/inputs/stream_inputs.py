# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`StreamInputs`: topics with streamed references, wrenches and motor states, and their checks."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from numpy.typing import NDArray
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from screw_dynamics.arrays import Array
from screw_dynamics.control.limit_checks import check_positions
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.messages.joints import joint_order
from screw_dynamics.messages.times import instant_of
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.feedforward.context import FeedforwardContext
from screw_dynamics.nodes.feedforward.diagnostics import MOTOR_TOPIC, WRENCH_TOPIC, StreamReports
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.endpoints import make_subscription
from screw_dynamics.reference.streamed_reference import Stream
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.waypoint_checks import LARGEST

_FIELDS = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps')
_REQUIRED = 3  # efforts require accelerations


class StreamReader:
    """Reads JointReference and JointState messages; joints are found by name."""

    def __init__(self, model: ScrewModel, other_joints: Mapping[str, str]) -> None:
        self._names, self._other_joints = model.joint_names, other_joints
        self._read_names: list[str] = []
        self._order: NDArray[np.intp] = np.empty(0, dtype=np.intp)

    def jet(self, message: Any) -> tuple[Array, int]:
        """Return the joint jet (5, n) of a JointReference and its number of known rows, 3 to 5."""
        names = list(message.joint_names)
        if names != self._read_names or not names:
            self._order = self._order_of(names)
            self._read_names = names
        jet = np.zeros((JET_ROWS, len(self._names)))
        rows = 0
        for row, field in zip(jet, _FIELDS, strict=True):
            values = getattr(message, field)
            if not len(values) and rows >= _REQUIRED:
                break  # higher derivatives are not usable without it
            row[:] = self._row(field, values)
            rows += 1
        return jet, rows

    def _order_of(self, names: list[str]) -> NDArray[np.intp]:
        if not names:
            raise InputError(
                f'joint_names: expected all {len(self._names)} joints '
                f'({", ".join(self._names)}), got none'
            )
        for i, name in enumerate(names):
            if name in self._other_joints:
                raise InputError(
                    f'joint_names[{i}]: joint {name!r} is {self._other_joints[name]}, expected '
                    f'one of {", ".join(self._names)}'
                )
        return joint_order(names, self._names)

    def _row(self, field: str, values: Sequence[float]) -> Array:
        n = len(self._names)
        if len(values) != n:
            more = ''
            if not len(values) and field != 'positions':
                more = ' (a stream of positions alone belongs on ~/joint_state_reference)'
            raise InputError(
                f'{field}: expected {n} values, one per joint name, got {len(values)}{more}'
            )
        row: Array = np.array(values, dtype=np.float64)[self._order]
        self._require_finite(field, row)
        return row

    def positions(self, message: Any) -> Array:
        """Return the positions (n,) of all joints from a JointState, or raise InputError."""
        count = len(message.name)
        if len(message.position) != count:
            raise InputError(
                f'position: expected {count} values, one per name, got {len(message.position)}'
            )
        places = {name: i for i, name in enumerate(message.name)}
        if len(places) != count:
            twice = next(n for i, n in enumerate(message.name) if places[n] != i)
            raise InputError(f'name: joint {twice!r} is named twice')
        missing = [name for name in self._names if name not in places]
        if missing:
            raise InputError(
                f'name: expected all {len(self._names)} joints ({", ".join(self._names)}), '
                f'missing: {", ".join(missing)}'
            )
        positions = np.array([message.position[places[name]] for name in self._names])
        self._require_finite('position', positions)
        return positions

    def _require_finite(self, field: str, row: Array) -> None:
        for name, value in zip(self._names, row.tolist(), strict=True):
            if not abs(value) <= LARGEST:  # also True for NaN
                expected = 'a finite number'
                if np.isfinite(value):
                    expected = f'at most {LARGEST:g} in size'
                raise InputError(f'{field} of joint {name}: expected {expected}, got {value}')


class StreamInputs:
    """Subscribes to the streams; counts samples, and logs the rejected ones with the reason."""

    def __init__(self, context: FeedforwardContext, reports: StreamReports) -> None:
        self._context, self._node, self._reports = context, context.node, reports
        self._throttle = ReasonThrottle()
        self._model: ScrewModel | None = None
        topics: list[tuple[Any, str, Callable[[Any], None]]] = [
            (JointState, Stream.POSITIONS.value, self._on_positions),
            (WrenchStamped, WRENCH_TOPIC, self._on_wrench),
        ]
        if interfaces.msg is not None:
            topics.append((interfaces.msg.JointReference, Stream.SAMPLES.value, self._on_sample))
        if context.parameters.elastic_joints_path:
            topics.append((JointState, MOTOR_TOPIC, self._on_motors))
        self._subscriptions = [
            # best effort: matches every publisher, and lost samples are not resent
            make_subscription(context.node, kind, topic, callback, qos_profile_sensor_data)
            for kind, topic, callback in topics
        ]

    def _reader_of(self, model: ScrewModel) -> StreamReader:
        if model is not self._model:
            self._model = model
            self._reader = StreamReader(model, self._context.uncontrolled_joints)
        return self._reader

    def destroy(self) -> None:
        """Destroy the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _reject(self, topic: str, error: ScrewDynamicsError) -> None:
        self._reports.count_rejected(topic, str(error))
        if self._throttle.due(text := f'{topic} rejected: {error}'):
            self._node.get_logger().error(text)

    def _log_warning(self, text: str) -> None:
        if self._throttle.due(text):
            self._node.get_logger().warning(text)

    def _on_sample(self, message: Any) -> None:
        topic, logger = Stream.SAMPLES.value, self._node.get_logger()
        values = self._context.parameters
        try:
            now, pipeline = self._context.stream_time(), self._context.configured
            jet, rows = self._reader_of(pipeline.model).jet(message)
            warning = check_positions(pipeline.model, jet[0], values.check_limits)
            instant = instant_of(message, now, values.max_reference_age)
            followed = pipeline.streamed.add_sample(jet, rows, instant, now)
        except ScrewDynamicsError as error:
            self._reject(topic, error)
            return
        self._reports.count(topic, followed)
        if warning:
            self._log_warning(f'{topic}: {warning}')
        if rows == 3 and values.derivative_order > 0:
            logger.warning(
                f'{topic} carries no jerks: effort_dot and effort_ddot are left empty', once=True
            )
        elif rows == 4 and values.derivative_order > 1:
            logger.warning(f'{topic} carries no snaps: effort_ddot is left empty', once=True)

    def _on_positions(self, message: JointState) -> None:
        topic = Stream.POSITIONS.value
        values = self._context.parameters
        try:
            now, pipeline = self._context.stream_time(), self._context.configured
            positions = self._reader_of(pipeline.model).positions(message)
            warning = check_positions(pipeline.model, positions, values.check_limits)
            instant_of(message, now, values.max_reference_age)
            followed = pipeline.followed.add_positions(positions, now)
        except ScrewDynamicsError as error:
            self._reject(topic, error)
            return
        self._reports.count(topic, followed)
        if warning:
            self._log_warning(f'{topic}: {warning}')

    def _on_wrench(self, message: WrenchStamped) -> None:
        try:
            timeout = self._context.parameters.external_wrench_timeout
            self._context.configured.wrenches.add(message, self._context.active_time(), timeout)
        except InputError as error:
            self._reports.count_rejected(WRENCH_TOPIC, str(error))
            self._log_warning(f'{WRENCH_TOPIC} ignored: {error}')
            return
        self._reports.count(WRENCH_TOPIC)

    def _on_motors(self, message: JointState) -> None:
        motors = self._context.configured.motors
        if motors is None or motors.feedback is None:
            return
        try:
            motors.feedback.receive(message, self._context.now())
        except InputError as error:
            self._reports.count_rejected(MOTOR_TOPIC, str(error))
            self._log_warning(f'{MOTOR_TOPIC} ignored: {error}')


_PERIOD = 1.0  # s
_MOST_REASONS = 20  # at a time; further reasons are not logged
_NUMBER = re.compile(r'[-+]?\d+(\.\d+)?(e[-+]?\d+)?')


class ReasonThrottle:
    """Stores when each reason was logged; texts that differ only in numbers are one reason."""

    def __init__(self) -> None:
        self._logged: dict[str, float] = {}  # by reason [s]

    def due(self, text: str) -> bool:
        """Return True if a text should be logged now, and register it as logged."""
        now = time.monotonic()
        self._logged = {
            reason: then for reason, then in self._logged.items() if now - then < _PERIOD
        }
        reason = _NUMBER.sub('#', text)
        if reason in self._logged or len(self._logged) >= _MOST_REASONS:
            return False
        self._logged[reason] = now
        return True
