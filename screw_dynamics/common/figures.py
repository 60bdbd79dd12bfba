# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures: their style, their format, and figures of panels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screw_dynamics.common.paths import new_file
from screw_dynamics.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's palette, distinguishable with all common kinds of colour vision, without its
# yellow (too faint for a line on white).
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#222222')
GREY = '#5F6770'
BLACK = '#222222'
_WIDTH, _PANEL = 10.0, 1.5  # of panels, and the height of a row [inches]
_DASHES = ('-', '--', ':', '-.')

STYLE: dict[Any, Any] = {
    'font.family': 'sans-serif',
    'font.size': 11,
    'axes.edgecolor': '#B4BAC1',
    'axes.linewidth': 0.8,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.grid': True,
    'axes.axisbelow': True,
    'axes.labelcolor': GREY,
    'grid.color': '#E8EAED',
    'grid.linewidth': 0.8,
    'xtick.color': GREY,
    'ytick.color': GREY,
    'xtick.major.size': 0,
    'ytick.major.size': 0,
    'lines.linewidth': 1.5,
    'mathtext.fontset': 'dejavusans',
}


def line_style(i: int) -> dict[str, Any]:
    """Return colour and dashes of line i, distinct for 28 lines."""
    dashes = _DASHES[i // len(COLOURS) % len(_DASHES)]
    return {'color': COLOURS[i % len(COLOURS)], 'linestyle': dashes}


def figure_format(path: Path) -> str:
    """Return the figure format of a file name, 'png' without an ending, or raise `InputError`."""
    from matplotlib.backend_bases import FigureCanvasBase

    ending = path.suffix[1:].lower() or 'png'
    known = FigureCanvasBase.get_supported_filetypes()
    if ending not in known:
        raise InputError(
            f'{path}: expected the name of a figure file, ending in one of {", ".join(known)}'
        )
    return ending


@contextmanager
def saved_figure(path: Path, style: dict[Any, Any]) -> Iterator[Figure]:
    """Save the figure that a block draws; the ending of the path is its format."""
    import matplotlib
    from matplotlib.figure import Figure

    ending = figure_format(path)
    with matplotlib.rc_context(style):
        figure = Figure(dpi=110, layout='constrained')
        yield figure
        with new_file(path) as place:
            figure.savefig(place, format=ending)


def save_panels(path: Path, rows: int, title: str, draw: Callable[[Figure], object]) -> None:
    """Save the figure that a function draws, of some rows of panels below each other."""
    with saved_figure(path, {**STYLE, 'font.size': 9, 'lines.linewidth': 1.2}) as figure:
        figure.set_size_inches(_WIDTH, 1.2 + _PANEL * rows)
        draw(figure)
        figure.suptitle(title, x=0.01, ha='left', weight='bold', color=BLACK, parse_math=False)
