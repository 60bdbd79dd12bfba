# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Where results go: CSV, bag, plot."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from screw_dynamics.command_line.new_files import written_at_once
from screw_dynamics.command_line.results import Results
from screw_dynamics.command_line.results_csv import write_csv
from screw_dynamics.errors import InputError


def add_file_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """
    Declare --csv and --plot.

    Parameters
    ----------
    parser : argparse.ArgumentParser

    Returns
    -------
    argparse group
        For what the command adds.

    """
    group = parser.add_argument_group('output')
    group.add_argument('--csv', metavar='FILE', type=Path, help='one row per sample')
    group.add_argument('--plot', metavar='PNG', type=Path, help='a figure')
    return group


def check_outputs(
    inputs: Iterable[str | Path | None],
    files: Iterable[str | Path | None] = (),
    figure: Path | None = None,
    folder: Path | None = None,
) -> None:
    """
    Refuse outputs that cannot be written or would destroy an input, before any work is done.

    Parameters
    ----------
    inputs : iterable of str, Path or None
        What the command reads.
    files : iterable of str, Path or None
        What it writes; a file that exists is replaced.
    figure : Path, optional
        A picture that it writes.
    folder : Path, optional
        What it creates; must not exist.

    Raises
    ------
    InputError
        Names the output, and what is wrong with it.

    """
    if figure is not None:
        from screw_dynamics.command_line.results_plot import figure_format

        figure_format(figure)
    taken = {_place(path): f'{path}: it is an input' for path in inputs if path is not None}
    outputs = [path for path in (*files, figure, folder) if path is not None]
    for path in outputs:
        place = _place(path)
        if place in taken:
            raise InputError(f'{taken[place]}: expected another name for what is written')
        taken[place] = f'{path}: two outputs have this name'
        if path == folder:
            _check_folder(path, place)
            continue
        if place.is_dir():
            raise InputError(f'{path}: expected the name of a file, this is a folder')
        if not place.parent.is_dir():
            raise InputError(f'{path}: the folder {place.parent} does not exist')
        if not written_at_once(Path(path).expanduser()):
            _require_writable(path, place.parent)


def _check_folder(path: str | Path, place: Path) -> None:
    if place.exists():
        raise InputError(f'{path}: it exists already: expected the name of a new bag')
    # folders above it are made where there are none
    above = next(folder for folder in place.parents if folder.exists())
    if not above.is_dir():
        raise InputError(f'{path}: expected the name of a new bag, but {above} is no folder')
    _require_writable(path, above)


def _require_writable(path: str | Path, folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise InputError(f'{path}: the folder {folder} is not writable')


def write_files(results: Results, options: argparse.Namespace, title: str) -> None:
    """
    Write what the options ask for, and say so.

    Parameters
    ----------
    results : Results
    options : argparse.Namespace
    title : str
        Headline of the figure.

    """
    if options.csv is not None:
        write_csv(results, options.csv)
        print(f'written: {options.csv}')
    if options.plot is not None:
        from screw_dynamics.command_line.results_plot import save_plot

        save_plot(results, options.plot, title)
        print(f'written: {options.plot}')


def _place(path: str | Path) -> Path:
    return Path(path).expanduser().resolve()
