# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Shares of limits along a motion, and their figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import GREY, line_style
from screw_dynamics.drives.robot import Robot
from screw_dynamics.limits.quantities import is_of_motors
from screw_dynamics.limits.retiming import limits_by_name
from screw_dynamics.limits.retiming.last_slowing import instants
from screw_dynamics.limits.retiming.limited_quantities import limited_quantities
from screw_dynamics.trajectory import PiecewisePolynomial

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def limit_shares(
    robot: Robot, curve: PiecewisePolynomial, times: Array
) -> dict[str, dict[str, Array]]:
    """Return the shares (T,) of the limits at times (T,) by quantity and joint or motor [%]."""
    quantities = limited_quantities(robot)
    jets = curve.jets(times, rows=max(quantities.rows, 2))
    values = quantities.values(jets[:, : quantities.rows])
    bounds = limits_by_name(robot)['velocity']
    limited = np.flatnonzero(np.isfinite(bounds))
    parts = [('velocity', limited, jets[:, 1, limited] / bounds[limited])]
    first = 0
    for name, columns, limits in quantities.parts:
        parts.append((name, columns, values[:, first : first + len(limits)] / limits))
        first += len(limits)
    return {
        name: {
            (robot.motors.names if is_of_motors(name) else robot.joint_names)[j]: column
            for j, column in zip(columns.tolist(), 100.0 * np.abs(shares).T, strict=True)
        }
        for name, columns, shares in parts
        if len(columns)
    }


def draw_shares(
    curve: PiecewisePolynomial, shares: dict[str, dict[str, Array]], figure: Figure
) -> None:
    """Draw a panel per quantity, with a line per joint or motor."""
    times = instants(curve)
    names = list(dict.fromkeys(name for lines in shares.values() for name in lines))
    panels = figure.subplots(len(shares), 1, sharex=True, squeeze=False)[:, 0]
    for (quantity, lines), panel in zip(shares.items(), panels, strict=True):
        panel.margins(x=0.0)
        panel.axhline(100.0, color=GREY, linestyle='--')
        for name, values in lines.items():
            k = names.index(name)
            panel.plot(
                times,
                values,
                label=name,
                marker='o' if len(times) == 1 else None,
                **line_style(k),
            )
        panel.set_ylim(0.0, 110.0)
        panel.set_ylabel('[% of limit]')
        panel.annotate(quantity, (0.0, 1.04), xycoords='axes fraction', weight='bold')
    drawn = {line.get_label(): line for panel in panels for line in panel.get_lines()}
    legend = figure.legend(
        handles=[drawn[name] for name in names], loc='outside right upper', frameon=False
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    panels[-1].set_xlabel('time [s]')
