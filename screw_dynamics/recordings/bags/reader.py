# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Bag`: read a recorded bag, with or without ROS installed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from rosbags.interfaces import Connection, ConnectionExtRosbag2, MessageDefinitionFormat
from rosbags.rosbag2 import Reader
from rosbags.serde import SerdeError
from rosbags.typesys import (
    Stores,
    TypesysError,
    get_types_from_idl,
    get_types_from_msg,
    get_typestore,
)
from rosbags.typesys.store import Typestore

from screw_dynamics.errors import BagError, BagWarning, UnknownNameError, listed, short
from screw_dynamics.recordings.bags.definitions import MessageTypes
from screw_dynamics.recordings.bags.loose_files import LooseFiles
from screw_dynamics.recordings.bags.records import BagMessage, BagTopic, RawMessage, columns

_UNREADABLE = 'cannot be read as a bag'


@lru_cache(256)
def _types(name: str, is_idl: bool, definition: str) -> Typestore:
    """Return the types in a definition, which takes as long to read as hundreds of messages."""
    found = get_typestore(Stores.EMPTY)
    read = get_types_from_idl(definition) if is_idl else get_types_from_msg(definition, name)
    found.register(read)
    found.get_msgdef(name)
    return found


class Bag:
    """
    A recorded bag, open for reading; closed at the end of a ``with`` block.

    The intact part of an interrupted recording (recorder killed, disk full, power failure) is
    readable, also without metadata.yaml.

    Parameters
    ----------
    path : str or Path
        The bag's folder, or a single .mcap or .db3 file.

    Raises
    ------
    BagError
        If there is no bag at the path, or a definition cannot be read.

    Warns
    -----
    BagWarning
        If data is skipped: which bytes of which file, and the number of intact messages.

    Examples
    --------
    >>> with Bag('demo_output/bag') as bag:                              # doctest: +SKIP
    ...     torque = bag.arrays('/feedforward/feedforward')
    >>> torque['effort'].shape, torque['joint_names'][0]                 # doctest: +SKIP
    ((1501, 7), 'joint_1')
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._reader = self._opened()
        self._types: dict[str, Typestore] = {}  # by topic
        self._definitions: dict[str, str] = {}  # by topic
        try:
            for connection in self._reader.connections:
                self._register(connection)
        except BaseException:
            self.close()
            raise

    def _opened(self) -> Reader | LooseFiles:
        try:
            reader = Reader(str(self.path))
            reader.open()
            return reader
        except Exception as error:  # the library raises many types for damaged files
            return self._salvaged(error)

    def _salvaged(self, reason: Exception) -> Reader | LooseFiles:
        """Read the files of a bag that the library cannot open, and warn about losses."""
        files = list(self.path.glob('*.mcap')) if os.path.isdir(self.path) else [self.path]
        databases = [] if files else list(self.path.glob('*.db3'))
        if len(databases) == 1 and isinstance(reason, FileNotFoundError):
            return Bag(databases[0])._reader
        if not files or not all(os.path.isfile(file) and file.suffix == '.mcap' for file in files):
            found = 'expected a bag, got' if isinstance(reason, OSError) else _UNREADABLE
            raise BagError(f'{self.path}: {found}: {reason}') from reason
        try:
            loose = LooseFiles(files)
        except BagError:
            raise
        except Exception as error:  # of the system, or of the library
            raise BagError(f'{self.path}: {_UNREADABLE}: {error}') from error
        compressed = [file.name for file in self.path.glob('*.mcap.zstd')]
        losses = [*loose.losses, *(f'left out, compressed: {name}' for name in sorted(compressed))]
        if losses or not isinstance(reason, FileNotFoundError):  # of metadata.yaml
            why = short(' '.join(str(reason).split()))
            text = '; '.join([f'{self.path}: its files are read one by one: {why}', *losses])
            warnings.warn(text, BagWarning, stacklevel=4)
        return loose

    def _register(self, connection: Connection) -> None:
        """Register a type and its nested types from the definition inside the bag."""
        form, definition = connection.msgdef.format, connection.msgdef.data
        if form not in (MessageDefinitionFormat.IDL, MessageDefinitionFormat.MSG):
            # ROS 2 Humble and older write none; messages of unknown types can only be copied
            try:
                definition = MessageTypes().definition(connection.msgtype)
            except BagError:
                return
        self._definitions[connection.topic] = definition
        try:
            is_idl = form == MessageDefinitionFormat.IDL
            self._types[connection.topic] = _types(connection.msgtype, is_idl, definition)
        except (TypesysError, KeyError) as error:
            raise BagError(
                f'{self.path}: topic {connection.topic!r}: definition of {connection.msgtype} '
                f'cannot be read: {error}'
            ) from error

    def __repr__(self) -> str:
        """Return the path, the duration, and the topics with their numbers of messages."""
        topics = listed(f'{name} ({topic.count})' for name, topic in self.topics.items())
        return f'Bag({str(self.path)!r}, {self.duration:.3f} s; {topics})'

    def __enter__(self) -> Bag:
        """Return the open bag."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the bag."""
        self.close()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if isinstance(self._reader, Reader) and self._reader.is_open:
            self._reader.close()

    @property
    def topics(self) -> dict[str, BagTopic]:
        """The recorded topics by name."""
        return {
            c.topic: BagTopic(
                c.msgtype,
                c.msgcount,
                c.digest or self._hash(c),
                self._definitions.get(c.topic, ''),
                tuple(cast(ConnectionExtRosbag2, c.ext).offered_qos_profiles),
            )
            for c in self._reader.connections
        }

    def _hash(self, connection: Connection) -> str:
        known = self._types.get(connection.topic)
        return known.hash_rihs01(connection.msgtype) if known else ''

    @property
    def start_time(self) -> int:
        """Time of the first message [ns since the epoch], 0 for an empty bag."""
        return self._reader.start_time if self._reader.message_count else 0

    @property
    def duration(self) -> float:
        """Time from the first to the last message [s]."""
        # the library's duration reaches one nanosecond past the last message
        return 1e-9 * max(int(self._reader.duration) - 1, 0)

    def messages(self, topics: Sequence[str] | None = None) -> Iterator[BagMessage]:
        """
        Return the messages in the order they were received, as an iterator of `BagMessage`.

        Parameters
        ----------
        topics : sequence of str, optional
            Only these topics; all by default.

        Raises
        ------
        UnknownNameError
            If a topic is not in the bag.
        BagError
            During iteration, at a message that does not match its type, or if the file is damaged.
        """
        return (
            BagMessage(c.topic, c.msgtype, time, self._decoded(c, time, data))
            for c, time, data in self._read(self._chosen(topics))
        )

    def raw_messages(self, topics: Sequence[str] | None = None) -> Iterator[RawMessage]:
        """Return the serialized messages as `RawMessage`; otherwise as `messages`."""
        return (
            RawMessage(c.topic, time, bytes(data))
            for c, time, data in self._read(self._chosen(topics))
        )

    def _decoded(self, connection: Connection, time: int, data: bytes) -> Any:
        if connection.topic not in self._definitions:
            raise BagError(
                f'{self.path}: topic {connection.topic!r}: no definition of {connection.msgtype} '
                f'is embedded: record it again with MCAP and ROS 2 Iron or newer'
            )
        try:
            return self._types[connection.topic].deserialize_cdr(data, connection.msgtype)
        except SerdeError as error:
            raise BagError(
                f'{self.path}: topic {connection.topic!r}, message received at {time} ns: '
                f'expected a {connection.msgtype} in plain CDR, got {len(data)} bytes '
                f'({bytes(data[:8]).hex()}...): {error}'
            ) from None

    def _chosen(self, topics: Sequence[str] | None) -> list[Connection]:
        known = self.topics
        for name in topics or ():
            if name not in known:
                raise UnknownNameError('topic', name, known)
        return [c for c in self._reader.connections if topics is None or c.topic in topics]

    def _read(self, connections: list[Connection]) -> Iterator[tuple[Connection, int, bytes]]:
        if not connections:  # an empty filter would mean all topics to the library
            return
        time = None
        try:
            for connection, time, data in self._reader.messages(connections):
                yield connection, time, data
        except Exception as error:  # the library raises many types for damaged files
            where = 'its first message' if time is None else f'the message received at {time} ns'
            raise BagError(f'{self.path}: damaged after {where}: {error}') from error

    def arrays(self, topic: str) -> dict[str, Any]:
        """
        Return one topic as arrays, one per field.

        Parameters
        ----------
        topic : str
            Name of the topic.

        Returns
        -------
        dict of str to column
            ``'log_time'`` (T,) int64 [ns since the epoch], ``'time'`` (T,) float64 [s since
            the bag's first message], and every field as `columns` describes, e.g.
            ``'effort'`` (T, n), ``'reference.positions'`` (T, n), ``'joint_names'``.

        Raises
        ------
        UnknownNameError
            If the topic is not in the bag.
        """
        recorded = list(self.messages([topic]))
        log_time = np.array([item.log_time for item in recorded], dtype=np.int64)
        return {
            'log_time': log_time,
            'time': (log_time - self.start_time) * 1e-9,
            **columns(item.message for item in recorded),
        }
