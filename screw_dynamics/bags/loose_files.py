# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""MCAP files without metadata.yaml, read as one bag, and folders that lost files."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath

from rosbags.interfaces import Connection
from rosbags.rosbag2.storage_mcap import McapReader

from screw_dynamics.bags.cut_off_file import CutOffFile
from screw_dynamics.error_texts import listed, short
from screw_dynamics.errors import InputError
from screw_dynamics.yaml_files.loading import load_yaml


class LooseFiles:
    """
    The intact parts of MCAP files as one bag.

    Implements the part of the library's reader that `Bag` uses. Raises `BagError` if a file is
    not an MCAP file.
    """

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
    """
    Return at most one line: the files that are not read, and the `reason` of the library.

    Empty if there are no such files and the reason is a missing metadata.yaml or already covered
    by the losses `of_files`.
    """
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
