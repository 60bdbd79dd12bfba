# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Writer of results as FeedforwardTorque and MotorFeedforward messages in a bag."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
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
from screw_dynamics.common.quantities import EFFORTS, MOTORS, Quantity
from screw_dynamics.common.times import SECOND
from screw_dynamics.dynamics import frame_pose
from screw_dynamics.model import RobotModel
from screw_dynamics.model.robot_model import frames_of
from screw_dynamics.recordings.bags.definitions import MessageTypes
from screw_dynamics.recordings.bags.writer import BagWriter
from screw_dynamics.recordings.messages.feedforward import Course
from screw_dynamics.recordings.results.results import Origin, Results
from screw_dynamics.recordings.results.results_from_bag import (
    DEVIATION_ENDING,
    FEEDFORWARD,
    JOINT_STATE,
    MOTOR_FEEDFORWARD,
    ROBOT_DESCRIPTION,
)
from screw_dynamics.trajectory.reference.reference import Source

TORQUE_TOPIC = '/feedforward/feedforward'
MOTOR_TOPIC = '/feedforward/motor_feedforward'
DESCRIPTION_TOPIC = '/robot_description'
STATE_TOPIC = '/joint_states'
TRANSFORM_TOPIC = '/tf'
_MOVES = 'tf2_msgs/msg/TFMessage'
_PARTS, _WHOLES = ('Vector3', 'Quaternion'), ('Transform', 'TransformStamped')

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

# fields that tell of one motion without jumps and end
_FOLLOWS = {'motion': 0, 'jumps': 0, 'state': int(Course.FOLLOWS), 'reason': ''}


def write_bag(results: Results, path: Path, continuity: int, urdf: str, model: RobotModel) -> None:
    """
    Write results to a new bag, with stamps relative to the start.

    Beside them are what viewers of robots read: the URDF, if any, joint states and transforms.
    """
    stamps = np.round(results.times * SECOND).astype(np.int64)
    origin = Origin(stamps, stamps, continuity, Source.TRAJECTORY)
    with new_folder(path) as place, BagWriter(place) as writer:
        output = ResultsWriter(writer)
        output.write_description(urdf, int(stamps[0]))
        output.write(results, origin, model)


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

    def write(self, results: Results, origin: Origin, model: RobotModel | None = None) -> None:
        """Write one message of each kind per sample; with a model states and transforms too."""
        efforts, uncertain, motors = results.effort_jet, results.effort_deviations, results.motors
        kinds: list[tuple[str, str, Callable[..., Any], Array, Array]] = [
            (self._torque_topic, FEEDFORWARD, self._torque, results.joint_jet, efforts)
        ]
        if model is not None:
            kinds.append((STATE_TOPIC, JOINT_STATE, self._state, results.joint_jet, efforts))
            if frames := tuple(frames_of(model)):
                moves = partial(self._transforms, frames, model.base_link)
                placed = _transforms(model, frames, results.joint_jet[:, 0])
                kinds.append((TRANSFORM_TOPIC, _MOVES, moves, *placed))
        if results.joint_deviations is not None and uncertain is not None:
            topic = self._torque_topic + DEVIATION_ENDING
            spread = results.joint_deviations
            kinds.append((topic, FEEDFORWARD, self._torque, spread, uncertain))
        if motors is not None:
            topic, kind = self._motor_topic, MOTOR_FEEDFORWARD
            transmitted = efforts if motors.transmitted is None else motors.transmitted
            kinds.append((topic, kind, self._motors, motors.values, transmitted))
            if motors.deviations is not None and uncertain is not None:
                topic += DEVIATION_ENDING
                kinds.append((topic, kind, self._motors, motors.deviations, uncertain))
        for topic, kind, *_ in kinds:
            self._add(topic, kind)
        for i in progress(range(len(results.times)), 'writing messages', unit='sample'):
            stamp = int(origin.stamps[i])
            for topic, _, make, values, effort_jet in kinds:
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
            **_FOLLOWS,
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
            **_FOLLOWS,
        )

    def _state(
        self, results: Results, origin: Origin, i: int, values: Array, effort_jet: Array
    ) -> Any:
        return self._types[JOINT_STATE](
            header=self._header(int(origin.stamps[i])),
            name=list(results.joint_names),
            position=np.ascontiguousarray(values[i, 0]),
            velocity=np.ascontiguousarray(values[i, 1]),
            effort=np.ascontiguousarray(effort_jet[i, 0]),
        )

    def _transforms(
        self,
        names: tuple[str, ...],
        base: str,
        results: Results,
        origin: Origin,
        i: int,
        places: Array,
        turns: Array,
    ) -> Any:
        vector, quaternion = (self._types[f'geometry_msgs/msg/{n}'] for n in _PARTS)
        transform, stamped = (self._types[f'geometry_msgs/msg/{n}'] for n in _WHOLES)
        header = self._header(int(origin.stamps[i]), base)
        moves = [
            stamped(
                header=header,
                child_frame_id=name,
                transform=transform(
                    translation=vector(*map(float, place)), rotation=quaternion(*map(float, turn))
                ),
            )
            for name, place, turn in zip(names, places[i], turns[i], strict=True)
            if name != base
        ]
        return self._types[_MOVES](transforms=moves)

    def _header(self, stamp: int, frame: str = '') -> Any:
        return self._types['std_msgs/msg/Header'](stamp=self._time('Time', stamp), frame_id=frame)

    def _time(self, name: str, time: int) -> Any:
        sec, nanosec = divmod(time, SECOND)
        return self._types[f'builtin_interfaces/msg/{name}'](sec=sec, nanosec=nanosec)


def _transforms(model: RobotModel, frames: Sequence[str], positions: Array) -> tuple[Array, Array]:
    """Return places (T, F, 3) and quaternions (T, F, 4), w last, of all frames of a model."""
    from scipy.spatial.transform import Rotation

    poses = np.stack([frame_pose(model, positions, name) for name in frames], axis=1)
    turns = Rotation.from_matrix(poses[:, :, :3, :3].reshape(-1, 3, 3)).as_quat()
    return poses[:, :, :3, 3], turns.reshape(*poses.shape[:2], 4)


def _fields(quantities: Iterable[Quantity], rows: Iterable[Array]) -> dict[str, Array]:
    return {quantity.name: row for quantity, row in zip(quantities, rows, strict=True)}


def _padded(rows: Array, count: int) -> list[Array]:
    """Return the rows of a jet, padded with empty rows to `count`."""
    return [np.ascontiguousarray(row) for row in rows] + [np.empty(0)] * (count - len(rows))
