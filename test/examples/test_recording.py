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
from screw_dynamics.bags import BagWriter  # noqa: E402


def write_bag(path: Path, samples: int, jets: np.ndarray, efforts: np.ndarray) -> None:
    messages = Messages()
    with BagWriter(path) as bag:
        for topic, name in (('/torque', TORQUE), ('/trajectory', TRAJECTORY)):
            messages.add_topic(bag, topic, name)
        nothing = np.zeros(0)
        points = [
            messages.point(time, [np.array([20.0 + i, 10.0 + i]), nothing, nothing])
            for i, time in enumerate((0, 1_500_000_000))
        ]
        message = messages(
            TRAJECTORY, header=messages.header(0), joint_names=['b', 'a'], points=points
        )
        messages.write(bag, '/trajectory', TRAJECTORY, START, message)
        for i in range(samples):
            torque = messages.torque(4_000_000 * i + 7, jets[i], efforts[i])
            messages.write(bag, '/torque', TORQUE, START, torque)


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
