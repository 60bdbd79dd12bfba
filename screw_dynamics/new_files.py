# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Atomic creation of files and folders."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TextIO

from screw_dynamics.errors import BagError
from screw_dynamics.paths import expanded

_DEVICES = (Path('/dev'), Path('/dev/fd'))
_STANDARD_OUTPUT = ('-', '/dev/stdout', '/dev/fd/1')


def is_standard_output(path: str | Path | None) -> bool:
    """Return whether a path means the standard output: ``-`` or its device file."""
    return path is not None and str(path) in _STANDARD_OUTPUT


@contextmanager
def reports_beside(path: str | Path | None) -> Iterator[TextIO]:
    """
    Redirect prints to stderr inside a ``with`` block if `path` is the standard output.

    Yields the standard output for the result itself.
    """
    output = sys.stdout
    if is_standard_output(path):
        with redirect_stdout(sys.stderr):
            yield output
    else:
        yield output


def written_at_once(path: Path) -> bool:
    """Return whether a path is a pipe or device, which a file must not replace."""
    # /dev/stdout may link to a file, which must not be replaced either
    return path.absolute().parent in _DEVICES or (path.exists() and not path.is_file())


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """
    Yield a temporary path; rename it to `path` if the block succeeds (atomic write).

    After an error or Ctrl-C the temporary file is removed and an existing file is unchanged. Pipes
    and devices, such as /dev/stdout, are written directly. Every `OSError` names `path`.
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
    """
    Yield a temporary path for a new folder; rename it to `path` if the block succeeds.

    `path` must not exist. The temporary folder has the same name, and the block must create it.
    Every `OSError` and `BagError` names `path`.
    """
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
