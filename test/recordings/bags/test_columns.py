# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns follow the types of the fields, whatever the messages hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from screw_dynamics.recordings.bags.definitions import MessageTypes  # noqa: E402
from screw_dynamics.recordings.bags.records import columns  # noqa: E402

TYPES = MessageTypes()


def trajectory(names: list[str], points: list[Any]) -> Any:
    stamp = TYPES['builtin_interfaces/msg/Time'](sec=0, nanosec=0)
    header = TYPES['std_msgs/msg/Header'](stamp=stamp, frame_id='')
    kind = TYPES['trajectory_msgs/msg/JointTrajectory']
    return kind(header=header, joint_names=names, points=points)


def point() -> Any:
    none = np.empty(0)
    zero = TYPES['builtin_interfaces/msg/Duration'](sec=0, nanosec=0)
    return TYPES['trajectory_msgs/msg/JointTrajectoryPoint'](
        positions=none, velocities=none, accelerations=none, effort=none, time_from_start=zero
    )


@pytest.mark.parametrize('lengths', [(0, 0, 0), (0, 1, 2), (1, 1, 1)])
def test_one_list_of_sub_messages_per_message(lengths: tuple[int, ...]) -> None:
    messages = [trajectory(['a'], [point()] * length) for length in lengths]
    column = columns(messages)['points']
    assert isinstance(column, list)
    assert [len(points) for points in column] == list(lengths)


@pytest.mark.parametrize('names', [['a', 'b'], []])
def test_one_tuple_of_names_where_all_agree(names: list[str]) -> None:
    assert columns([trajectory(names, [])] * 2)['joint_names'] == tuple(names)


def test_a_tuple_of_names_per_message_where_they_differ() -> None:
    messages = [trajectory([], []), trajectory(['a'], [])]
    assert columns(messages)['joint_names'] == [(), ('a',)]


def test_the_layout_of_an_array_without_dimensions() -> None:
    layout = TYPES['std_msgs/msg/MultiArrayLayout'](dim=[], data_offset=0)
    message = TYPES['std_msgs/msg/Float64MultiArray'](layout=layout, data=np.arange(2.0))
    assert columns([message, message])['layout.dim'] == [[], []]
