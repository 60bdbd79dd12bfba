# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What the recorder hears of a topic with publishers of several kinds, without DDS."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('rclpy', reason='recording needs ROS 2 (rclpy)')

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy  # noqa: E402

from screw_dynamics.recordings.bags import recorder  # noqa: E402

KINDS = [(reliable, latched) for reliable in (True, False) for latched in (True, False)]


def offer(reliable, latched):
    profile = QoSProfile(depth=5)
    profile.reliability = ReliabilityPolicy[('BEST_EFFORT', 'RELIABLE')[reliable]]
    profile.durability = DurabilityPolicy[('VOLATILE', 'TRANSIENT_LOCAL')[latched]]
    return SimpleNamespace(qos_profile=profile)


class Heard:
    """Subscriptions, what waits in each, and what is stored."""

    def __init__(self):
        self.subscriptions, self.waiting, self.stored = [], {}, []
        self.recording = recorder.TopicRecording(self.subscribe, self.store)

    def subscribe(self, take, qos):
        waiting = self.waiting[len(self.subscriptions)] = []
        self.subscriptions.append((take, qos))

        def take_message(kind, raw):
            assert (kind, raw) == ('kind', True)
            return waiting.pop(0) if waiting else None

        return SimpleNamespace(handle=Handle(take_message), msg_type='kind')

    def store(self, data, info):
        self.stored.append(data)


class Handle(nullcontext):
    def __init__(self, take_message):
        super().__init__()
        self.take_message = take_message


def message(data, stamp, number=None):
    return data, {'source_timestamp': stamp, 'publication_sequence_number': number}


def test_there_is_a_subscription_for_each_kind_of_offer():
    heard = Heard()
    for _ in range(2):
        heard.recording.follow([offer(*kind) for kind in KINDS])
    offers = [
        (qos.reliability.name == 'RELIABLE', qos.durability.name == 'TRANSIENT_LOCAL')
        for _, qos in heard.subscriptions
    ]
    assert offers == KINDS
    # 1 s of a topic of 1 kHz may wait
    assert all(qos.depth == recorder.DEPTH == 1000 for _, qos in heard.subscriptions)


def test_what_several_subscriptions_receive_is_stored_once(monkeypatch):
    heard = Heard()
    heard.recording.follow([offer(True, False), offer(False, False)])
    (first, _), (second, _) = heard.subscriptions
    for take in (first, second):
        for i in range(3):  # of two publishers at one time, and of a longer message
            take(*message(b'a', 5, i))
        take(*message(b'ab', 5, 0))
    assert heard.stored == [b'a'] * 3 + [b'ab']
    first(*message(b'c', 0))
    second(*message(b'c', 0))  # without a time they cannot be told apart
    assert heard.stored[4:] == [b'c', b'c']
    heard.waiting[1] += [message(b'a', 5, 1), message(b'd', 6)]
    heard.recording.drain()
    assert heard.stored[6:] == [b'd']
    monkeypatch.setattr(recorder, 'DEPTH', 2)  # more cannot wait in another subscription
    for stamp in range(7, 11):
        first(*message(b'e', stamp))
    second(*message(b'e', 7))
    assert heard.stored[7:] == [b'e'] * 4
    second(*message(b'a', 5, 1))  # forgotten
    assert heard.stored[11:] == [b'a']


def test_the_profile_of_a_publisher_is_kept():
    profile = offer(False, True).qos_profile
    found = recorder._bag_qos(profile)
    assert (found.reliability.name, found.durability.name) == ('BEST_EFFORT', 'TRANSIENT_LOCAL')
    assert (found.depth, found.history.name) == (5, 'KEEP_LAST')
    assert recorder._bag_time(SimpleNamespace(nanoseconds=3_000_000_007)) == (3, 7)
