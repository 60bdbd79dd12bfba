# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`folder_losses`: what a bag has beside the MCAP files that are read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from screw_dynamics.error_texts import listed, short
from screw_dynamics.errors import InputError
from screw_dynamics.yaml_loading import load_yaml


def folder_losses(path: Path, reason: Exception, of_files: Sequence[str]) -> list[str]:
    """Return a line with files that are not read, and why the bag is not read as a whole."""
    faults = []
    missing = [name for name in _names(path) if not (path / name).exists()]
    if missing:
        faults.append(f'missing files of metadata.yaml: {listed(missing)}')
    compressed = sorted(file.name for file in path.glob('*.mcap.zstd'))
    if compressed:
        faults.append(f'compressed files are left out: {listed(compressed)}')
    # files that are whole need no metadata.yaml; what is lost of others is known by now
    if not faults and (of_files or isinstance(reason, FileNotFoundError)):
        return []
    faults.append(short(' '.join(str(reason).split())))
    return [f'{path}: files are read one by one: {"; ".join(faults)}']


def _names(path: Path) -> list[str]:
    """Return the files that metadata.yaml lists, none where it cannot be read."""
    try:
        document = load_yaml((path / 'metadata.yaml').read_bytes())
        files = document['rosbag2_bagfile_information']['relative_file_paths']
        return [PurePath(file).name for file in files]
    except (OSError, InputError, KeyError, TypeError):
        return []
