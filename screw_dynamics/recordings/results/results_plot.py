# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figure of results: a panel per quantity, a line per joint or motor, and their limits."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import BLACK, COLOURS, GREY, STYLE, saved_figure
from screw_dynamics.common.quantities import EFFORTS, MOTION, MOTORS, Quantity
from screw_dynamics.common.results import optional_library
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.errors import InputError
from screw_dynamics.limits.quantities import DERIVATIVES, motor_limits
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.results.evaluation import evaluate
from screw_dynamics.recordings.results.results import Results, picked
from screw_dynamics.trajectory import PiecewisePolynomial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Limits = Mapping[str, Array]  # by the name of a quantity lower and upper ones (2, n) or (2, m)

_RED = '#B3261E'
_STYLE = {**STYLE, 'font.size': 10, 'axes.titlesize': 10.5, 'lines.linewidth': 1.3}
_BAND = 2.0  # standard deviations to either side
# Bands are widest at the ends of a recording, in high derivatives by powers of ten: panels are
# scaled to the estimate and to the band without this fraction at either end.
_MIDDLE = 0.05
_MOST_POINTS = 4000  # per line
_MOST_MARKS = 25
_MOST_JOINTS = 210
_WIDTH, _HEIGHT = 5.9, 7.6  # of a column of panels [inches]
_LEGEND = 135  # characters beside each other in a legend of the width of two columns
_LIMIT = (0, (5, 2))  # dashes
_NEAR = 0.5  # share of a limit from which on it is in the picture


def plot(
    robot: Robot | ScrewModel, motion: PiecewisePolynomial | Results, *, title: str = ''
) -> Figure:
    """
    Draw a motion, its efforts with two derivatives, and what motors behind springs do.

    A panel has a line per joint, and the limits of the robot, dashed; limits that no joint comes
    near are outside of the picture. Above it stands the joint that comes nearest. Revolute and
    prismatic joints have panels of their own, with their units.

    Parameters
    ----------
    robot : Robot or ScrewModel
        With drives, motors are drawn too.
    motion : PiecewisePolynomial or Results
        A curve, or what `evaluate` returns for one.
    title : str
        Headline; by default the name of the robot.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the motion is of other joints, or there are more than 210 of them.
    ModuleNotFoundError
        If matplotlib is not installed (extra ``plot``).

    See Also
    --------
    evaluate : The numbers of the figure.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> curve = sd.trajectory.through(arm, [0.0, 1.0], [[0.0, 0.0], [0.8, -0.5]])
    >>> figure = sd.plot(arm, curve)
    >>> [axes.get_title(loc='left') for axes in figure.axes[-3:]]
    ['torque', 'torque, first derivative', 'torque, second derivative']
    """
    robot = as_robot(robot)
    marks: Sequence[float] = ()
    if isinstance(motion, PiecewisePolynomial):
        marks, motion = motion.breaks.tolist(), evaluate(robot, motion)
    if not isinstance(motion, Results):
        raise InputError(
            f'motion: expected a curve, or the result of evaluate, got {type(motion).__name__}'
        )
    if motion.joint_names != robot.joint_names:
        raise InputError(
            f'motion: expected the joints {", ".join(robot.joint_names)}, '
            f'got {", ".join(motion.joint_names)}'
        )
    pyplot = optional_library('matplotlib.pyplot', 'plot')
    with pyplot.rc_context(_STYLE):
        figure: Figure = pyplot.figure(layout='constrained')
        draw_results(motion, figure, title or robot.model.name, limits_of(robot, motion), marks)
    if 'inline' in pyplot.get_backend():  # a notebook shows what a cell returns
        pyplot.close(figure)
    return figure


def save_plot(
    results: Results, path: Path, title: str, limits: Limits, marks: Sequence[float] = ()
) -> None:
    """Write the figure of results; the file's ending is its format."""
    with warnings.catch_warnings(), saved_figure(path, _STYLE) as figure:
        # of a character that the font has not, once: a figure is laid out several times
        warnings.filterwarnings('once', 'Glyph ')
        draw_results(results, figure, title, limits, marks)


def limits_of(robot: Robot, results: Results, of_efforts: bool = True) -> dict[str, Array]:
    """Return the limits of results; without those of efforts if these are converted."""
    limits, motors = robot.model.limits.ignoring_zeros(), results.motors
    found = {
        'position': np.stack([limits.lower, limits.upper]),
        **{name: _either_side(getattr(limits, name)) for name in DERIVATIVES},
    }
    own: dict[str, Array] = {}
    # springs beside the drive and friction: limits hold for what the drive transmits
    carried = None if motors is None else motors.transmitted
    if of_efforts and (carried is None or np.allclose(carried[:, 0], results.effort_jet[:, 0])):
        found['effort'] = _either_side(limits.effort)
    if motors is not None and robot.drives and {*motors.names} <= {*robot.motors.names}:
        drives, places = motor_limits(robot), [*map(robot.motors.names.index, motors.names)]
        if 'effort' in found:
            found['effort_dot'] = _either_side(drives['effort rate'])
        own = {'motor_velocity': drives['motor velocity'], 'deflection': drives['deflection']}
        own |= {'motor_effort': drives['motor effort']} if of_efforts else {}
        own = {name: _either_side(values[places]) for name, values in own.items()}
    order = [*map(robot.joint_names.index, results.joint_names)]
    return own | {name: rows[:, order] for name, rows in found.items()}


def _either_side(bounds: Array) -> Array:
    return np.stack([-bounds, bounds])


def draw_results(
    results: Results, figure: Figure, title: str, limits: Limits, marks: Sequence[float] = ()
) -> None:
    """Draw blocks of panels below each other, of joints of one type, at most seven in each."""
    if len(results.joint_names) > _MOST_JOINTS:
        raise InputError(
            f'a figure has room for {_MOST_JOINTS} joints, got {len(results.joint_names)}: draw '
            'some of them: screw_dynamics evaluate RESULTS --joints JOINT ... --plot PNG'
        )
    blocks = list(_blocks(results))
    columns = 2 if results.motors is None else 3
    rows = max(results.joint_jet.shape[1], 3 if results.motors is None else len(MOTORS))
    height = 0.9 + len(blocks) * (0.9 + (_HEIGHT - 0.9) * rows / len(MOTION))
    figure.set_size_inches(_WIDTH * columns, height)
    parts = figure.subfigures(len(blocks), 1, squeeze=False)[:, 0]
    marks = marks if len(marks) <= _MOST_MARKS else ()
    for part, joints in zip(parts, blocks, strict=True):
        _draw_block(part, columns, _Block(results, joints, limits, marks))
    bands = results.effort_deviations is not None
    subtitle = f'  (bands: {_BAND:g} standard deviations to either side)' if bands else ''
    figure.suptitle(
        title + subtitle,
        x=0.008,
        ha='left',
        weight='bold',
        size=14,
        color=BLACK,
        parse_math=False,
    )


def _blocks(results: Results) -> Iterator[list[int]]:
    """Yield the numbers of joints that share panels."""
    kinds = [results.joint_slides(j) for j in range(len(results.joint_names))]
    for kind in dict.fromkeys(kinds):
        joints = [j for j, own in enumerate(kinds) if own is kind]
        for part in np.array_split(joints, -(-len(joints) // len(COLOURS))):
            yield part.tolist()


class _Block(NamedTuple):
    """What is drawn in some panels."""

    results: Results
    joints: list[int]
    limits: Limits
    marks: Sequence[float]

    @property
    def slides(self) -> bool | None:
        return self.results.joint_slides(self.joints[0])

    @property
    def names(self) -> list[str]:
        return [self.results.joint_names[j] for j in self.joints]

    def panels(self) -> Iterator[list[_Panel]]:
        """Yield the panels of motion, of efforts, and of motors."""
        effort = {False: 'torque', True: 'force', None: 'effort'}[self.slides]
        for group in self.results.groups():
            # a motor has the name of its joint, with /1 or /2 appended if there are two
            owners = [x if x in self.names else x.rpartition('/')[0] for x in group.names]
            chosen = [i for i, owner in enumerate(owners) if owner in self.names]
            names = [group.names[i] for i in chosen]
            styles = [
                {
                    'color': COLOURS[self.names.index(owners[i])],
                    'linestyle': '--' if group.names[i].endswith('/2') else '-',
                }
                for i in chosen
            ]
            panels = [
                _Panel(
                    _title(quantity, effort),
                    f'{quantity.symbol}  [{quantity.typeset_unit(self.slides)}]',
                    names,
                    styles,
                    group.values[:, d, chosen],
                    picked(group.deviations, np.s_[:, d, chosen]),
                    picked(self.limits.get(quantity.name), np.s_[:, chosen]),
                )
                for d, quantity in enumerate(group.quantities[: group.values.shape[1]])
            ]
            measured = self.results.measured_effort
            if group.quantities is EFFORTS and measured is not None:
                panels[0] = panels[0]._replace(measured=measured[:, chosen])
            yield panels


def _title(quantity: Quantity, effort: str) -> str:
    """Return a name in words; 'torque' or 'force' in place of effort."""
    words = quantity.name.replace('_ddot', ', second derivative')
    words = words.replace('_dot', ', first derivative').replace('_', ' ')
    return words.replace('effort', effort)


class _Panel(NamedTuple):
    """Lines of one quantity, values (T, L)."""

    title: str
    label: str
    names: list[str]
    styles: list[dict[str, Any]]
    values: Array
    deviations: Array | None
    limits: Array | None  # (2, L)
    measured: Array | None = None


def _draw_block(part: SubFigure, columns: int, block: _Block) -> None:
    from matplotlib.lines import Line2D

    times, notes = block.results.times, dict[str, Line2D]()
    places = part.subfigures(1, columns, squeeze=False)[0]
    for place, panels in zip(places, block.panels(), strict=True):
        if not panels[0].names:  # rigid joints without motors
            continue
        axes = place.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axis, panel in zip(axes, panels, strict=True):
            for time in block.marks:
                axis.axvline(time, color='#9AA2AB', linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
            if _draw_panel(axis, times, panel):
                notes['limit'] = Line2D([], [], color=GREY, linestyle=_LIMIT, linewidth=1)
            if panel.measured is not None:
                notes['measured'] = Line2D([], [], color=GREY, linewidth=0.7)
            axis.margins(x=0.0)
        axes[-1].set_xlabel('time [s]')
        if panels[0].title == MOTION[0].name and block.marks:
            _dots(axes[0], times, panels[0], block.marks)
            notes['waypoint'] = Line2D([], [], color=GREY, marker='o', markeredgecolor='white')
    lines = [Line2D([], [], color=COLOURS[i]) for i in range(len(block.names))]
    names = [*block.names, *notes]
    legend = part.legend(
        [*lines, *notes.values()],
        names,
        loc='outside upper left',
        ncols=max(1, min(len(names), _LEGEND * columns // 2 // (max(map(len, names)) + 9))),
        frameon=False,
        labelcolor=BLACK,
    )
    for text in legend.get_texts():  # names are not formulas, even if they contain $
        text.set_parse_math(False)


def _dots(axis: Axes, times: Array, panel: _Panel, marks: Sequence[float]) -> None:
    """Draw the positions at the waypoints."""
    for style, values in zip(panel.styles, panel.values.T, strict=True):
        axis.plot(
            marks, np.interp(marks, times, values), 'o', color=style['color'], markersize=4.5,
            markeredgecolor='white', clip_on=False, zorder=4,
        )  # fmt: skip


def _draw_panel(axis: Axes, times: Array, panel: _Panel) -> bool:
    """Draw lines, bands and limits; return whether a limit is in the picture."""
    axis.set_title(panel.title, loc='left', color=BLACK, pad=4)
    axis.set_ylabel(panel.label)
    extent = []
    for i, style in enumerate(panel.styles):
        values = panel.values[:, i]
        kept = _decimate(values)
        # a single sample needs a marker, a line would be invisible
        marker = 'o' if len(times) == 1 else None
        axis.plot(times[kept], values[kept], zorder=3, marker=marker, **style)
        extent.append(values)
        if panel.measured is not None:
            measured = panel.measured[:, i]
            kept = _decimate(measured)
            axis.plot(times[kept], measured[kept], color=style['color'], linewidth=0.7, alpha=0.6)
            extent.append(measured)
        if panel.deviations is not None:
            spread = _BAND * panel.deviations[:, i]
            low, high = values - spread, values + spread
            kept = np.union1d(_decimate(low), _decimate(high))
            axis.fill_between(
                times[kept], low[kept], high[kept],
                color=style['color'], alpha=0.2, linewidth=0, zorder=2,
            )  # fmt: skip
            edge = int(_MIDDLE * len(times))
            extent += [low[edge : len(times) - edge], high[edge : len(times) - edge]]
    known = np.concatenate([values[np.isfinite(values)] for values in extent])
    bottom, top = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    shares = [] if panel.limits is None else list(_shares(panel, panel.limits))
    near = [bound for bound, share, _ in shares if share >= _NEAR]
    bottom, top = min([bottom, *near]), max([top, *near])
    margin = 0.08 * (top - bottom) or 0.05 * abs(top) or 0.05
    bottom, top = bottom - margin, top + margin
    for bound, share, i in shares:
        # those of joints far from their limits would look like limits of others
        if share >= _NEAR or not bottom < bound < top:
            axis.axhline(bound, color=panel.styles[i]['color'], linewidth=1.0, linestyle=_LIMIT)
    axis.set_ylim(bottom, top)
    if shares:
        _, worst, i = max(shares, key=lambda limit: limit[1])
        axis.set_title(
            f'{panel.names[i]}: {100.0 * worst:.3g} % of its limit',
            loc='right',
            size=9,
            color=_RED if worst > 1.0 else GREY,
            pad=4,
            parse_math=False,
        )
    return bool(near)


def _shares(panel: _Panel, limits: Array) -> Iterator[tuple[float, float, int]]:
    """Yield finite limits, the shares of them that lines reach, and the numbers of these lines."""
    for i, (lower, upper) in enumerate(limits.T.tolist()):
        values = panel.values[np.isfinite(panel.values[:, i]), i]
        half, middle = 0.5 * (upper - lower), 0.5 * (lower + upper)
        if 0.0 < half < np.inf and len(values):
            yield lower, float(middle - values.min()) / half, i
            yield upper, float(values.max() - middle) / half, i


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
