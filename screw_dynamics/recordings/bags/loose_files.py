# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""MCAP files without metadata.yaml or without their end, read from their start as one bag."""

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from mcap.exceptions import InvalidMagic
from mcap.reader import NonSeekingReader
from mcap.records import Channel, Message, Schema
from mcap.stream_reader import MAGIC_SIZE
from rosbags.interfaces import (
    Connection,
    ConnectionExtRosbag2,
    MessageDefinition,
    MessageDefinitionFormat,
)
from rosbags.rosbag2.metadata import parse_qos

from screw_dynamics.errors import BagError

_FORMATS = {'ros2msg': MessageDefinitionFormat.MSG, 'ros2idl': MessageDefinitionFormat.IDL}
_Key = tuple[str, str]  # name and type of a topic, which are the same in all files


class LooseFiles:
    """The intact parts of MCAP files as one bag, with the interface of the library's reader."""

    def __init__(self, paths: Collection[Path]) -> None:
        self._paths = paths
        self.losses: list[str] = []  # a line for each file that is not intact
        topics: dict[_Key, Connection] = {}
        counts: Counter[_Key] = Counter()
        self.start_time, end = 2**63 - 1, 0
        for path in paths:
            for schema, channel, message in self._messages(path, self.losses):
                key = channel.topic, schema.name
                if key not in topics:
                    topics[key] = _connection(schema, channel)
                counts[key] += 1
                self.start_time = min(self.start_time, message.log_time)
                end = max(end, message.log_time)
        self.connections = [c._replace(msgcount=counts[key]) for key, c in topics.items()]
        self.message_count = counts.total()
        self.duration = end - self.start_time + 1  # as in the library, past the last message

    def _messages(
        self, path: Path, losses: list[str], topics: Collection[str] | None = None
    ) -> Iterator[tuple[Schema, Channel, Message]]:
        """Yield the intact messages of a file, and append a line to `losses` if it is cut off."""
        end, count = 0, 0
        with path.open('rb') as file:
            reader = NonSeekingReader(file, validate_crcs=True)
            try:
                for schema, channel, message in reader.iter_messages(topics, log_time_order=False):
                    end, count = file.tell(), count + 1
                    if schema is not None:
                        yield schema, channel, message
            except Exception as error:  # the library raises many types for damaged files
                if isinstance(error, InvalidMagic) and file.tell() == MAGIC_SIZE:
                    raise BagError(f'{path}: expected an MCAP file: {error}') from None
                losses.append(
                    f'{path}: cut off or damaged: {path.stat().st_size - end} bytes after byte '
                    f'{end} are left out; {count} messages are intact'
                )

    def messages(
        self, connections: Collection[Connection]
    ) -> Iterator[tuple[Connection, int, bytes]]:
        """Yield the messages of topics by log time, after all of them are read."""
        wanted = {(c.topic, c.msgtype): c for c in connections}
        topics = {c.topic for c in connections}
        found = [
            (wanted[channel.topic, schema.name], message.log_time, message.data)
            for path in self._paths
            for schema, channel, message in self._messages(path, [], topics)
        ]
        return iter(sorted(found, key=lambda item: item[1]))


def _connection(schema: Schema, channel: Channel) -> Connection:
    form = _FORMATS.get(schema.encoding, MessageDefinitionFormat.NONE)
    about = channel.metadata
    qos = parse_qos(about.get('offered_qos_profiles', ''))
    return Connection(
        id=channel.id,
        topic=channel.topic,
        msgtype=schema.name,
        msgdef=MessageDefinition(form, schema.data.decode()),
        digest=about.get('topic_type_hash', ''),
        msgcount=0,
        ext=ConnectionExtRosbag2(channel.message_encoding, qos),
        owner=None,
    )
