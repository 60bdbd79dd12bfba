# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Where results go: CSV, bag, plot."""

from __future__ import annotations

import argparse
from pathlib import Path

from screw_dynamics.command_line.results import Results
from screw_dynamics.command_line.results_csv import write_csv


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
