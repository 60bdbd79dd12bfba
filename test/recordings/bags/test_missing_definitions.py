# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bags without message definitions, as ROS 2 Humble and older write them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from bag_sample import SAMPLE, SAMPLE_TYPE, START

from screw_dynamics.errors import BagError

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from rosbags.rosbag2 import StoragePlugin, Writer  # noqa: E402

from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.bags.definitions import (
    MessageTypes,  # noqa: E402
    definition_hash,  # noqa: E402
)

STRING = 'std_msgs/msg/String'


@pytest.fixture
def old_bag(tmp_path: Path) -> Path:
    """Return a bag of a common type and of an unknown one, both undefined in it."""
    path = tmp_path / 'old'
    types = MessageTypes()
    with Writer(path, version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        for topic, name, text, data in (
            ('/text', STRING, types.definition(STRING), types.serialize(types[STRING](data='hi'))),
            ('/sample', SAMPLE_TYPE, SAMPLE, b'\x00\x01\x00\x00'),
        ):
            digest = definition_hash(name, text)
            connection = writer.add_connection(topic, name, msgdef=text, rihs01=digest)
            writer.write(connection, START, data)
    with sqlite3.connect(path / 'old.db3') as database:
        database.execute('DELETE FROM message_definitions')
    return path


def test_common_types_are_known_anyway(old_bag: Path) -> None:
    with Bag(old_bag) as bag:
        [found] = bag.messages(['/text'])
        assert found.message.data == 'hi'
        assert bag.topics['/text'].definition == MessageTypes().definition(STRING)


def test_other_types_are_bytes(old_bag: Path) -> None:
    with Bag(old_bag) as bag:
        [raw] = bag.raw_messages(['/sample'])
        assert raw.data == b'\x00\x01\x00\x00' and bag.topics['/sample'].definition == ''
        with pytest.raises(BagError, match=f"'/sample': no definition of {SAMPLE_TYPE} is embedd"):
            next(bag.messages(['/sample']))
