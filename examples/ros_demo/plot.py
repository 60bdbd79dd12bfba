# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figure of the demo: reference from q to snap, efforts and their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ros_demo.recording import Recording
from screw_dynamics.recordings.results.results_plot import BLACK, COLOURS, GREY, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DASHES = ('-', '--', ':')  # for the joints after the seventh, and after the fourteenth

REFERENCE_LABELS = (
    ('position', r'$q$  [rad]'),
    ('velocity', r'$\dot q$  [rad/s]'),
    ('acceleration', r'$\ddot q$  [rad/s²]'),
    ('jerk', r'$q^{(3)}$  [rad/s³]'),
    ('snap', r'$q^{(4)}$  [rad/s⁴]'),
)
EFFORT_LABELS = (
    ('torque', r'$\tau$  [N m]'),
    ('torque, first derivative', r'$\dot\tau$  [N m/s]'),
    ('torque, second derivative', r'$\ddot\tau$  [N m/s²]'),
)


def save_plot(recording: Recording, path: Path, title: str) -> None:
    """
    Draw a recording: the reference on the left, the efforts on the right, one time axis.

    The units are those of revolute joints.
    """
    import matplotlib
    from matplotlib.figure import Figure

    styles: list[dict[str, Any]] = [
        {'color': COLOURS[i % len(COLOURS)], 'linestyle': DASHES[i // len(COLOURS) % len(DASHES)]}
        for i in range(len(recording.joint_names))
    ]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(12.0, 8.2), dpi=160)
        left, right = _columns(figure)
        for axes, jet, labels in (
            (left, recording.joint_jet, REFERENCE_LABELS),
            (right, recording.effort_jet, EFFORT_LABELS),
        ):
            for d, (axis, (name, symbol)) in enumerate(zip(axes, labels, strict=True)):
                for i, style in enumerate(styles):
                    axis.plot(recording.time, jet[:, d, i], **style)
                axis.set_title(name, loc='left', color=BLACK, fontsize=11.5, pad=4)
                axis.set_ylabel(symbol)
                _mark_waypoints(axis, recording)
            _name_hold(axes[0], recording)
            axes[-1].set_xlabel('time from the start of the trajectory [s]')
            figure.align_ylabels(axes)
        _mark_waypoint_positions(left[0], recording, styles)
        figure.suptitle(title, x=0.012, y=0.985, ha='left', fontsize=15, weight='bold')
        _legend(figure, left[0], recording.joint_names)
        figure.savefig(path)


def _columns(figure: Figure) -> tuple[list[Axes], list[Axes]]:
    """Return columns of five panels on the left and three on the right, of equal height."""
    columns = []
    for first, last, count in ((0.075, 0.5, 5), (0.575, 0.99, 3)):
        grid = figure.add_gridspec(
            count, 1, left=first, right=last, top=0.855, bottom=0.065, hspace=0.36 * count / 5
        )
        axes = [figure.add_subplot(grid[0])]
        axes += [figure.add_subplot(grid[i], sharex=axes[0]) for i in range(1, count)]
        for axis in axes[:-1]:
            axis.tick_params(labelbottom=False)
        columns.append(axes)
    return columns[0], columns[1]


def _mark_waypoints(axis: Axes, recording: Recording) -> None:
    for instant in recording.waypoint_times:
        axis.axvline(instant, color='#9AA2AB', linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    axis.axvspan(
        recording.waypoint_times[-1], recording.time[-1], color='#F3F4F6', linewidth=0, zorder=0
    )
    axis.set_xlim(min(0.0, recording.time[0]), recording.time[-1])
    axis.margins(y=0.08)


def _name_hold(axis: Axes, recording: Recording) -> None:
    axis.text(
        (recording.waypoint_times[-1] + recording.time[-1]) / 2,
        1.04,
        'hold',
        transform=axis.get_xaxis_transform(),
        ha='center',
        color=GREY,
        fontsize=10,
    )


def _mark_waypoint_positions(
    axis: Axes, recording: Recording, styles: Sequence[dict[str, Any]]
) -> None:
    for i, style in enumerate(styles):
        axis.plot(
            recording.waypoint_times,
            recording.waypoint_positions[:, i],
            'o',
            color=style['color'],
            markersize=5,
            markeredgecolor='white',
            markeredgewidth=0.8,
            clip_on=False,
            zorder=3,
        )


def _legend(figure: Figure, axis: Axes, joint_names: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    lines = axis.get_lines()[: len(joint_names)]
    waypoint = Line2D(
        [], [], color=GREY, marker='o', markeredgecolor='white', linestyle=(0, (2, 2)), linewidth=1
    )
    figure.legend(
        [*lines, waypoint],
        [*joint_names, 'waypoint'],
        loc='upper left',
        bbox_to_anchor=(0.005, 0.95),
        ncols=min(8, len(joint_names) + 1),
        frameon=False,
        handlelength=1.6,
        columnspacing=1.6,
        labelcolor=BLACK,
    )
