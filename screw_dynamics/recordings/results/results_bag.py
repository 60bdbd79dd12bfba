# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Writer of results as FeedforwardTorque and MotorFeedforward messages in a bag."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import new_folder
from screw_dynamics.common.progress import progress
from screw_dynamics.common.times import SECOND
from screw_dynamics.recordings.bags.definitions import MessageTypes
from screw_dynamics.recordings.bags.writer import BagWriter
from screw_dynamics.recordings.results.results import EFFORTS, MOTORS, Quantity, Results
from screw_dynamics.recordings.results.results_from_bag import (
    DEVIATION_ENDING,
    FEEDFORWARD,
    MOTOR_FEEDFORWARD,
    ROBOT_DESCRIPTION,
)

TORQUE_TOPIC = '/feedforward/feedforward'
MOTOR_TOPIC = '/feedforward/motor_feedforward'
DESCRIPTION_TOPIC = '/robot_description'

_RATES = ('motor_effort_dot', 'motor_effort_ddot')

_DEFAULT = QosTime(0, 0)
_LATCHED = Qos(
    QosHistory.KEEP_LAST,
    1,
    QosReliability.RELIABLE,
    QosDurability.TRANSIENT_LOCAL,
    deadline=_DEFAULT,
    lifespan=_DEFAULT,
    liveliness=QosLiveliness.SYSTEM_DEFAULT,
    liveliness_lease_duration=_DEFAULT,
    avoid_ros_namespace_conventions=False,
)

# values of `source` in FeedforwardTorque.msg
SOURCE_TRAJECTORY = 1
SOURCE_STREAM = 2

Stamps = NDArray[np.int64]


class Origin(NamedTuple):
    """Stamps and source of the samples of results."""

    stamps: Stamps  # (T,) [ns]
    from_start: Stamps  # (T,), since the start of their trajectory [ns]; 0 without one
    continuity: int  # number of continuous derivatives of the reference
    source: int  # `SOURCE_TRAJECTORY` or `SOURCE_STREAM`


def write_bag(results: Results, path: Path, continuity: int, urdf: str) -> None:
    """Write results and a URDF, if any, to a new bag, with stamps relative to the start."""
    stamps = np.round(results.times * SECOND).astype(np.int64)
    origin = Origin(stamps, stamps, continuity, SOURCE_TRAJECTORY)
    with new_folder(path) as place, BagWriter(place) as writer:
        output = ResultsWriter(writer)
        output.write_description(urdf, int(stamps[0]))
        output.write(results, origin)


class ResultsWriter:
    """Writer of results to an open bag; deviations go to topics with `DEVIATION_ENDING`."""

    def __init__(
        self, writer: BagWriter, torque_topic: str = TORQUE_TOPIC, motor_topic: str = MOTOR_TOPIC
    ) -> None:
        self._writer = writer
        self._types = MessageTypes()
        self._torque_topic, self._motor_topic = torque_topic, motor_topic
        self._topics: set[str] = set()

    def write_description(self, urdf: str, stamp: int) -> None:
        """Write a robot description, latched, if the text is not empty."""
        if urdf:
            definition = self._types.definition(ROBOT_DESCRIPTION)
            self._writer.add_topic(DESCRIPTION_TOPIC, ROBOT_DESCRIPTION, definition, (_LATCHED,))
            message = self._types[ROBOT_DESCRIPTION](data=urdf)
            self._writer.write(DESCRIPTION_TOPIC, stamp, self._types.serialize(message))

    def write(self, results: Results, origin: Origin) -> None:
        """Write one message of each kind per sample."""
        efforts, uncertain, motors = results.effort_jet, results.effort_deviations, results.motors
        kinds = [(self._torque_topic, self._torque, results.joint_jet, efforts)]
        if results.joint_deviations is not None and uncertain is not None:
            topic = self._torque_topic + DEVIATION_ENDING
            kinds.append((topic, self._torque, results.joint_deviations, uncertain))
        if motors is not None:
            transmitted = efforts if motors.transmitted is None else motors.transmitted
            kinds.append((self._motor_topic, self._motors, motors.values, transmitted))
            if motors.deviations is not None and uncertain is not None:
                topic = self._motor_topic + DEVIATION_ENDING
                kinds.append((topic, self._motors, motors.deviations, uncertain))
        for topic, make, *_ in kinds:
            self._add(topic, MOTOR_FEEDFORWARD if make == self._motors else FEEDFORWARD)
        for i in progress(range(len(results.times)), 'writing messages', unit='sample'):
            stamp = int(origin.stamps[i])
            for topic, make, values, effort_jet in kinds:
                message = make(results, origin, i, values, effort_jet)
                self._writer.write(topic, stamp, self._types.serialize(message))

    def _add(self, topic: str, type_name: str) -> None:
        if topic not in self._topics:
            self._writer.add_topic(topic, type_name, self._types.definition(type_name))
            self._topics.add(topic)

    def _torque(
        self, results: Results, origin: Origin, i: int, values: Array, effort_jet: Array
    ) -> Any:
        motion = _padded(values[i], 5)
        point = self._types['trajectory_msgs/msg/JointTrajectoryPoint'](
            positions=motion[0],
            velocities=motion[1],
            accelerations=motion[2],
            effort=np.empty(0),
            time_from_start=self._time('Duration', int(origin.from_start[i])),
        )
        return self._types[FEEDFORWARD](
            header=self._header(int(origin.stamps[i])),
            joint_names=list(results.joint_names),
            **_fields(EFFORTS, _padded(effort_jet[i], 3)),
            reference=point,
            reference_jerk=motion[3],
            reference_snap=motion[4],
            reference_continuity=origin.continuity,
            source=origin.source,
            gravity_effort=np.empty(0),
            motion=0,
        )

    def _motors(
        self, results: Results, origin: Origin, i: int, values: Array, effort_jet: Array
    ) -> Any:
        motors = results.motors
        assert motors is not None
        rates = np.empty((0, 0))
        if motors.effort_rates is not None and values is motors.values:
            rates = motors.effort_rates[i]
        return self._types[MOTOR_FEEDFORWARD](
            header=self._header(int(origin.stamps[i])),
            joint_names=list(results.joint_names),
            **_fields(EFFORTS, _padded(effort_jet[i], 3)),
            motor_names=list(motors.names),
            gear_ratio=motors.gear_ratios,
            **_fields(MOTORS, values[i]),
            **dict(zip(_RATES, _padded(rates, 2), strict=True)),
            reference_continuity=origin.continuity,
            source=origin.source,
            motion=0,
        )

    def _header(self, stamp: int) -> Any:
        return self._types['std_msgs/msg/Header'](stamp=self._time('Time', stamp), frame_id='')

    def _time(self, name: str, time: int) -> Any:
        sec, nanosec = divmod(time, SECOND)
        return self._types[f'builtin_interfaces/msg/{name}'](sec=sec, nanosec=nanosec)


def _fields(quantities: Iterable[Quantity], rows: Iterable[Array]) -> dict[str, Array]:
    return {quantity.name: row for quantity, row in zip(quantities, rows, strict=True)}


def _padded(rows: Array, count: int) -> list[Array]:
    """Return the rows of a jet, padded with empty rows to `count`."""
    return [np.ascontiguousarray(row) for row in rows] + [np.empty(0)] * (count - len(rows))
