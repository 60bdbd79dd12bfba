# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A recording is read from a bag in the order of the efforts, on the trajectory's time axis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from screw_dynamics.errors import BagError

pytest.importorskip('rosbags', reason='recordings are read from bags')

from rosbags.typesys import Stores, get_types_from_msg, get_typestore  # noqa: E402

from screw_dynamics.bags import BagWriter  # noqa: E402
from screw_dynamics.demo.recording import read_recording  # noqa: E402

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

    def torque(self, nanoseconds: int, jet: np.ndarray, efforts: np.ndarray) -> Any:
        message = self.types.types[TORQUE]
        return message(
            header=self.header(START + nanoseconds),
            joint_names=['a', 'b'],
            effort=efforts[0],
            effort_dot=efforts[1],
            effort_ddot=efforts[2],
            reference=self.point(nanoseconds, jet[:3]),
            reference_jerk=jet[3],
            reference_snap=jet[4],
            reference_continuity=4,
            source=1,
        )


def write_bag(path: Path, samples: int, jets: np.ndarray, efforts: np.ndarray) -> None:
    messages = Messages()
    with BagWriter(path) as bag:
        for topic, name in (('/torque', TORQUE), ('/trajectory', TRAJECTORY)):
            definition, _ = messages.types.generate_msgdef(name, ros_version=2)
            bag.add_topic(topic, name, definition)

        def write(topic: str, name: str, message: Any) -> None:
            bag.write(topic, START, bytes(messages.types.serialize_cdr(message, name)))

        nothing = np.zeros(0)
        points = [
            messages.point(time, [np.array([20.0 + i, 10.0 + i]), nothing, nothing])
            for i, time in enumerate((0, 1_500_000_000))
        ]
        message = messages(
            TRAJECTORY, header=messages.header(0), joint_names=['b', 'a'], points=points
        )
        write('/trajectory', TRAJECTORY, message)
        for i in range(samples):
            write('/torque', TORQUE, messages.torque(4_000_000 * i + 7, jets[i], efforts[i]))


def test_arrays(tmp_path: Path, rng: np.random.Generator) -> None:
    jets, efforts = rng.normal(size=(5, 5, 2)), rng.normal(size=(5, 3, 2))
    write_bag(tmp_path / 'bag', 5, jets, efforts)
    recording = read_recording(tmp_path / 'bag', '/torque', '/trajectory')
    assert recording.joint_names == ('a', 'b')
    assert recording.joint_jet.tobytes() == jets.tobytes()
    assert recording.effort_jet.tobytes() == efforts.tobytes()
    assert np.allclose(recording.time, 0.004 * np.arange(5) + 7e-9, rtol=0, atol=1e-15)
    assert recording.waypoint_times.tolist() == [0.0, 1.5]
    assert recording.waypoint_positions.tolist() == [[10.0, 20.0], [11.0, 21.0]]


def test_orders_that_were_not_published(tmp_path: Path, rng: np.random.Generator) -> None:
    efforts = [[row, np.zeros(0), np.zeros(0)] for row in rng.normal(size=(3, 2))]
    write_bag(tmp_path / 'bag', 3, rng.normal(size=(3, 5, 2)), efforts)
    recording = read_recording(tmp_path / 'bag', '/torque', '/trajectory')
    assert recording.effort_jet.shape == (3, 1, 2)


def test_a_silent_node_is_named(tmp_path: Path) -> None:
    write_bag(tmp_path / 'bag', 0, np.zeros(0), np.zeros(0))
    with pytest.raises(BagError, match='bag: expected messages on /torque, found none'):
        read_recording(tmp_path / 'bag', '/torque', '/trajectory')
