# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages for bags that tests write, made without ROS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from screw_dynamics.recordings.bags.writer import BagWriter

TORQUE = 'screw_dynamics_interfaces/msg/FeedforwardTorque'
TRAJECTORY = 'trajectory_msgs/msg/JointTrajectory'
DEFINITION = (
    Path(__file__).parents[2] / 'screw_dynamics_interfaces' / 'msg' / 'FeedforwardTorque.msg'
)
START = 1_700_000_000_250_000_000  # when the trajectory starts [ns]


class Messages:
    """The message classes of Jazzy and this repository, as the library makes them."""

    def __init__(self) -> None:
        self.types = get_typestore(Stores.ROS2_JAZZY)
        self.types.register(get_types_from_msg(DEFINITION.read_text(), TORQUE))

    def __call__(self, type_name: str, **fields: Any) -> Any:
        return self.types.types[type_name](**fields)

    def stamp(self, kind: str, nanoseconds: int) -> Any:
        sec, nanosec = divmod(nanoseconds, 1_000_000_000)
        return self(f'builtin_interfaces/msg/{kind}', sec=sec, nanosec=nanosec)

    def header(self, nanoseconds: int) -> Any:
        stamp = self.stamp('Time', nanoseconds)
        return self('std_msgs/msg/Header', stamp=stamp, frame_id='')

    def point(self, nanoseconds: int, rows: np.ndarray) -> Any:
        return self(
            'trajectory_msgs/msg/JointTrajectoryPoint',
            positions=rows[0],
            velocities=rows[1],
            accelerations=rows[2],
            effort=np.zeros(0),
            time_from_start=self.stamp('Duration', nanoseconds),
        )

    def torque(
        self, nanoseconds: int, jet: np.ndarray, efforts: np.ndarray, start: int = START
    ) -> Any:
        message = self.types.types[TORQUE]
        return message(
            header=self.header(start + nanoseconds),
            joint_names=['a', 'b'],
            effort=efforts[0],
            effort_dot=efforts[1],
            effort_ddot=efforts[2],
            reference=self.point(nanoseconds, jet[:3]),
            reference_jerk=jet[3],
            reference_snap=jet[4],
            reference_continuity=4,
            gravity_effort=np.empty(0),
            motion=1,
            jumps=0,
            state=0,
            reason='',
            source=1,
        )

    def add_topic(self, bag: BagWriter, topic: str, name: str) -> None:
        definition, _ = self.types.generate_msgdef(name, ros_version=2)
        bag.add_topic(topic, name, definition)

    def write(self, bag: BagWriter, topic: str, name: str, time: int, message: Any) -> None:
        bag.write(topic, time, bytes(self.types.serialize_cdr(message, name)))
