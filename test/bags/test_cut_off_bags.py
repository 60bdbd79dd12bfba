# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings that were cut off: all messages of all complete chunks are read, losses named."""

from __future__ import annotations

import re
import shutil
import struct
import warnings
from io import BytesIO
from pathlib import Path

import pytest
from bag_sample import COUNT, SAMPLE, SAMPLE_TYPE, START
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from screw_dynamics.errors import BagError, BagWarning

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('mcap', reason='the independent reader is mcap')

from mcap.exceptions import McapError  # noqa: E402
from mcap.records import Chunk, Message  # noqa: E402
from mcap.stream_reader import StreamReader, breakup_chunk  # noqa: E402

from screw_dynamics.bags import Bag, BagWriter, writer


@pytest.fixture(params=[False, True], ids=['plain', 'zstd'])
def chunks(request, tmp_path: Path, sample_bag: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a bag with a chunk per message."""
    monkeypatch.setattr(writer, 'FLUSH_PERIOD', 0.0)
    with Bag(sample_bag) as source, BagWriter(tmp_path / 'chunks', request.param) as copy:
        copy.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        for message in source.raw_messages():
            copy.write(message.topic, message.log_time, message.data)
    return tmp_path / 'chunks'


def messages_by_mcap(data: bytes) -> list[bytes]:
    """Return the messages of complete chunks as the library mcap finds them."""
    found = []
    try:
        for record in StreamReader(BytesIO(data), emit_chunks=True).records:
            if isinstance(record, Chunk):
                inside = breakup_chunk(record, validate_crc=True)
                found += [item.data for item in inside if isinstance(item, Message)]
    except (McapError, struct.error):  # it is cut off
        pass
    return found


def read(path: Path) -> list[bytes]:
    with Bag(path) as bag:
        found = [message.data for message in bag.raw_messages()]
        assert len(found) == sum(topic.count for topic in bag.topics.values())
        assert len(list(bag.messages())) == len(found)
    return found


def chunk_starts(data: bytes) -> list[int]:
    """Return where chunks begin."""
    found, position = [], 8
    while position < len(data) - 8:
        if data[position] == 0x06:
            found.append(position)
        position += 9 + int.from_bytes(data[position + 1 : position + 9], 'little')
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0.0, 1.0), described=st.booleans())
@example(share=0.0, described=False)
@example(share=0.0005, described=True)
def test_cut_anywhere(chunks: Path, share: float, described: bool) -> None:
    whole = (chunks / 'chunks.mcap').read_bytes()
    cut = chunks.with_name('cut')
    shutil.rmtree(cut, ignore_errors=True)
    cut.mkdir()
    if described:
        shutil.copy(chunks / 'metadata.yaml', cut)
    part = whole[: round(share * (len(whole) - 1))]
    (cut / 'chunks.mcap').write_bytes(part)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', BagWarning)
        found = read(cut)
    assert found == messages_by_mcap(part)
    assert len(caught) <= 1
    assert len(found) == COUNT or len(caught) == 1


def test_what_is_missing_is_named(chunks: Path) -> None:
    (chunks / 'metadata.yaml').unlink()
    assert len(read(chunks)) == COUNT  # the file is whole: no warning
    file = chunks / 'chunks.mcap'
    whole = file.read_bytes()
    tenth = chunk_starts(whole)[10]
    file.write_bytes(whole[: tenth + 33])
    with pytest.warns(BagWarning) as caught:
        assert len(read(chunks)) == 10
    (text,) = {str(warning.message) for warning in caught}
    assert text == (
        f'{file}: not closed, 33 bytes after byte {tenth} are left out; '
        '10 messages are intact, the last of 0.036 s after the first'
    )
    with pytest.warns(BagWarning, match='33 bytes'):
        assert len(read(file)) == 10


def test_messages_outside_chunks_are_named(chunks: Path) -> None:
    """Other recorders may write both kinds into one file."""
    file = chunks / 'chunks.mcap'
    whole = file.read_bytes()
    tenth = chunk_starts(whole)[10]
    data = bytes([0, 1, 0, 0])
    message = struct.pack('<BQHIQQ', 0x05, 22 + len(data), 1, 0, START, START) + data
    file.write_bytes(whole[:tenth] + 3 * message + whole[tenth:-9])
    with pytest.warns(BagWarning) as caught:
        assert len(read(file)) == COUNT
    (text,) = {str(warning.message) for warning in caught}
    assert text.startswith(f'{file}: 3 messages outside chunks are left out; {COUNT} messages are')


def test_zeros_at_the_end(chunks: Path) -> None:
    """A file system may give a file its length before its content."""
    file = chunks / 'chunks.mcap'
    whole = file.read_bytes()
    start = chunk_starts(whole)[5]
    file.write_bytes(whole[:start] + bytes(4096))
    with pytest.warns(BagWarning, match=f'4096 bytes after byte {start} are left out; 5 messages'):
        assert len(read(chunks)) == 5


def test_damage_in_the_middle(chunks: Path) -> None:
    file = chunks / 'chunks.mcap'
    damaged = bytearray(file.read_bytes())
    start = chunk_starts(damaged)[7]
    damaged[start + 80] ^= 0xFF
    file.write_bytes(damaged)
    after = re.escape(
        f'{chunks}: damaged after the message received at {START + 6 * 4_000_000} ns'
    )
    with Bag(chunks) as bag, pytest.raises(BagError, match=after):
        list(bag.raw_messages())
    file.write_bytes(damaged[:-20])  # and cut off: what is intact behind the damage is read
    with pytest.warns(BagWarning, match=rf'1 damaged .* \(the first at byte {start}: '):
        assert len(read(chunks)) == COUNT - 1


def test_checksums(chunks: Path) -> None:
    data = (chunks / 'chunks.mcap').read_bytes()
    records = StreamReader(BytesIO(data), emit_chunks=True, validate_crcs=True).records
    found = [record for record in records if isinstance(record, Chunk)]
    assert len(found) == COUNT and all(chunk.uncompressed_crc for chunk in found)
    assert len(messages_by_mcap(data)) == COUNT


def test_messages_come_by_time_without_the_index_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Topics are not received in the order of their stamps."""
    monkeypatch.setattr(writer, 'FLUSH_PERIOD', 0.0)
    with BagWriter(tmp_path / 'bag') as bag:
        bag.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        for i in (3, 0, 2, 1):
            bag.write('/sample', START + i, bytes([0, 1, 0, 0, i]))
    file = tmp_path / 'bag' / 'bag.mcap'
    file.write_bytes(file.read_bytes()[:-9])
    with (
        pytest.warns(BagWarning, match='files are read one by one: '),
        Bag(tmp_path / 'bag') as found,
    ):
        assert [message.data[4] for message in found.raw_messages()] == [0, 1, 2, 3]
        assert [m.log_time for m in found.raw_messages(start=START + 2)] == [START + 2, START + 3]
        assert found.start_time == START
        assert found.duration == pytest.approx(3e-9)


def test_several_files_without_metadata(chunks: Path, tmp_path: Path) -> None:
    """As `ros2 bag record` leaves them if it splits files and is killed."""
    split = tmp_path / 'split'
    split.mkdir()
    for number, first in ((10, 0), (9, 100)):  # by time, not by name
        with BagWriter(tmp_path / f'part_{number}') as part, Bag(chunks) as source:
            part.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
            for message in source.raw_messages():
                part.write('/sample', message.log_time + first * 10**9, message.data)
        shutil.copy(tmp_path / f'part_{number}' / f'part_{number}.mcap', split)
    file = split / 'part_9.mcap'
    file.write_bytes(file.read_bytes()[:100])
    with pytest.warns(BagWarning, match='part_9.mcap: not closed.*no message is intact'):
        assert len(read(split)) == COUNT
    shutil.copy(tmp_path / 'part_9' / 'part_9.mcap', split)
    with Bag(split) as bag:
        times = [message.log_time for message in bag.raw_messages()]
        assert len(times) == bag.topics['/sample'].count == 2 * COUNT
        assert times == sorted(times)
        assert bag.duration == pytest.approx(100 + 0.004 * (COUNT - 1))


@pytest.fixture
def half(chunks: Path, tmp_path: Path) -> Path:
    """Return a bag of two files whose second one is absent."""
    half = tmp_path / 'half'
    shutil.copytree(chunks, half)
    text = (half / 'metadata.yaml').read_text()
    first = re.search(r'^( *- )chunks.mcap$', text, re.MULTILINE)
    assert first
    second = f'{first[0]}\n{first[1]}chunks_1.mcap'
    (half / 'metadata.yaml').write_text(text.replace(first[0], second, 1))
    return half


def warned(path: Path) -> list[str]:
    """Return the warnings of a bag whose files that are there are whole."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', BagWarning)
        assert len(read(path)) == COUNT
    return [str(warning.message) for warning in caught]


def test_missing_files_are_named(half: Path) -> None:
    (text,) = warned(half)
    start = f'{half}: files are read one by one: missing files of metadata.yaml: chunks_1.mcap; '
    assert text.startswith(f'{start}Some database files are missing')
    (half / 'chunks_1.mcap.zstd').write_bytes(b'')
    (text,) = warned(half)
    assert 'chunks_1.mcap; compressed files are left out: chunks_1.mcap.zstd; Some' in text
    (half / 'metadata.yaml').unlink()
    (text,) = warned(half)
    assert 'missing files' not in text and ': chunks_1.mcap.zstd; Expected metadata' in text


@pytest.mark.parametrize('content', [b'', b'- 1', b'a: [', b'\xff\xfe\xfd', b'\x00'])
def test_metadata_that_cannot_be_read_is_warned_of(chunks: Path, content: bytes) -> None:
    (chunks / 'metadata.yaml').write_bytes(content)
    (text,) = warned(chunks)
    assert text.startswith(f'{chunks}: files are read one by one: ')
    assert len(text.splitlines()) == 1


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / 'other.mcap'
    file.write_bytes(b'SQLite format 3\x00' + bytes(100))
    for path in (tmp_path, file):
        with pytest.raises(BagError, match='other.mcap: expected an MCAP file, got one beginning'):
            Bag(path)
    with pytest.raises(BagError, match='expected a bag, got'):
        Bag(tmp_path / 'nothing')
