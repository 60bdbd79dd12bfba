# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`BagWriter`: an MCAP file with the metadata.yaml of rosbag2."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml
from mcap.writer import CompressionType, Writer
from rosbags.interfaces import Qos
from rosbags.rosbag2.metadata import dump_qos_v9

from screw_dynamics.errors import BagError
from screw_dynamics.recordings.bags.definitions import definition_hash

# The version of metadata.yaml that ROS 2 Jazzy and newer write.
_VERSION = 9


class BagWriter:
    """
    A new MCAP bag, open for writing; closed at the end of a ``with`` block, also after an error.

    If the process is killed or the disk is full, `Bag` reads all that was written by `flush`.
    """

    def __init__(self, path: str | Path, compress: bool = False) -> None:
        self.path = Path(path)
        self._channels: dict[str, int] = {}
        self._schemas: dict[tuple[str, str], int] = {}
        self._topics: dict[str, dict[str, Any]] = {}  # as in metadata.yaml
        self._counts: Counter[str] = Counter()
        self._span = (2**63 - 1, 0)  # first and last log time [ns]
        self._error: OSError | None = None
        try:
            self.path.mkdir(parents=True)
            self._file = (self.path / f'{self.path.name}.mcap').open('xb')
        except (OSError, ValueError) as error:  # ValueError: invalid folder name
            raise BagError(f'{self.path}: cannot create the bag: {error}') from error
        compression = CompressionType.ZSTD if compress else CompressionType.NONE
        self._writer = Writer(self._file, compression=compression)
        try:
            self._writer.start('ros2')
            self.flush()
        except BagError:  # the disk is full
            self.close()
            raise

    def __enter__(self) -> BagWriter:
        """Return the open bag."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the bag."""
        self.close()

    @contextmanager
    def _output(self) -> Iterator[None]:
        """Convert the first error of the disk to `BagError`, and raise it again from then on."""
        try:
            if self._error is not None:
                raise self._error
            yield
        except OSError as error:
            self._error = error
            raise BagError(f'{self.path}: cannot be written: {error}') from error

    def add_topic(
        self,
        topic: str,
        type_name: str,
        definition: str,
        qos: Sequence[Qos] = (),
        type_hash: str | None = None,
    ) -> None:
        """
        Add a topic; raise `BagError` if it exists or the definition cannot be read.

        The definition is the .msg text, followed by those of all nested types. The hash (RIHS01)
        is that which the publishers announce; it is computed from the definition by default.
        """
        if topic in self._topics:
            raise BagError(f'{self.path}: topic {topic!r}: added twice')
        try:
            computed_hash = definition_hash(type_name, definition)
        except BagError as error:
            raise BagError(f'{self.path}: topic {topic!r}: {error}') from error
        profiles, type_hash = dump_qos_v9(list(qos)), type_hash or computed_hash
        kind = type_name, definition
        with self._output():
            if kind not in self._schemas:
                data = definition.encode()
                self._schemas[kind] = self._writer.register_schema(type_name, 'ros2msg', data)
            self._channels[topic] = self._writer.register_channel(
                topic,
                'cdr',
                self._schemas[kind],
                {'offered_qos_profiles': yaml.safe_dump(profiles), 'topic_type_hash': type_hash},
            )
        self._topics[topic] = {
            'name': topic,
            'type': type_name,
            'serialization_format': 'cdr',
            'offered_qos_profiles': profiles,
            'type_description_hash': type_hash,
        }

    def write(self, topic: str, log_time: int, data: bytes) -> None:
        """Write one message in CDR with its time of reception [ns since the epoch]."""
        if topic not in self._channels:
            raise BagError(f'{self.path}: topic {topic!r}: not added before writing')
        with self._output():
            self._writer.add_message(self._channels[topic], log_time, data, log_time)
        self._counts[topic] += 1
        self._span = min(self._span[0], log_time), max(self._span[1], log_time)

    def flush(self) -> None:
        """Write all messages to the disk, so that a kill or a power failure leaves them intact."""
        with self._output():
            self._writer.flush()  # type: ignore[no-untyped-call]
            try:
                os.fsync(self._file.fileno())
            except OSError as error:
                if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # of some file systems
                    raise

    def close(self) -> None:
        """
        Write the rest, the index and metadata.yaml; raise `BagError` if the disk is full.

        A second call does nothing, and a call after an error keeps what is written.
        """
        if self._file.closed:
            return
        try:
            if self._error is None:
                with self._output():
                    self._writer.finish()  # type: ignore[no-untyped-call]
                self.flush()
                with self._output():
                    document = {'rosbag2_bagfile_information': self._metadata()}
                    text = yaml.safe_dump(document, sort_keys=False)
                    (self.path / 'metadata.yaml').write_text(text, encoding='utf-8')
        finally:
            with suppress(OSError):  # already raised
                self._file.close()

    def _metadata(self) -> dict[str, Any]:
        file = Path(self._file.name).name
        topics = [
            {'topic_metadata': topic, 'message_count': self._counts[name]}
            for name, topic in self._topics.items()
        ]
        return {
            'version': _VERSION,
            'storage_identifier': 'mcap',
            'relative_file_paths': [file],
            **self._extent(),
            'topics_with_message_count': topics,
            'compression_format': '',
            'compression_mode': '',
            'files': [{'path': file, **self._extent()}],
            'custom_data': None,
            'ros_distro': os.environ.get('ROS_DISTRO', 'unknown'),
        }

    def _extent(self) -> dict[str, Any]:
        start, end = self._span
        return {
            'starting_time': {'nanoseconds_since_epoch': start},
            'duration': {'nanoseconds': max(0, end - start)},
            'message_count': self._counts.total(),
        }
