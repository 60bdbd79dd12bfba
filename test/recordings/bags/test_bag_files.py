# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bags written and read back without ROS: numbers, metadata, independent readers, errors."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from bag_sample import COUNT, NAMES, SAMPLE, SAMPLE_TYPE, START

from screw_dynamics.errors import BagError, BagWarning, UnknownNameError

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from rosbags.rosbag2 import StoragePlugin, Writer  # noqa: E402
from rosbags.typesys import Stores, get_typestore  # noqa: E402
from ruamel.yaml import YAML  # noqa: E402

from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.bags.definitions import definition_hash  # noqa: E402
from screw_dynamics.recordings.bags.writer import BagWriter  # noqa: E402


def test_arrays_come_back_bit_for_bit(sample_bag: Path, efforts: np.ndarray) -> None:
    with Bag(sample_bag) as bag:
        arrays = bag.arrays('/sample')
    assert arrays['effort'].dtype == np.float64
    assert arrays['effort'].tobytes() == efforts.tobytes()
    assert arrays['log_time'].tolist() == [START + 4_000_000 * i for i in range(COUNT)]
    assert np.allclose(arrays['time'], 0.004 * np.arange(COUNT), rtol=0, atol=1e-12)


def test_every_kind_of_field_has_its_column(sample_bag: Path) -> None:
    with Bag(sample_bag) as bag:
        arrays = bag.arrays('/sample')
    assert arrays['joint_names'] == tuple(NAMES)
    assert arrays['stamp'].tolist() == [12_000_000_000 + i for i in range(COUNT)]
    assert arrays['source'].tolist() == [i % 3 for i in range(COUNT)]
    assert arrays['note'][3] == 'sample 3'
    assert [len(window) for window in arrays['window']] == list(range(COUNT))
    assert set(arrays) == {
        'log_time', 'time', 'stamp', 'joint_names', 'effort', 'window', 'source', 'note'
    }  # fmt: skip


def test_topics_and_times(sample_bag: Path) -> None:
    with Bag(sample_bag) as bag:
        assert {name: topic.count for name, topic in bag.topics.items()} == {
            '/sample': COUNT,
            '/silent': 0,
        }
        assert bag.topics['/sample'].definition == SAMPLE
        assert bag.topics['/sample'].type_hash.startswith('RIHS01_')
        assert bag.start_time == START
        assert bag.duration == pytest.approx(0.004 * (COUNT - 1), abs=1e-12)
        assert len(list(bag.messages())) == COUNT
        assert list(bag.messages(['/silent'])) == []
        assert list(bag.messages([])) == []
        topics = f'/sample ({COUNT}), /silent (0)'
        assert repr(bag) == f'Bag({str(sample_bag)!r}, 0.096 s; {topics})'
        assert bag.arrays('/silent')['time'].shape == (0,)


def test_metadata_is_what_rosbag2_writes(sample_bag: Path) -> None:
    document = YAML(typ='safe').load(sample_bag / 'metadata.yaml')
    info = document['rosbag2_bagfile_information']
    assert info['version'] == 9
    assert info['storage_identifier'] == 'mcap'
    assert info['relative_file_paths'] == ['bag.mcap']
    assert info['message_count'] == COUNT
    assert info['starting_time']['nanoseconds_since_epoch'] == START
    assert info['duration']['nanoseconds'] == 4_000_000 * (COUNT - 1)
    topic = info['topics_with_message_count'][0]
    assert topic['message_count'] == COUNT
    assert topic['topic_metadata']['name'] == '/sample'
    assert topic['topic_metadata']['type'] == SAMPLE_TYPE
    assert topic['topic_metadata']['serialization_format'] == 'cdr'


@pytest.mark.parametrize('compress', [False, True])
def test_another_library_reads_the_file(sample_bag: Path, compress: bool, tmp_path: Path) -> None:
    reader = pytest.importorskip('mcap.reader', reason='the independent reader is mcap')
    if compress:
        with Bag(sample_bag) as source, BagWriter(tmp_path / 'small', compress=True) as copy:
            copy.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
            copy.add_topic('/silent', SAMPLE_TYPE, SAMPLE)
            for connection, stamp, data in source._reader.messages(source._reader.connections):
                copy.write(connection.topic, stamp, data)
        sample_bag = tmp_path / 'small'
    with next(sample_bag.glob('*.mcap')).open('rb') as file:
        mcap = reader.make_reader(file)
        assert mcap.get_header().profile == 'ros2'
        found = list(mcap.iter_messages())
        summary = mcap.get_summary()
    assert summary.chunk_indexes[0].compression == ('zstd' if compress else '')
    assert len(summary.schemas) == 1 and len(summary.channels) == 2
    assert len(found) == COUNT
    schema, channel, message = found[5]
    assert (schema.name, schema.encoding) == (SAMPLE_TYPE, 'ros2msg')
    assert schema.data.decode() == SAMPLE
    assert (channel.topic, channel.message_encoding) == ('/sample', 'cdr')
    assert channel.metadata['topic_type_hash'] == definition_hash(SAMPLE_TYPE, SAMPLE)
    assert message.log_time == START + 5 * 4_000_000


def test_another_library_decodes_the_messages(sample_bag: Path, efforts: np.ndarray) -> None:
    reader = pytest.importorskip('mcap.reader', reason='the independent reader is mcap')
    decoder = pytest.importorskip('mcap_ros2.decoder', reason='needs mcap-ros2-support')
    with (sample_bag / 'bag.mcap').open('rb') as file:
        mcap = reader.make_reader(file, decoder_factories=[decoder.DecoderFactory()])
        decoded = [item.decoded_message for item in mcap.iter_decoded_messages()]
    assert np.array([list(message.effort) for message in decoded]).tobytes() == efforts.tobytes()
    assert list(decoded[0].joint_names) == NAMES


def test_a_single_file_is_read_too(sample_bag: Path, tmp_path: Path) -> None:
    shutil.copy(sample_bag / 'bag.mcap', tmp_path / 'alone.mcap')
    with Bag(tmp_path / 'alone.mcap') as bag:
        assert bag.arrays('/sample')['effort'].shape == (COUNT, 3)


def test_a_failing_block_still_leaves_a_complete_bag(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), BagWriter(tmp_path / 'bag') as writer:
        writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        writer.write('/sample', START, b'\x00\x01\x00\x00' + bytes(64))
        raise ZeroDivisionError
    with Bag(tmp_path / 'bag') as bag:
        assert bag.topics['/sample'].count == 1


def test_a_bag_without_messages(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'bag') as writer:
        writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
    with Bag(tmp_path / 'bag') as bag:
        assert (bag.start_time, bag.duration, list(bag.messages())) == (0, 0.0, [])


def test_errors_say_what_and_where(sample_bag: Path, tmp_path: Path) -> None:
    with pytest.raises(BagError, match=r'nowhere: expected a bag, got: File .* does not exist'):
        Bag(tmp_path / 'nowhere')
    with pytest.raises(BagError, match='bag: cannot create the bag: .*File exists'):
        BagWriter(sample_bag)
    with (
        Bag(sample_bag) as bag,
        pytest.raises(
            UnknownNameError, match="unknown topic '/other': expected one of /sample, /silent"
        ),
    ):
        bag.messages(['/other'])
    with BagWriter(tmp_path / 'new') as writer:
        with pytest.raises(BagError, match="topic '/sample': not added before writing"):
            writer.write('/sample', START, b'')
        with pytest.raises(BagError, match=r"'/a': definition of .*Sample cannot be read"):
            writer.add_topic('/a', SAMPLE_TYPE, 'float65[ effort')
        writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        with pytest.raises(BagError, match="topic '/sample': added twice"):
            writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)


@pytest.mark.parametrize('definition', ['float65[ effort', 'other_msgs/Thing thing'])
def test_a_definition_that_is_not_whole_is_named(tmp_path: Path, monkeypatch, definition) -> None:
    """Of another recorder: that of this package refuses it."""
    module = 'screw_dynamics.recordings.bags.writer'
    monkeypatch.setattr(f'{module}.definition_hash', lambda *_: 'RIHS01_announced')
    with BagWriter(tmp_path / 'bag') as writer:
        writer.add_topic('/a', SAMPLE_TYPE, definition)
        writer.write('/a', START, b'\x00\x01\x00\x00' + bytes(64))
    with pytest.raises(BagError, match="topic '/a': definition of .*Sample cannot be read: "):
        Bag(tmp_path / 'bag')


@pytest.mark.skipif(not Path('/dev/full').exists(), reason='/dev/full stands for a full disk')
@pytest.mark.parametrize('more', [False, True])
def test_a_full_disk(tmp_path: Path, more: bool) -> None:
    """What was written is kept; the error comes at every call, but not again at the end."""
    writer = BagWriter(tmp_path / 'bag')
    writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
    writer.write('/sample', START, b'\x00\x01\x00\x00')
    writer.flush()
    with open('/dev/full', 'wb') as full:
        os.dup2(full.fileno(), writer._file.fileno())
    calls = [writer.close]
    if more:
        writer.write('/sample', START + 1, b'\x00\x01\x00\x00')
        calls = [writer.flush, lambda: writer.write('/sample', START + 2, b''), writer.flush]
    for call in calls:
        with pytest.raises(BagError, match='bag: cannot be written: .*No space left on device'):
            call()
    writer.close()
    assert writer._file.closed and not (tmp_path / 'bag' / 'metadata.yaml').exists()
    with pytest.warns(BagWarning), Bag(tmp_path / 'bag') as bag:
        assert [message.log_time for message in bag.raw_messages()] == [START]


def test_messages_are_on_the_disk_after_a_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[int] = []
    monkeypatch.setattr(os, 'fsync', lambda number: waited.append(os.fstat(number).st_size))
    with BagWriter(tmp_path / 'bag') as writer:
        writer.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        for i in range(3):
            writer.write('/sample', START + i, b'\x00\x01\x00\x00')
            writer.flush()
            with pytest.warns(BagWarning), Bag(tmp_path / 'bag') as bag:
                assert bag.topics['/sample'].count == i + 1
    # header, three messages, the whole file
    assert waited == sorted(set(waited)) and len(waited) == 5
    assert waited[-1] == (tmp_path / 'bag' / 'bag.mcap').stat().st_size


@pytest.mark.parametrize(
    ('number', 'fatal'), [('EINVAL', False), ('ENOTSUP', False), ('EIO', True)]
)
def test_a_file_system_that_cannot_wait_for_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str, fatal: bool
) -> None:
    def refuse(_: int) -> None:
        raise OSError(getattr(errno, number), 'refused')

    monkeypatch.setattr(os, 'fsync', refuse)
    with pytest.raises(BagError, match='refused') if fatal else nullcontext():
        BagWriter(tmp_path / 'bag').close()
    assert (tmp_path / 'bag' / 'metadata.yaml').exists() != fatal


def test_databases_of_older_releases(tmp_path):
    """The SQLite format of ROS 2 Humble, whose files have no definitions; with metadata or not."""
    types, folder = get_typestore(Stores.ROS2_HUMBLE), tmp_path / 'old'
    kind = 'sensor_msgs/msg/JointState'
    with Writer(folder, version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        connection = writer.add_connection('/joint_states', kind, typestore=types)
        time = types.types['builtin_interfaces/msg/Time'](1, 2)
        header = types.types['std_msgs/msg/Header'](time, '')
        values = np.array([0.5]), np.array([]), np.array([1.5])
        message = types.types[kind](header, ['a'], *values)
        writer.write(connection, 7, types.serialize_cdr(message, kind))
    for path in (folder, folder / 'old.db3'):
        with Bag(path) as bag:
            (found,) = bag.messages()
            assert found.message.effort == [1.5]
    (folder / 'metadata.yaml').unlink()
    with Bag(folder) as bag:
        assert bag.topics['/joint_states'].count == 1
