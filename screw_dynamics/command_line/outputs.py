# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Output arguments: CSV, bag, plot."""

import argparse
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

from screw_dynamics.command_line import robots
from screw_dynamics.common.paths import expanded, is_standard_output, written_at_once
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.recordings.results.results import Results
from screw_dynamics.recordings.results.results_csv import write_csv


def add_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add --csv and --plot, and return their group for further options of the command."""
    group = parser.add_argument_group('output')
    group.add_argument(
        '--csv', metavar='FILE', type=Path, help='one row per sample; - for standard output'
    )
    group.add_argument('--plot', metavar='PNG', type=Path, help='a figure')
    return group


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
    taken = {_place(path): f'{path}: it is an input' for path in inputs if path is not None}
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


def write_table(results: Results, options: argparse.Namespace, output: TextIO) -> None:
    """Write the CSV that the options name; on standard output to the stream `output`."""
    if is_standard_output(options.csv):
        write_csv(results, output)
    elif options.csv is not None:
        write_csv(results, options.csv)
        print(f'written: {options.csv}')


def draw(
    results: Results,
    robot: Robot,
    options: argparse.Namespace,
    title: str,
    waypoints: Sequence[float] = (),
) -> None:
    """Draw the figure that the options name, with limits and waypoints at some times [s]."""
    if options.plot is not None:
        from screw_dynamics.recordings.results.results_plot import limits_of, save_plot

        limits = limits_of(robot, results, robots.effort_format(options, robot).trivial)
        save_plot(results, options.plot, title, limits, waypoints)
        print(f'written: {options.plot}')


def _place(path: str | Path) -> Path:
    return expanded(path).resolve()
