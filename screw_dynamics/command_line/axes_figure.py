# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figure of the screw axes of a robot: links as a skeleton, joints as arrows, frames as triads."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.command_line.axes_scene import Axis, Scene, scene_of
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import new_file
from screw_dynamics.errors import InputError
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.results.results_plot import (
    BLACK,
    COLOURS,
    GREY,
    STYLE,
    figure_format,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOUR_OF_TYPE = {'revolute': COLOURS[0], 'prismatic': COLOURS[1], 'helical': COLOURS[2]}
_MEANINGS = {
    'revolute': 'revolute (ring)',
    'prismatic': 'prismatic (square)',
    'helical': 'helical (helix), h its pitch',
}
_TRIAD = (('x', '#C0392B'), ('y', '#27862F'), ('z', '#2C5AA0'))
_ARROW, _SYMBOL, _FRAME = 0.16, 0.035, 0.08  # lengths over the size of the robot
_TURNS = 3  # of the helix around the axis of a helical joint
# of the figure [in]: least width, least and largest height without labels, line of text; what the
# robot fills at most; borders for title and legend together; around labels
_WIDTH, _LEAST, _MOST, _LINE = 9.0, 4.0, 7.5, 0.21
_FILLED, _BORDER = 5.4, 1.3
_MARGIN = 0.2
_BOTTOM, _HEIGHT = 0.06, 0.88  # of the axes, over the height of the figure


def save_axes(model: ScrewModel, position: Array, path: Path) -> None:
    """Draw the screw axes at `position` (n,) to a file; no display is required."""
    import matplotlib
    from matplotlib.figure import Figure

    ending = figure_format(path)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(_WIDTH, _MOST), dpi=130)
        draw_axes(figure, model, position)
        with new_file(path) as place:
            figure.savefig(place, format=ending)


def show_axes(model: ScrewModel, position: Array) -> None:
    """Draw the screw axes in a window until it is closed; raise InputError without a display."""
    import matplotlib
    from matplotlib import pyplot

    with matplotlib.rc_context(STYLE):
        figure = pyplot.figure(figsize=(_WIDTH, _MOST))
        if figure.canvas.required_interactive_framework is None:
            raise InputError(
                '--axes: there is no display for a window (or no toolkit that matplotlib can '
                'use): give the name of a file, as in --axes axes.png'
            )
        label_again = draw_axes(figure, model, position)
        # labels follow when the robot is turned
        figure.canvas.mpl_connect('motion_notify_event', lambda _: label_again())
        pyplot.show()


def draw_axes(figure: Figure, model: ScrewModel, position: Array) -> Callable[[], None]:
    """Draw the robot; return the function that places the labels, which it has called once."""
    scene = scene_of(model, position)
    size = max(float(np.linalg.norm(scene.high - scene.low)), 1e-3)
    triad = _round_length(_FRAME * size)
    axes: Any = figure.add_axes((0.0, _BOTTOM, 1.0, _HEIGHT), projection='3d')
    axes.set_axis_off()
    for begin, end in scene.links:
        _line(axes, np.array([begin, end]), color=GREY, linewidth=6.0, alpha=0.3, zorder=1)
    joints = np.array([axis.pose[:3, 3] for axis in scene.axes]).reshape(-1, 3)
    axes.scatter(*joints.T, color=GREY, s=26, depthshade=False, zorder=2)
    labels = []
    for name, pose in scene.frames.items():
        _draw_frame(axes, pose, triad)
        labels.append(_Label(name, BLACK, pose[:3, 3]))
    labels += [_draw_axis(axes, axis, size) for axis in scene.axes]
    for artist in (*axes.lines, *axes.collections):
        artist.set_clip_on(False)  # to the square in which mplot3d draws
    _set_view(figure, axes, scene, size, len(labels))
    _add_legend(figure, scene, triad)
    _add_title(figure, model, position)
    drawn: list[Any] = []

    def label_again() -> None:
        while drawn:
            drawn.pop().remove()
        drawn.extend(place_labels(figure, axes, labels))

    label_again()
    boxes = [text.get_window_extent() for text in drawn]
    outside = max(-min(box.x0 for box in boxes), max(box.x1 for box in boxes) - figure.bbox.width)
    if outside > -_MARGIN * figure.dpi:
        figure.set_figwidth(_WIDTH + 2.0 * (outside / figure.dpi + _MARGIN))
        label_again()
    return label_again


class _Label(NamedTuple):
    """A name, and the point that it belongs to."""

    text: str
    colour: str
    point: Array  # (3,), in base-link axes [m]


def _draw_axis(axes: Any, axis: Axis, size: float) -> _Label:
    """Draw one joint: an arrow along its axis, and the symbol of its motion around it."""
    colour, style = _COLOUR_OF_TYPE[axis.kind], '--' if axis.mimics else '-'
    length, direction = _ARROW * size, axis.pose[:3, 2]
    middle = axis.pose[:3, 3] + axis.slide * length * direction
    begin = middle + axis.begin * length * direction
    axes.quiver(
        *begin, *(length * direction), color=colour, linewidth=2.4, arrow_length_ratio=0.22,
        linestyle=style, zorder=4,
    )  # fmt: skip
    _line(axes, _symbol(axis, middle, size), color=colour, linewidth=1.3, zorder=3)
    text = axis.name if math.isnan(axis.pitch) else f'{axis.name}, h = {axis.pitch:.4g} m/rad'
    return _Label(text, colour, begin + length * direction)


def _symbol(axis: Axis, middle: Array, size: float) -> Array:
    """Return the points (m, 3) of a ring, a square or a helix around an axis."""
    radius = _SYMBOL * size
    if axis.kind == 'prismatic':
        angles = np.pi * (0.25 + 0.5 * np.arange(5.0))
        heights = np.zeros(5)
    else:
        turns = _TURNS if axis.kind == 'helical' else 1
        angles = np.linspace(0.0, 2.0 * np.pi * turns, 48 * turns + 1)
        heights = np.zeros_like(angles)
        if axis.kind == 'helical':
            heights = np.copysign(0.5 * _ARROW * size, axis.pitch) * np.linspace(
                -1, 1, len(angles)
            )
    local = np.stack([radius * np.cos(angles), radius * np.sin(angles), heights], axis=1)
    points: Array = middle + local @ axis.pose[:3, :3].T
    return points


def _draw_frame(axes: Any, pose: Array, length: float) -> None:
    for k, (letter, colour) in enumerate(_TRIAD):
        end = pose[:3, 3] + length * pose[:3, k]
        _line(axes, np.array([pose[:3, 3], end]), color=colour, linewidth=2.0, zorder=5)
        axes.text(*(end + 0.15 * length * pose[:3, k]), letter, color=colour, fontsize=8, zorder=5)


def _round_length(length: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at most `length` [m]."""
    power = 10.0 ** math.floor(math.log10(length))
    return power * max(digit for digit in (1.0, 2.0, 5.0) if digit * power <= length * (1 + 1e-9))


def _set_view(figure: Figure, axes: Any, scene: Scene, size: float, labels: int) -> None:
    """Set equal scales, and the height of the figure, with room for the labels."""
    room = 0.7 * _ARROW * size
    low, high = scene.low - room, scene.high + room
    for setter, begin, end in zip(
        (axes.set_xlim, axes.set_ylim, axes.set_zlim), low, high, strict=True
    ):
        setter(begin, end)
    axes.view_init(elev=18.0, azim=-55.0)
    axes.set_box_aspect(tuple(high - low))
    corners = np.array(list(product(*zip(low, high, strict=True))))
    width, height = np.ptp(_in_figure(figure, axes, corners), axis=0) * (_WIDTH, _MOST)
    scale = min(_FILLED / width, (_MOST - _BORDER) / height)
    least = max(_LEAST, 0.5 * labels * _LINE + _BORDER)
    figure.set_size_inches(_WIDTH, max(min(scale * height + _BORDER, _MOST), least))
    shrunk = np.ptp(_in_figure(figure, axes, corners), axis=0)[0] * _WIDTH / width
    axes.set_box_aspect(tuple(high - low), zoom=scale / shrunk)


def _in_figure(figure: Figure, axes: Any, points: Array) -> Array:
    """Return the places (m, 2) of points (m, 3) in the figure, as fractions of its size."""
    from mpl_toolkits.mplot3d import proj3d

    figure.draw_without_rendering()
    x, y, _ = proj3d.proj_transform(*points.T, axes.get_proj())
    to_figure = axes.transData + figure.transFigure.inverted()
    places: Array = to_figure.transform(np.column_stack([x, y]))
    return places


def place_labels(figure: Figure, axes: Any, labels: list[_Label]) -> list[Any]:
    """Write the labels in a column on either side of the robot, with lines to their points."""
    places = _in_figure(figure, axes, np.array([label.point for label in labels]))
    margin, line = _MARGIN / figure.get_figwidth(), _LINE / figure.get_figheight()
    shapes = [shape.get_window_extent() for shape in (*axes.lines, *axes.collections)]
    left = min(shape.x0 for shape in shapes) / figure.bbox.width - margin
    right = max(shape.x1 for shape in shapes) / figure.bbox.width + margin
    drawn = []
    is_left = _left_half(places)
    for column, edge, side in ((is_left, left, 'right'), (~is_left, right, 'left')):
        chosen = np.flatnonzero(column)
        for i, height in zip(chosen, _spread(places[chosen, 1], line), strict=True):
            drawn.append(
                axes.annotate(
                    labels[i].text, places[i], (edge, height), 'figure fraction',
                    'figure fraction', color=labels[i].colour, fontsize=10, ha=side, va='center',
                    parse_math=False, annotation_clip=False,
                    arrowprops={
                        'arrowstyle': '-', 'color': labels[i].colour, 'linewidth': 0.6,
                        'alpha': 0.6, 'shrinkA': 2.0, 'shrinkB': 1.0,
                        'relpos': (float(side == 'right'), 0.5),
                    },
                )
            )  # fmt: skip
    return drawn


def _left_half(places: Array) -> NDArray[np.bool_]:
    """Return which labels (m,) are written on the left: the half whose points are there."""
    half = np.zeros(len(places), dtype=bool)
    order = np.lexsort((places[:, 1], places[:, 0].round(3)))
    half[order[: len(places) // 2]] = True
    return half


def _spread(heights: Array, line: float) -> Array:
    """Return the nearest heights in the axes that are at least a line of text apart."""
    order = np.argsort(heights, kind='stable')
    offsets = line * np.arange(len(heights))
    # without the offsets they must not decrease: means of blocks (isotonic regression)
    blocks: list[tuple[float, int]] = []
    for mean in (heights[order] - offsets).tolist():
        count = 1
        while blocks and blocks[-1][0] > mean:
            before, more = blocks.pop()
            mean, count = (mean * count + before * more) / (count + more), count + more
        blocks.append((mean, count))
    even = np.array([mean for mean, count in blocks for _ in range(count)])
    top = _BOTTOM + _HEIGHT - line * (len(heights) - 1)
    result = np.empty_like(heights)
    result[order] = np.clip(even, _BOTTOM, top) + offsets
    return result


def _add_legend(figure: Figure, scene: Scene, triad: float) -> None:
    from matplotlib.lines import Line2D

    kinds = {axis.kind for axis in scene.axes}
    entries = [
        Line2D([], [], color=_COLOUR_OF_TYPE[kind], linewidth=2.4, label=text)
        for kind, text in _MEANINGS.items()
        if kind in kinds
    ]
    if any(axis.mimics for axis in scene.axes):
        entries.append(Line2D([], [], color=BLACK, linestyle='--', label='follows another joint'))
    entries.append(Line2D([], [], color='none', label=f'frames: x, y, z of {triad:g} m'))
    figure.legend(handles=entries, loc='lower center', ncols=5, fontsize=9, frameon=False)


def _add_title(figure: Figure, model: ScrewModel, position: Array) -> None:
    where = 'home configuration'
    if position.any():
        names = zip(model.joint_names, position, strict=True)
        where = ', '.join(f'{name} = {value:.4g}' for name, value in names if value)
    figure.suptitle(
        f'{model.name}: screw axes at {where}', x=0.02, ha='left', weight='bold', color=BLACK,
        fontsize=12, parse_math=False, wrap=True,
    )  # fmt: skip


def _line(axes: Any, points: Array, **style: Any) -> None:
    axes.plot(*points.T, **style)
