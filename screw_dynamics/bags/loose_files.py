# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""MCAP files without metadata.yaml or without their end, read as one bag."""

import os
import struct
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import BinaryIO

from rosbags.interfaces import Connection
from rosbags.rosbag2.storage_mcap import ChunkInfo, McapReader, Statistics

from screw_dynamics.errors import BagError, InputError, listed, short
from screw_dynamics.yaml_files.loading import load_yaml

_MAGIC = b'\x89MCAP0\r\n'
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _DATA_END = 0x03, 0x04, 0x05, 0x06, 0x0F
_PREFIX = struct.Struct('<BQ')  # of a record: kind, length of the content
# of a chunk: two log times, uncompressed size, checksum, length of the compression's name
_CHUNK_HEAD = struct.Struct('<QQQII')
_LONGEST_REASON = 80  # characters


class CutOffFile(McapReader):
    """The intact chunks of a damaged MCAP file; once open, the library reads it like others."""

    path: Path

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._cut_at: int | None = None  # where an unfinished record begins, or the file ends
        self._size = 0
        self._damaged: list[tuple[int, str]] = []  # chunks: start, reason
        self._outside = 0  # messages outside chunks, if there are chunks too

    def open(self) -> None:
        """Find the intact chunks; raise `BagError` if the file is not an MCAP file."""
        self.bio = self.path.open('rb')
        try:
            self._walk(self.bio)
        except BaseException:
            self.close()
            raise

    def _walk(self, file: BinaryIO) -> None:
        self._size = file.seek(0, os.SEEK_END)
        file.seek(0)
        start = file.read(len(_MAGIC))
        if not _MAGIC.startswith(start):
            raise BagError(f'{self.path}: expected an MCAP file, got one beginning with {start!r}')
        intact, closed, unchunked = len(start), False, 0
        parts: list[Statistics] = []
        for kind, begin, end in _records(file, intact, self._size):
            intact, closed = end, kind == _DATA_END
            if closed:
                break
            unchunked += kind == _MESSAGE
            if kind in (_SCHEMA, _CHANNEL, _CHUNK):
                self._take(kind, begin, end, parts)
        if self.chunks:
            self._outside = unchunked
        elif unchunked:
            parts.append(self._scan(len(_MAGIC), intact))
        self._cut_at = None if closed else intact
        self._sum_up(parts)

    def _take(self, kind: int, begin: int, end: int, parts: list[Statistics]) -> None:
        """Scan a record and append its statistics to `parts`, or note it as damaged."""
        try:
            part = self._scan(begin, end)
            if kind == _CHUNK:
                self.chunks.append(self._chunk(begin, end, part))
        except Exception as error:  # the library raises many types for damaged files
            reason = ' '.join(str(error).split())[:_LONGEST_REASON]
            self._damaged.append((begin, reason or type(error).__name__))
        else:
            parts.append(part)

    def _scan(self, begin: int, end: int) -> Statistics:
        """Scan a part of the file with the library, and return its statistics."""
        self.data_start, self.data_end = begin, end
        self.meta_scan()
        assert self.statistics is not None
        return self.statistics

    def _chunk(self, begin: int, end: int, part: Statistics) -> ChunkInfo:
        """Return the entry of a chunk as the index at the end of the file would contain it."""
        assert self.bio is not None
        self.bio.seek(begin + _PREFIX.size)
        head = self.bio.read(_CHUNK_HEAD.size)
        *_, uncompressed_size, _, length = _CHUNK_HEAD.unpack(head)
        compression = self.bio.read(length).decode()
        return ChunkInfo(
            message_start_time=part.start_time,
            message_end_time=part.end_time,
            chunk_start_offset=begin,
            chunk_length=end - begin,
            message_index_offsets={},
            message_index_length=0,
            compression=compression,
            compressed_size=int.from_bytes(self.bio.read(8), 'little'),
            uncompressed_size=uncompressed_size,
            channel_count=part.channel_message_counts,
        )

    def _sum_up(self, parts: list[Statistics]) -> None:
        """Set the message counts of the topics, and the first and last time."""
        counts: Counter[int] = Counter()
        for part in parts:
            counts.update(part.channel_message_counts)
        self.connections[:] = [c._replace(msgcount=counts[c.id]) for c in self.connections]
        filled = [part for part in parts if part.message_count]
        if filled:
            start = min(part.start_time for part in filled)
            end = max(part.end_time for part in filled)
            self.metadata = self.metadata._replace(
                duration=end - start + 1,
                start_time=start,
                end_time=end + 1,
                message_count=counts.total(),
            )

    def losses(self) -> str:
        """Return a line about everything that was skipped, empty if nothing was."""
        faults = []
        if self._cut_at is not None:
            left_out = self._size - self._cut_at
            faults.append(f'not closed, {left_out} bytes after byte {self._cut_at} are left out')
        if self._damaged:
            begin, reason = self._damaged[0]
            faults.append(
                f'{len(self._damaged)} damaged parts are left out (the first at byte {begin}: '
                f'{reason})'
            )
        if self._outside:
            faults.append(f'{self._outside} messages outside chunks are left out')
        if not faults:
            return ''
        about = self.metadata
        read = 'no message is intact'
        if about.message_count:
            read = (
                f'{about.message_count} messages are intact, the last of '
                f'{1e-9 * (about.duration - 1):.3f} s after the first'
            )
        return f'{self.path}: {"; ".join(faults)}; {read}'


def _records(file: BinaryIO, begin: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Yield kind, start and end of every complete record."""
    while begin + _PREFIX.size <= size:
        file.seek(begin)
        kind, length = _PREFIX.unpack(file.read(_PREFIX.size))
        end = begin + _PREFIX.size + length
        if not kind or end > size:  # a power failure leaves zeros
            return
        yield kind, begin, end
        begin = end


class LooseFiles:
    """The intact parts of MCAP files as one bag, with the interface of the library's reader."""

    def __init__(self, paths: Collection[Path]) -> None:
        self.losses: list[str] = []
        with ExitStack() as stack:
            files = [self._opened(path, stack) for path in paths]
            self._files = sorted(files, key=lambda file: file.metadata.start_time)
            self.connections = list(self._topics().values())
            self._stack = stack.pop_all()
        self.is_open = True

    def _opened(self, path: Path, stack: ExitStack) -> McapReader:
        file = McapReader(path)
        try:
            file.open()
        except Exception:  # the library raises many types for damaged files
            file = cut_off = CutOffFile(path)
            cut_off.open()
            self.losses += filter(None, [cut_off.losses()])
        stack.callback(file.close)
        return file

    def _topics(self) -> dict[tuple[str, str], Connection]:
        """Return the topics by name and type, with their message counts over all files."""
        found: dict[tuple[str, str], Connection] = {}
        for connection in (c for file in self._files for c in file.connections):
            key = connection.topic, connection.msgtype
            count = found[key].msgcount if key in found else 0
            found[key] = connection._replace(msgcount=count + connection.msgcount)
        return found

    @property
    def message_count(self) -> int:
        """Number of messages."""
        return sum(file.metadata.message_count for file in self._files)

    @property
    def start_time(self) -> int:
        """Time of the first message [ns since the epoch]."""
        return min(file.metadata.start_time for file in self._files)

    @property
    def duration(self) -> int:
        """Time from the first message to one nanosecond past the last [ns]."""
        end = max(file.metadata.end_time for file in self._files)
        return end - self.start_time if self.message_count else 0

    def close(self) -> None:
        """Close the files."""
        self.is_open = False
        self._stack.close()

    def messages(
        self, connections: Collection[Connection], start: int | None = None
    ) -> Iterator[tuple[Connection, int, bytes]]:
        """Yield topic, log time [ns] and content of messages, file by file."""
        wanted = {(c.topic, c.msgtype): c for c in connections}
        for file in self._files:
            own = [c for c in file.connections if (c.topic, c.msgtype) in wanted]
            if own:
                for connection, time, data in file.messages(own, start):
                    yield wanted[connection.topic, connection.msgtype], time, data


def folder_losses(path: Path, reason: Exception, of_files: Sequence[str]) -> list[str]:
    """Return at most one line: the files that are not read, and the `reason` of the library."""
    faults = []
    missing = [name for name in _names(path) if not (path / name).exists()]
    if missing:
        faults.append(f'missing files of metadata.yaml: {listed(missing)}')
    compressed = sorted(file.name for file in path.glob('*.mcap.zstd'))
    if compressed:
        faults.append(f'compressed files are left out: {listed(compressed)}')
    # intact files need no metadata.yaml; the losses of others are already reported
    if not faults and (of_files or isinstance(reason, FileNotFoundError)):
        return []
    faults.append(short(' '.join(str(reason).split())))
    return [f'{path}: files are read one by one: {"; ".join(faults)}']


def _names(path: Path) -> list[str]:
    """Return the files listed in metadata.yaml, none if it cannot be read."""
    try:
        document = load_yaml((path / 'metadata.yaml').read_bytes())
        files = document['rosbag2_bagfile_information']['relative_file_paths']
        return [PurePath(file).name for file in files]
    except (OSError, InputError, KeyError, TypeError):
        return []
