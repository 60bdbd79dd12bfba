# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings that were cut off: all messages of all complete chunks are read, losses named."""

from __future__ import annotations

import re
import shutil
import warnings
from pathlib import Path

import pytest
from bag_sample import SAMPLE, SAMPLE_TYPE, START

from screw_dynamics.errors import BagError, BagWarning

pytestmark = pytest.mark.long

pytest.importorskip('rosbags', reason='bags need the package rosbags')
mcap_reader = pytest.importorskip('mcap.reader', reason='bags need the package mcap')

from rosbags.interfaces import (  # noqa: E402
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.bags.loose_files import LooseFiles  # noqa: E402
from screw_dynamics.recordings.bags.writer import BagWriter  # noqa: E402

QOS = Qos(
    QosHistory.KEEP_LAST,
    3,
    QosReliability.BEST_EFFORT,
    QosDurability.TRANSIENT_LOCAL,
    QosTime(1, 2),
    QosTime(3, 4),
    QosLiveliness.MANUAL_BY_TOPIC,
    QosTime(5, 6),
    False,
)
COUNT, STEP = 8, 4_000_000  # messages, time between them [ns]
MESSAGES = [bytes([0, 1, 0, 0, i]) + 20 * bytes([i]) for i in range(COUNT)]


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=['plain', 'zstd'])
def chunks(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a bag with a chunk per message."""
    with BagWriter(tmp_path / 'chunks', request.param) as bag:
        bag.add_topic('/sample', SAMPLE_TYPE, SAMPLE, [QOS], 'RIHS01_announced')
        for i, data in enumerate(MESSAGES):
            bag.write('/sample', START + i * STEP, data)
            bag.flush()
    return tmp_path / 'chunks'


def chunk_ends(file: Path) -> list[int]:
    with file.open('rb') as stream:
        indexes = mcap_reader.make_reader(stream).get_summary().chunk_indexes
    return [index.chunk_start_offset + index.chunk_length for index in indexes]


def read(path: Path) -> tuple[list[bytes], list[str]]:
    """Return the messages of a bag, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', BagWarning)
        with Bag(path) as bag:
            found = [message.data for message in bag.raw_messages()]
            assert len(found) == sum(topic.count for topic in bag.topics.values())
    return found, [str(warning.message) for warning in caught]


def test_cut_at_every_byte(chunks: Path) -> None:
    file = chunks / 'chunks.mcap'
    whole, ends = file.read_bytes(), chunk_ends(file)
    assert len(ends) == COUNT
    # the header, the last four chunks, the index, and thus more than the last kB
    sizes = [*range(60), *range(ends[-5], len(whole))]
    assert len(whole) - ends[-5] > 1024
    for size in sizes:
        file.write_bytes(whole[:size])
        expected = MESSAGES[: sum(end <= size for end in ends)]
        loose = LooseFiles([file])
        assert [data for *_, data in loose.messages(loose.connections)] == expected, size
        assert loose.message_count == len(expected) and len(loose.losses) == 1
    for size in sizes[::100]:  # as a user reads it; the type is read anew each time
        file.write_bytes(whole[:size])
        found, (warning,) = read(chunks)
        assert found == MESSAGES[: sum(end <= size for end in ends)], size
        assert f'; {file}: cut off or damaged: ' in warning and len(warning.splitlines()) == 1
        (chunks / 'metadata.yaml').unlink(missing_ok=True)


def test_what_is_missing_is_named(chunks: Path) -> None:
    file = chunks / 'chunks.mcap'
    (chunks / 'metadata.yaml').unlink()
    assert read(chunks) == (MESSAGES, [])  # the file is whole
    end = chunk_ends(file)[4]
    file.write_bytes(file.read_bytes()[: end + 33])
    found, warned = read(file)
    assert found == MESSAGES[:5]
    assert warned == [
        f'{file}: its files are read one by one: File end magic is invalid.; {file}: cut off or '
        f'damaged: 33 bytes after byte {end} are left out; 5 messages are intact'
    ]
    with pytest.warns(BagWarning), Bag(chunks) as bag:
        assert bag.start_time == START and bag.duration == pytest.approx(4e-9 * STEP)
        assert bag.topics['/sample'].definition == SAMPLE
        assert bag.topics['/sample'].type_hash == 'RIHS01_announced'
        assert bag.topics['/sample'].qos == (QOS,)


def test_zeros_at_the_end(chunks: Path) -> None:
    """A file system may give a file its length before its content."""
    file = chunks / 'chunks.mcap'
    end = chunk_ends(file)[4]
    file.write_bytes(file.read_bytes()[:end] + bytes(4096))
    found, (warning,) = read(chunks)
    assert found == MESSAGES[:5] and f'4096 bytes after byte {end} are left out' in warning


@pytest.mark.parametrize('cut', [0, 20])
def test_damage_in_the_middle(chunks: Path, cut: int) -> None:
    """The checksum of the chunk shows it, with the index and without it."""
    file = chunks / 'chunks.mcap'
    damaged = bytearray(file.read_bytes())
    damaged[chunk_ends(file)[5] - 10] ^= 0xFF
    file.write_bytes(damaged[: len(damaged) - cut])
    if cut:
        assert read(chunks)[0] == MESSAGES[:5]
        return
    after = f'{chunks}: damaged after the message received at {START + 4 * STEP} ns'
    with Bag(chunks) as bag, pytest.raises(BagError, match=re.escape(after)):
        list(bag.raw_messages())


def test_several_files_without_metadata(tmp_path: Path) -> None:
    """As `ros2 bag record` leaves them if it splits files and is killed; messages come by time."""
    split = tmp_path / 'split'
    split.mkdir()
    for name, times in (('b', [1, 0, 4]), ('a', [3, 2])):
        with BagWriter(tmp_path / name) as part:
            for topic in ('/sample', '/other'):
                part.add_topic(topic, SAMPLE_TYPE, SAMPLE)
            for time in times:
                part.write('/sample', START + time, MESSAGES[time])
        shutil.copy(tmp_path / name / f'{name}.mcap', split)
    assert read(split) == (MESSAGES[:5], [])
    file = split / 'b.mcap'
    file.write_bytes(file.read_bytes()[:100])
    found, (warning,) = read(split)
    assert found == [MESSAGES[2], MESSAGES[3]]
    assert warning.endswith('are left out; 0 messages are intact')


def test_missing_files_are_named(chunks: Path) -> None:
    text = (chunks / 'metadata.yaml').read_text()
    (chunks / 'metadata.yaml').write_text(
        text.replace('- chunks.mcap', '- chunks.mcap\n  - chunks_1.mcap', 1)
    )
    found, (warning,) = read(chunks)
    assert found == MESSAGES and 'chunks_1.mcap' in warning
    (chunks / 'chunks_1.mcap.zstd').write_bytes(b'')
    (chunks / 'metadata.yaml').unlink()
    found, (warning,) = read(chunks)
    assert found == MESSAGES and warning.endswith('left out, compressed: chunks_1.mcap.zstd')


@pytest.mark.parametrize('content', [b'', b'- 1', b'a: [', b'\xff\xfe\xfd', b'\x00'])
def test_metadata_that_cannot_be_read_is_warned_of(chunks: Path, content: bytes) -> None:
    (chunks / 'metadata.yaml').write_bytes(content)
    found, (warning,) = read(chunks)
    assert found == MESSAGES
    assert warning.startswith(f'{chunks}: its files are read one by one: ')
    assert len(warning.splitlines()) == 1


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / 'other.mcap'
    file.write_bytes(b'SQLite format 3\x00' + bytes(100))
    for path in (tmp_path, file):
        with pytest.raises(BagError, match='other.mcap: expected an MCAP file: .*invalid magic'):
            Bag(path)
    with pytest.raises(BagError, match='expected a bag, got'):
        Bag(tmp_path / 'nothing')
