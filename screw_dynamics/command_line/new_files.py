# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Files and folders that appear when they are whole, or not at all."""

from __future__ import annotations

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
    """Return whether a path means the standard output: ``-``, or the device of it."""
    return path is not None and str(path) in _STANDARD_OUTPUT


@contextmanager
def reports_beside(path: str | Path | None) -> Iterator[TextIO]:
    """Print on stderr inside a block where a result goes to standard output."""
    output = sys.stdout
    if is_standard_output(path):
        with redirect_stdout(sys.stderr):
            yield output
    else:
        yield output


def written_at_once(path: Path) -> bool:
    """Return whether a path is that of a pipe or device, in whose place no file can be put."""
    # /dev/stdout may lead to a file, whose place is not ours to take
    return path.absolute().parent in _DEVICES or (path.exists() and not path.is_file())


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """
    Provide a block with a file to write, which gets its name when the block has ended well.

    After an error or Ctrl-C there is no half-written file, and what had the name before is still
    there.
    """
    path = expanded(path)
    target = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
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
    """Provide a block with a folder to create, which gets its place when the block has ended well."""
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
