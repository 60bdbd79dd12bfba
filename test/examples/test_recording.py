# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A recording is read from a bag in the order of the efforts, on the trajectory's time axis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from screw_dynamics.errors import BagError

pytest.importorskip('rosbags', reason='recordings are read from bags')

from recorded_messages import START, TORQUE, TRAJECTORY, Messages  # noqa: E402

from ros_demo.recording import read_recording  # noqa: E402
from screw_dynamics.recordings.bags.writer import BagWriter  # noqa: E402

END = 8_000_000  # of a trajectory [ns]


def write_bag(path: Path, samples: int, jets: np.ndarray, efforts: np.ndarray) -> None:
    with BagWriter(path) as bag:
        write_trajectory(bag, add_topics(bag), START, jets[:samples], efforts)


def add_topics(bag: BagWriter) -> Messages:
    messages = Messages()
    for topic, name in (('/torque', TORQUE), ('/trajectory', TRAJECTORY)):
        messages.add_topic(bag, topic, name)
    return messages


def write_trajectory(
    bag: BagWriter,
    messages: Messages,
    start: int,
    jets: np.ndarray,
    efforts: np.ndarray,
    position: float = 10.0,
) -> None:
    """Write a trajectory that starts at an instant [ns], and a sample for each of the jets."""
    nothing = np.zeros(0)
    points = [
        messages.point(time, [np.array([position + 10.0 + i, position + i]), nothing, nothing])
        for i, time in enumerate((0, END))
    ]
    message = messages(
        TRAJECTORY, header=messages.header(0), joint_names=['b', 'a'], points=points
    )
    messages.write(bag, '/trajectory', TRAJECTORY, start, message)
    for i, jet in enumerate(jets):
        torque = messages.torque(4_000_000 * i + 7, jet, efforts[i], start)
        messages.write(bag, '/torque', TORQUE, start, torque)


def test_the_last_trajectory_of_several(tmp_path: Path, rng: np.random.Generator) -> None:
    jets, efforts = rng.normal(size=(9, 5, 2)), rng.normal(size=(9, 3, 2))
    with BagWriter(tmp_path / 'bag') as bag:
        messages = add_topics(bag)
        for k, (begin, end) in enumerate([(0, 2), (2, 6), (6, 9)]):
            own = slice(begin, end)
            start = START + 1_000_000_000 * k
            write_trajectory(bag, messages, start, jets[own], efforts[own], 10.0 * k)
    recording = read_recording(tmp_path / 'bag', '/torque', '/trajectory')
    assert recording.joint_jet.tobytes() == jets[6:].tobytes()
    assert recording.effort_jet.tobytes() == efforts[6:].tobytes()
    assert np.allclose(recording.time, 0.004 * np.arange(3) + 7e-9, rtol=0, atol=1e-15)
    assert recording.waypoint_positions.tolist() == [[20.0, 30.0], [21.0, 31.0]]


def test_efforts_that_end_before_the_trajectory(tmp_path: Path, rng: np.random.Generator) -> None:
    jets, efforts = rng.normal(size=(5, 5, 2)), np.ones((5, 3, 2))
    with BagWriter(tmp_path / 'bag') as bag:
        messages = add_topics(bag)
        write_trajectory(bag, messages, START, jets, efforts)
        write_trajectory(bag, messages, START + 1_000_000_000, jets[:2], efforts)
    text = r'bag: expected /torque until the end .*, 0\.008 s from its start, got it until 0\.004'
    with pytest.raises(BagError, match=text):
        read_recording(tmp_path / 'bag', '/torque', '/trajectory')


def test_a_silent_node_is_named(tmp_path: Path) -> None:
    write_bag(tmp_path / 'bag', 0, np.zeros(0), np.zeros(0))
    with pytest.raises(BagError, match='bag: expected messages on /torque, found none'):
        read_recording(tmp_path / 'bag', '/torque', '/trajectory')
