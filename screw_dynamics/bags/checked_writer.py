# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Writer of bags that survive a power failure: chunks with checksums, synchronised files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.rosbag2.storage_mcap import McapWriter

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
    """
    Wait until files and folder entries are on the disk, where they survive a power failure.

    Network and virtual file systems cannot wait for folders, some not even for files; this is not
    an error.
    """
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
