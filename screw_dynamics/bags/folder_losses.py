# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`folder_losses`: data missing in a bag whose MCAP files are read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from screw_dynamics.error_texts import listed, short
from screw_dynamics.errors import InputError
from screw_dynamics.yaml_files.loading import load_yaml


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
