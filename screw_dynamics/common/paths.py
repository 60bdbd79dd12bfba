# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths from users of the library and of command lines, and atomic creation of files."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TextIO

from screw_dynamics.errors import BagError, InputError, shown

_NAME = 'screw_dynamics'
_DEVICES = (Path('/dev'), Path('/dev/fd'))
_STANDARD_OUTPUT = ('-', '/dev/stdout', '/dev/fd/1')


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


def share_path(relative: str | os.PathLike[str]) -> Path:
    """
    Return the absolute `Path` of a file or folder that is installed with the package.

    It is searched in this order: in the source checkout that the package is imported from; then in
    ``share/screw_dynamics`` of the prefix that the package is installed in, of every prefix in
    ``AMENT_PREFIX_PATH``, and of the Python environment.

    Parameters
    ----------
    relative : str or path
        Path below the share folder, for example ``'urdf/iiwa14.urdf'``.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message lists the searched folders.
    InputError
        If the path is empty, absolute or leads out of the share folder.

    Examples
    --------
    >>> from screw_dynamics import share_path
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
    package = Path(__file__).resolve().parents[1]
    if (package.parent / 'package.xml').is_file():
        yield package.parent
    # <prefix>/lib/python3.X/site-packages/screw_dynamics, with more or fewer folders between
    installed = [prefix / 'share' / _NAME for prefix in package.parents]
    yield from (folder for folder in installed if folder.is_dir())
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        if prefix:
            yield Path(prefix) / 'share' / _NAME
    yield Path(sys.prefix) / 'share' / _NAME


def is_standard_output(path: str | Path | None) -> bool:
    """Return whether a path means the standard output: ``-`` or its device file."""
    return path is not None and str(path) in _STANDARD_OUTPUT


@contextmanager
def reports_beside(path: str | Path | None) -> Iterator[TextIO]:
    """Yield stdout; in the block, prints go to stderr if `path` is the standard output."""
    output = sys.stdout
    with redirect_stdout(sys.stderr if is_standard_output(path) else output):
        yield output


def written_at_once(path: Path) -> bool:
    """Return whether a path is a pipe or device, which a file must not replace."""
    # /dev/stdout may link to a file, which must not be replaced either
    return path.absolute().parent in _DEVICES or (path.exists() and not path.is_file())


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """
    Yield a temporary path; rename it to `path` if the block succeeds (atomic write).

    Pipes and devices are written directly. Every `OSError` names `path`.
    """
    path = expanded(path)
    target = Path(os.path.realpath(path))  # replaces the target of a link, not the link
    unfinished = target.with_name(f'.{target.name}.unfinished')
    try:
        if written_at_once(path):
            yield path
            return
        try:
            yield unfinished
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary path for the block to create; rename it to `path` if it succeeds."""
    target = expanded(path).absolute()
    try:
        with tempfile.TemporaryDirectory(
            prefix=f'.{target.name}.', dir=target.parent, ignore_cleanup_errors=True
        ) as folder:
            unfinished = Path(folder) / target.name
            try:
                yield unfinished
            except BagError as error:
                raise BagError(str(error).replace(str(unfinished), str(path))) from None
            unfinished.rename(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
