# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths from users of the library and of command lines."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InputError


def file_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file to write; raise InputError if it is not a possible path."""
    try:
        found = Path(path)
        possible = b'\0' not in os.fsencode(found)
    except TypeError:
        raise InputError(f'path: expected text or a path, got {shown(path)}') from None
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise InputError(f'path: expected the name of a file, got {shown(str(found))}')
    return found


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path with ``~`` and ``~user`` expanded; unchanged if there is no such user."""
    return Path(os.path.expanduser(path))


_NAME = 'screw_dynamics'


def share_path(relative: str | os.PathLike[str]) -> Path:
    """
    Return the path of a file or folder that is installed with the package.

    It is searched in this order: in the source checkout that the package is imported from; then in
    ``share/screw_dynamics`` of the prefix that the package is installed in, of every prefix in
    ``AMENT_PREFIX_PATH``, and of the Python environment.

    Parameters
    ----------
    relative : str or path
        Path below the share folder, for example ``'urdf/iiwa14.urdf'``.

    Returns
    -------
    Path
        Absolute path of the existing file or folder.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message lists the searched folders.
    InputError
        If the path is empty, absolute or leads out of the share folder.

    Examples
    --------
    >>> share_path('urdf/iiwa14.urdf').name
    'iiwa14.urdf'

    """
    wanted = Path(relative)
    if not wanted.parts or wanted.is_absolute() or '..' in wanted.parts:
        raise InputError(
            f'relative: expected a path below the share folder, got {shown(str(relative))}'
        )
    folders = list(dict.fromkeys(_share_folders()))
    for folder in folders:
        path = folder / wanted
        if path.exists():
            return path
    places = ''.join(f'\n  {folder}' for folder in folders)
    raise FileNotFoundError(
        f'{str(relative)!r} is not among the files of {_NAME}; looked in:{places}'
    )


def _share_folders() -> Iterator[Path]:
    """Yield the possible share folders, the most likely first."""
    # resolved: colcon build --symlink-install links to the checkout
    package = Path(__file__).resolve().parent
    if (package.parent / 'package.xml').is_file():
        yield package.parent
    # <prefix>/lib/python3.X/site-packages/screw_dynamics, with more or fewer folders between
    installed = [prefix / 'share' / _NAME for prefix in package.parents]
    yield from (folder for folder in installed if folder.is_dir())
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        if prefix:
            yield Path(prefix) / 'share' / _NAME
    yield Path(sys.prefix) / 'share' / _NAME
