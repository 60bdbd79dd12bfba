# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Files as outputs: checked before the work, written whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from screw_dynamics.command_line.records import Options, optional
from screw_dynamics.common.paths import (
    expanded,
    is_standard_output,
    new_file,
    reports_beside,
    written_at_once,
)
from screw_dynamics.errors import InputError

Write = Callable[[Path | None, Callable[[TextIO], object]], None]


@dataclass(frozen=True)
class OutputFiles(Options, heading='output'):
    """A table and a figure."""

    csv: Path | None = optional('one row per sample; - for standard output')
    plot: Path | None = optional('a figure', metavar='PNG')


@contextmanager
def writing(
    inputs: Iterable[str | Path | None],
    *files: Path | None,
    figure: Path | None = None,
    folder: Path | None = None,
) -> Iterator[Write]:
    """
    Check outputs as `check` does, and yield a function that writes one of `files` if it is wanted.

    Inside of the block prints go to stderr if one of the files is the standard output.
    """
    check(inputs, files, figure, folder)
    standard = next((path for path in files if is_standard_output(path)), None)
    with reports_beside(standard) as output:

        def write(path: Path | None, content: Callable[[TextIO], object]) -> None:
            if is_standard_output(path):
                content(output)
            else:
                save(path, lambda place: _write_text(place, content), whole=True)

        yield write


def _write_text(place: Path, content: Callable[[TextIO], object]) -> None:
    with place.open('w', encoding='utf-8') as file:
        content(file)


def save(path: Path | None, make: Callable[[Path], object], *, whole: bool = False) -> None:
    """Make a file if it is wanted, with `whole` in one step, and print its name."""
    if path is not None:
        with new_file(path) if whole else nullcontext(path) as place:
            make(place)
        print(f'written: {path}')


def check(
    inputs: Iterable[str | Path | None],
    files: Iterable[str | Path | None] = (),
    figure: Path | None = None,
    folder: Path | None = None,
) -> None:
    """
    Reject outputs that cannot be written or would overwrite an input, before any work is done.

    Existing `files` and `figure` are replaced; the bag `folder` must not exist, nor be in another
    bag.
    """
    if figure is not None:
        from screw_dynamics.common.figures import figure_format

        figure_format(figure)
    if folder is not None:
        import screw_dynamics.recordings.bags  # noqa: F401
    taken = {_place(path): f'{path}: it is an input' for path in inputs if path not in (None, '')}
    outputs = [path for path in (*files, figure, folder) if path is not None]
    standard = False
    for path in outputs:
        if is_standard_output(path):
            if path in (figure, folder):
                raise InputError(
                    f'{path}: expected the name of a file or bag: only text goes there'
                )
            if standard:
                raise InputError(f'{path}: two outputs go there')
            standard = True
            continue
        place = _place(path)
        if place in taken:
            raise InputError(f'{taken[place]}: expected another name for what is written')
        taken[place] = f'{path}: two outputs have this name'
        if path == folder:
            _check_folder(path, place)
            continue
        if place.is_dir():
            raise InputError(f'{path}: expected the name of a file, this is a folder')
        _require_folder(path, place.parent)
        if not written_at_once(expanded(path)):
            _require_writable(path, place.parent)


def _check_folder(path: str | Path, place: Path) -> None:
    if place.exists():
        raise InputError(f'{path}: it exists already: expected the name of a new bag')
    _require_folder(path, place.parent)
    for above in place.parents:
        if (above / 'metadata.yaml').is_file():
            raise InputError(f'{path}: expected the name of a new bag outside of the bag {above}')
    _require_writable(path, place.parent)


def _require_folder(path: str | Path, folder: Path) -> None:
    if not folder.exists():
        raise InputError(f'{path}: the folder {folder} does not exist')
    if not folder.is_dir():
        raise InputError(f'{path}: {folder} is not a folder')


def _require_writable(path: str | Path, folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise InputError(f'{path}: the folder {folder} is not writable')


def _place(path: str | Path) -> Path:
    return expanded(path).resolve()
