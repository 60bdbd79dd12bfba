# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bags written from known motions, without ROS."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import screw_dynamics as sd
from screw_dynamics.recordings.bags.definitions import MessageTypes
from screw_dynamics.recordings.bags.writer import BagWriter

SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND
TRAJECTORY = 'trajectory_msgs/msg/JointTrajectory'
JOINT_STATE = 'sensor_msgs/msg/JointState'
STRING = 'std_msgs/msg/String'

TYPES = MessageTypes()

# the motion that the joint states measure
JOINTS = ('joint_1', 'joint_2')
RATES = np.array([2.0, 3.0])
NOISE = 1e-4


def true_jets(times: np.ndarray) -> np.ndarray:
    """Return the (T, 5, 2) jets of the motion that the joint states measure."""
    angles = times[:, None, None] * RATES + np.arange(5)[:, None] * np.pi / 2
    return 0.5 * RATES ** np.arange(5)[:, None] * np.sin(angles)


def time(nanoseconds: int, name: str = 'Time'):
    """Return a Time or Duration."""
    sec, nanosec = divmod(nanoseconds, SECOND)
    return TYPES[f'builtin_interfaces/msg/{name}'](sec=sec, nanosec=nanosec)


def header(stamp: int):
    """Return a header; 0 means no stamp."""
    return TYPES['std_msgs/msg/Header'](stamp=time(stamp), frame_id='')


def joint_trajectory(names, points, stamp=0):
    """Return a JointTrajectory; points are (time, positions[, velocities])."""
    point = TYPES['trajectory_msgs/msg/JointTrajectoryPoint']
    return TYPES[TRAJECTORY](
        header=header(stamp),
        joint_names=list(names),
        points=[
            point(
                positions=np.array(positions, dtype=float),
                velocities=np.array(rest[0] if rest else [], dtype=float),
                accelerations=np.empty(0),
                effort=np.empty(0),
                time_from_start=time(round(SECOND * t), 'Duration'),
            )
            for t, positions, *rest in points
        ],
    )


def joint_state(names, positions, stamp):
    """Return a JointState with positions only."""
    return TYPES[JOINT_STATE](
        header=header(stamp),
        name=list(names),
        position=np.array(positions, dtype=float),
        velocity=np.empty(0),
        effort=np.empty(0),
    )


def write_bag(path: Path, messages) -> Path:
    """Write (topic, log time from START [ns], message) rows to a new bag."""
    with BagWriter(path) as bag:
        known = set()
        for topic, log_time, message in messages:
            if topic not in known:
                name = message.__msgtype__
                bag.add_topic(topic, name, TYPES.definition(name))
                known.add(topic)
            bag.write(topic, START + log_time, TYPES.serialize(message))
    return path


def description(urdf: Path):
    """Return the message on /robot_description."""
    return '/robot_description', 0, TYPES[STRING](data=urdf.read_text())


def write_measured(path: Path) -> Path:
    """Write a bag with 2 s of noisy joint states at 500 Hz, odd ones among them."""
    rng = np.random.default_rng(8)
    stamps = (np.arange(1000) * 2_000_000 + rng.integers(0, 400_000, 1000)).tolist()
    truth = true_jets(np.array(stamps) / SECOND)[:, 0]
    noisy = truth + NOISE * rng.normal(size=truth.shape)
    rows = [description(sd.share_path('urdf/planar_2r.urdf'))]
    for i, stamp in enumerate(stamps):
        # other joints beside them, in another order
        names, positions = ('joint_2', 'gripper', 'joint_1'), (noisy[i, 1], 0.0, noisy[i, 0])
        message = joint_state(names, positions, START + stamp)
        rows.append(('/joint_states', stamp + 1_000_000, message))
        if i % 100 == 3:  # the same once more, and one of the gripper alone
            rows.append(('/joint_states', stamp + 1_100_000, message))
            alone = joint_state(['gripper'], [0.0], START + stamp)
            rows.append(('/joint_states', stamp + 1_200_000, alone))
    unknown = joint_state(names, [np.nan, 0.0, 0.0], START + stamps[0] - 1)
    rows.insert(1, ('/joint_states', 500_000, unknown))
    return write_bag(path, rows)
