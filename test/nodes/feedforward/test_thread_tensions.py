# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Published tensions of threads, and warnings where threads cannot realise efforts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.nodes.shared import tick_timer
from screw_dynamics.robot import Robot

FINGER = sd.share_path('config/soft_finger.yaml')


class Logger:
    """Keeps the warnings."""

    def __init__(self):
        self.texts = []

    def warning(self, text):
        self.texts.append(text)


class Publisher:
    """Keeps the efforts of the messages."""

    def __init__(self):
        self.efforts = []

    def publish(self, message):
        self.efforts.append(np.array(deserialize_message(message, JointState).effort))


class Node:
    """What publishers ask of a node."""

    def __init__(self):
        self.logger, self.publishers = Logger(), {}

    def get_logger(self):
        return self.logger

    def create_publisher(self, kind, topic, *_, **__):
        self.publishers[topic] = Publisher()
        return self.publishers[topic]


@pytest.fixture
def output(planar):
    from screw_dynamics.nodes.feedforward.outputs.thread_tensions import TensionOutput

    def output(text):
        node, robot = Node(), Robot(sd.soft.append_segments(sd.read_urdf(planar), text))
        return node, TensionOutput(node, robot, robot.model.threads)

    return output


def test_tensions_and_rates_of_a_sample(output):
    node, tensions = output(FINGER)
    efforts = np.array([[1.0, 2.0, 0.016, -0.008], [0.0, 0.0, 0.008, 0.0]])
    tensions.publish(5, np.zeros((4, 4)), efforts)
    # pairs of threads at 8 mm: one pulls beyond the least tension of 1 N
    np.testing.assert_allclose(
        node.publishers['~/thread_tensions'].efforts, [[3.0, 1.0, 1.0, 2.0]], atol=1e-8
    )
    np.testing.assert_allclose(
        node.publishers['~/thread_tension_rates'].efforts, [[1.0, 0.0, 0.0, 0.0]], atol=1e-8
    )
    assert not node.logger.texts
    tensions.publish(6, np.zeros((3, 4)), efforts[:1])
    assert len(node.publishers['~/thread_tensions'].efforts) == 2
    assert len(node.publishers['~/thread_tension_rates'].efforts) == 1


def test_the_nearest_tensions_within_limits_are_published_and_warned_of(output):
    node, tensions = output(FINGER)
    tensions.publish(5, np.zeros((3, 4)), np.array([[0.0, 0.0, 0.0, 0.008 * 70.0]]))
    # 70 N of thread_2 against 1 N of the opposite one: 11 N less than needed
    published = node.publishers['~/thread_tensions'].efforts
    np.testing.assert_allclose(published, [[1.0, 60.0, 1.0, 1.0]])
    (text,) = node.logger.texts
    assert text.startswith('finger/curve_y: threads realise its effort only to 0.088')
    assert text.endswith('may be too few; at most_tension: thread_2')


def test_ticks_in_a_row_are_warned_of_once_per_period(output, monkeypatch):
    """Throttling by rclpy takes up to a millisecond per call."""
    now = 100.0
    monkeypatch.setattr(tick_timer, 'time', SimpleNamespace(monotonic=lambda: now))
    node, tensions = output(FINGER)
    too_much = np.array([[0.0, 0.0, 0.0, 0.008 * 70.0]])
    for tick in range(16):
        tensions.publish(tick, np.zeros((3, 4)), too_much)
        now += 0.0625
    assert len(node.publishers['~/thread_tensions'].efforts) == 16
    assert len(node.logger.texts) == 1
    tensions.publish(16, np.zeros((3, 4)), too_much)  # a second after the first
    assert len(node.logger.texts) == 2


def test_efforts_that_need_a_push_are_warned_of(output):
    lines = [line for line in FINGER.read_text().splitlines() if 'thread_4' not in line]
    node, tensions = output('\n'.join(lines) + '\n')
    tensions.publish(5, np.zeros((3, 4)), np.array([[0.0, 0.0, 0.016, -0.008]]))
    np.testing.assert_allclose(
        node.publishers['~/thread_tensions'].efforts, [[3.0, 1.0, 1.0]], atol=1e-8
    )
    (text,) = node.logger.texts
    # 0.008 N m of thread_2's least tension and as much again
    assert text.startswith('finger/curve_y: threads realise its effort only to 0.016')
