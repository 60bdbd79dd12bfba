# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures: style of all figures, and a panel per joint and quantity of results."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import new_file
from screw_dynamics.errors import InputError
from screw_dynamics.recordings.results.results import (
    EFFORTS,
    MOTION,
    MOTORS,
    Quantity,
    Results,
    picked,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, distinguishable with all common kinds of colour vision, without its
# yellow (too faint for a line on white).
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#222222')
GREY = '#5F6770'
BLACK = '#222222'

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

_MOTION_COLOUR, _EFFORT_COLOUR, _MOTOR_COLOUR = COLOURS[:3]
_STYLE = {**STYLE, 'font.size': 9, 'lines.linewidth': 1.2}
_BAND = 2.0  # standard deviations to either side
# Bands are widest at the ends of a recording, in high derivatives by powers of ten: panels are
# scaled to the estimate and to the band without this fraction at either end.
_MIDDLE = 0.05
_MOST_POINTS = 4000  # per line
_MOST_ROWS = 30


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
def panels_figure(path: Path, size: tuple[float, float], title: str) -> Iterator[Figure]:
    """Save the figure of panels that a block draws."""
    import matplotlib
    from matplotlib.figure import Figure

    ending = figure_format(path)
    with matplotlib.rc_context({**STYLE, 'font.size': 9, 'lines.linewidth': 1.2}):
        figure = Figure(figsize=size, dpi=110, layout='constrained')
        yield figure
        figure.suptitle(title, x=0.01, ha='left', weight='bold', color=BLACK, parse_math=False)
        with new_file(path) as place:
            figure.savefig(place, format=ending)


def require_room(count: int, remedy: str = 'choose some by --joints') -> None:
    """Raise `InputError`, with a `remedy` in its text, if a figure cannot show `count` rows."""
    if count > _MOST_ROWS:
        raise InputError(
            f'a figure has room for {_MOST_ROWS} joints and motors, got {count}: {remedy}'
        )


def save_plot(results: Results, path: Path, title: str) -> None:
    """Draw results: one row per joint, below them one per motor; one column per quantity."""
    import matplotlib
    from matplotlib.figure import Figure

    ending = figure_format(path)
    joints = list(results.joint_names)
    motors = list(results.motors.names) if results.motors is not None else []
    count = len(joints) + len(motors)
    require_room(count)
    # position, velocity, acceleration, then the efforts; without jerk and snap
    columns = 3 + results.effort_jet.shape[1]
    if motors:
        columns = max(columns, len(MOTORS))
    with matplotlib.rc_context(_STYLE):
        height = 1.0 + 1.45 * count
        figure = Figure(figsize=(2.9 * columns, height), dpi=110, layout='constrained')
        grid = figure.subplots(count, columns, sharex=True, squeeze=False)
        for j, name in enumerate(joints):
            _joint_row(grid[j], results, j)
            _headline(grid[j][0], name)
        for i, name in enumerate(motors):
            row = grid[len(joints) + i]
            _motor_row(row, results, i)
            _headline(row[0], f'motor of {name}')
        for axis in grid[-1]:
            axis.set_xlabel('time [s]')
        bands = results.effort_deviations is not None
        subtitle = f'  (bands: {_BAND:g} standard deviations to either side)' if bands else ''
        figure.suptitle(
            title + subtitle, x=0.01, ha='left', weight='bold', color=BLACK, parse_math=False
        )
        with new_file(path) as place, _glyph_warnings_joined():
            figure.savefig(place, format=ending)


def _headline(axis: Axes, text: str) -> None:
    # names are not formulas, even if they contain $
    axis.annotate(text, (0.0, 1.06), xycoords='axes fraction', weight='bold', parse_math=False)


@contextmanager
def _glyph_warnings_joined() -> Iterator[None]:
    """Issue one warning for all characters missing in the font; matplotlib issues one for each."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield
    missing = []
    for warning in caught:
        found = re.match(r'Glyph (\d+)', str(warning.message))
        if found:
            missing.append(chr(int(found[1])))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    if missing:
        characters = ''.join(dict.fromkeys(missing))
        warnings.warn(
            f'the font of the figure has no {characters}: names are drawn with boxes',
            UserWarning,
            stacklevel=3,
        )


def _joint_row(row: Array, results: Results, j: int) -> None:
    slides = results.joint_slides(j)
    efforts, at = EFFORTS[: results.effort_jet.shape[1]], np.s_[:, :, j]
    spread, uncertain = picked(results.joint_deviations, at), picked(results.effort_deviations, at)
    motion, times = results.joint_jet[at], results.times
    _panels(row, times, MOTION[:3], motion, spread, slides, _MOTION_COLOUR)
    _panels(row[3:], times, efforts, results.effort_jet[at], uncertain, slides, _EFFORT_COLOUR)
    if results.measured_effort is not None:
        measured, axis = results.measured_effort[:, j], row[3]
        kept, (low, high) = _decimate(measured), axis.get_ylim()
        axis.plot(times[kept], measured[kept], color=GREY, linewidth=0.8, label='measured')
        shown = measured[np.isfinite(measured)]
        axis.set_ylim(shown.min(initial=low), shown.max(initial=high))
        axis.legend(frameon=False)
    for axis in row[3 + len(efforts) :]:
        axis.set_visible(False)


def _motor_row(row: Array, results: Results, i: int) -> None:
    assert results.motors is not None
    slides = results.motor_slides(i)
    values = results.motors.values[:, :, i]
    spread = picked(results.motors.deviations, np.s_[:, :, i])
    _panels(row, results.times, MOTORS, values, spread, slides, _MOTOR_COLOUR)
    for axis in row[len(MOTORS) :]:
        axis.set_visible(False)


def _panels(
    row: Array,
    times: Array,
    quantities: Sequence[Quantity],
    values: Array,
    deviations: Array | None,
    slides: bool | None,
    colour: str,
) -> None:
    """Draw each quantity, with values and perhaps deviations (T, r), in one panel of a row."""
    for d, (axis, quantity) in enumerate(zip(row, quantities, strict=False)):
        gap = '\n' if slides is None else ' '  # two units are long
        label = f'{quantity.symbol}{gap}[{quantity.unit(slides)}]'
        _panel(axis, times, values[:, d], picked(deviations, np.s_[:, d]), label, colour)


def _panel(
    axis: Axes, times: Array, values: Array, deviations: Array | None, label: str, colour: str
) -> None:
    axis.set_ylabel(label)
    axis.margins(x=0.0, y=0.08)
    kept = _decimate(values)
    # a single sample needs a marker, a line would be invisible
    axis.plot(
        times[kept], values[kept], color=colour, zorder=3, marker='o' if len(times) == 1 else None
    )
    if deviations is None:
        return
    low, high = values - _BAND * deviations, values + _BAND * deviations
    kept = np.union1d(_decimate(low), _decimate(high))
    axis.fill_between(
        times[kept], low[kept], high[kept], color=colour, alpha=0.25, linewidth=0, zorder=2
    )
    edge = int(_MIDDLE * len(times))
    middle = slice(edge, len(times) - edge)
    bottom = float(min(values.min(), low[middle].min()))
    top = float(max(values.max(), high[middle].max()))
    if 0.0 < top - bottom < np.inf:
        axis.set_ylim(bottom - 0.08 * (top - bottom), top + 0.08 * (top - bottom))


def _decimate(values: Array) -> NDArray[np.intp]:
    """Return the indices of the samples to draw: all, or the extremes of equal intervals."""
    if len(values) <= _MOST_POINTS:
        return np.arange(len(values))
    starts = np.linspace(0, len(values), _MOST_POINTS // 2, endpoint=False).astype(np.intp)
    ends = np.append(starts[1:], len(values))
    finite = np.nan_to_num(values)
    extremes = [
        (a + finite[a:b].argmin(), a + finite[a:b].argmax())
        for a, b in zip(starts, ends, strict=True)
    ]
    return np.unique([0, *np.ravel(extremes), len(values) - 1])
