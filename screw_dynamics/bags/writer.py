# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Writer of bags that survive a power failure: chunks with checksums, synchronised files."""

from __future__ import annotations

import errno
import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from queue import Empty, Queue
from threading import Lock, Thread
from typing import Any, Literal
from zlib import crc32

from rosbags.interfaces import Connection, Qos
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer, WriterError
from rosbags.rosbag2.storage_mcap import McapWriter

from screw_dynamics.bags.definitions import definition_hash
from screw_dynamics.errors import BagError

# in the record of a chunk, after kind, length, two log times and the uncompressed size
_CHECKSUM_OFFSET = 1 + 8 + 3 * 8
# errors of a file system that cannot wait for the disk
_NOT_SUPPORTED = (errno.EINVAL, errno.ENOTSUP)


class CheckedMcapWriter(McapWriter):
    """An MCAP file with checksums in its chunks, which the library omits."""

    def close_chunk(self) -> None:
        """Write the pending chunk with the checksum of its content."""
        checksum = crc32(self.chunk.bio.getbuffer())
        start = self.bio.tell()
        super().close_chunk()
        self.bio.seek(start + _CHECKSUM_OFFSET)
        self.bio.write(checksum.to_bytes(4, 'little'))
        self.bio.seek(0, os.SEEK_END)

    def flush(self) -> None:
        """Close the pending chunk if it has messages, and flush to the operating system."""
        if self.chunk.msgs:
            self.close_chunk()
        self.bio.flush()


class CheckedWriter(Writer):
    """The library's writer of bags, in MCAP with checksums."""

    STORAGE_PLUGINS = {StoragePlugin.MCAP: CheckedMcapWriter}
    storage: CheckedMcapWriter | None

    def flush(self) -> Path:
        """Flush to the operating system, and return the path of the file."""
        assert self.storage is not None, 'the bag is open'
        self.storage.flush()
        return self.storage.path


def to_disk(paths: Iterable[Path]) -> None:
    """Wait until files and folder entries are on the disk, if the file system can wait for it."""
    for path in paths:
        try:
            _synchronize(path)
        except OSError as error:
            if error.errno not in _NOT_SUPPORTED and not os.path.isdir(path):
                raise


def _synchronize(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# The version of metadata.yaml that ROS 2 Jazzy and newer write.
BAG_VERSION: Literal[9] = 9
# Queue limit for writers without time constraints: an image has some MB.
OFFLINE_CAPACITY = 64
# Messages are on the disk this long after `write` [s], so a power failure loses no more.
FLUSH_PERIOD = 1.0
_NEVER = math.inf

_Item = tuple[Connection, int, bytes]


class BagWriter:
    """
    An MCAP bag, open for writing; closed at the end of a ``with`` block, also after an error.

    `write` only appends the message to a queue, so that a slow disk delays no callback; a thread
    writes it to the disk within a second. No message is dropped. If the process is killed or the
    power fails, at most this second is lost; `Bag` reads the rest.

    Parameters
    ----------
    path : str or Path
        The folder to create.
    compress : bool
        Compress the chunks of the file with zstd.
    capacity : int
        Messages in the queue at which `write` waits, to bound the memory; 0 for no limit.

    Raises
    ------
    BagError
        If the folder exists or cannot be created.

    Examples
    --------
    >>> with BagWriter('my_bag') as bag:                                   # doctest: +SKIP
    ...     bag.add_topic('/chatter', 'std_msgs/msg/String', 'string data')
    ...     bag.write('/chatter', 1_000_000_000, cdr_bytes)
    """

    def __init__(self, path: str | Path, compress: bool = False, capacity: int = 0) -> None:
        self.path = Path(path)
        self._connections: dict[str, Connection] = {}
        self._queue: Queue[_Item | None] = Queue(capacity)
        self._error: Exception | None = None
        self._closed = False
        self._lock = Lock()  # topics are added while the thread writes
        try:
            self._writer = CheckedWriter(
                self.path, version=BAG_VERSION, storage_plugin=StoragePlugin.MCAP
            )
            if compress:
                self._writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
            self._writer.open()
            self._file = self._writer.flush()  # the header
        except (WriterError, OSError, ValueError) as error:  # ValueError: invalid folder name
            raise BagError(f'{self.path}: cannot create the bag: {error}') from error
        self._thread = Thread(target=self._drain, name='bag_writer', daemon=True)
        self._thread.start()

    def __enter__(self) -> BagWriter:
        """Return the open bag."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the bag."""
        self.close()

    def add_topic(
        self,
        topic: str,
        type_name: str,
        definition: str,
        qos: Sequence[Qos] = (),
        type_hash: str | None = None,
    ) -> None:
        """
        Add a topic, with its definition and type hash.

        Parameters
        ----------
        topic : str
            Fully qualified name.
        type_name : str
            E.g. ``'sensor_msgs/msg/JointState'``.
        definition : str
            The .msg text, followed by those of all nested types, in the form that
            `definitions.message_definition` returns.
        qos : sequence of Qos
            The profiles that the publishers offer.
        type_hash : str, optional
            RIHS01 hash announced by the publishers; computed from the definition by default.

        Raises
        ------
        BagError
            If the topic exists or the definition cannot be read.
        """
        if topic in self._connections:
            raise BagError(f'{self.path}: topic {topic!r}: added twice')
        try:
            computed_hash = definition_hash(type_name, definition)
        except BagError as error:
            raise BagError(f'{self.path}: topic {topic!r}: {error}') from error
        with self._lock:
            self._connections[topic] = self._writer.add_connection(
                topic,
                type_name,
                msgdef=definition,
                rihs01=type_hash or computed_hash,
                offered_qos_profiles=qos,
            )

    def write(self, topic: str, log_time: int, data: bytes) -> None:
        """
        Queue one message.

        Parameters
        ----------
        topic : str
            A topic that was added.
        log_time : int
            Time of reception [ns since the epoch].
        data : bytes
            The message in CDR.

        Raises
        ------
        BagError
            If the topic was not added, or an earlier message could not be written.
        """
        self._raise_error()
        try:
            connection = self._connections[topic]
        except KeyError:
            raise BagError(f'{self.path}: topic {topic!r}: not added before writing') from None
        self._queue.put((connection, log_time, data))

    def close(self) -> None:
        """
        Write the rest of the queue, the index and metadata.yaml; raise `BagError` if it fails.

        A second call does nothing.
        """
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        self._thread.join()
        self._raise_error()

    def _raise_error(self) -> None:
        if self._error is not None:
            raise BagError(f'{self.path}: cannot be written: {self._error}') from self._error

    def _drain(self) -> None:
        self._sync(self._file, self.path, self.path.parent)
        due = _NEVER
        while (item := self._next(due)) is not None:
            if item:
                self._attempt(self._writer.write, *item)
                due = min(due, time.monotonic() + FLUSH_PERIOD)
            if time.monotonic() >= due:
                self._attempt(self._writer.flush)
                self._sync(self._file)
                due = _NEVER
        self._attempt(self._writer.close)
        self._sync(self._file, self._writer.metapath, self.path)

    def _next(self, due: float) -> _Item | tuple[()] | None:
        """Return a message, None at the end, or () if none arrives before `due`."""
        try:
            wait = None if due == _NEVER else max(due - time.monotonic(), 0.0)
            return self._queue.get(timeout=wait)
        except Empty:
            return ()

    def _sync(self, *paths: Path) -> None:
        """Wait for the disk, without the lock: `write` and `add_topic` do not wait."""
        if self._error is None:
            try:
                to_disk(paths)
            except OSError as error:
                self._error = error
                self._writer.abort()

    def _attempt(self, action: Callable[..., object], *arguments: Any) -> None:
        if self._error is not None:  # drop further messages, so that `write` never blocks
            return
        try:
            with self._lock:
                action(*arguments)
        except Exception as error:  # raised by the next `write` or `close`
            self._error = error
            self._writer.abort()
