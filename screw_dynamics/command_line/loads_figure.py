# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figure of external efforts, their thresholds and contacts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from screw_dynamics.common.figures import (
    COLOURS,
    GREY,
    panels_figure,
)
from screw_dynamics.estimation.observers.recorded_loads import RecordedLoads
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import EFFORT_UNITS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _PANEL = 9.0, 1.3  # inches


def save_loads(loads: RecordedLoads, model: ScrewModel, path: Path, title: str) -> None:
    """Draw a panel per joint: external effort, threshold to both sides, contacts shaded."""
    with panels_figure(path, (_WIDTH, 1.0 + _PANEL * model.n), title) as figure:
        draw_loads(loads, model, figure, model.joint_names)


def draw_loads(
    loads: RecordedLoads, model: ScrewModel, figure: Figure, names: Sequence[str]
) -> None:
    """Draw the panels of some joints."""
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for name, panel in zip(names, panels, strict=True):
        j = model.joint_names.index(name)
        panel.margins(x=0.0)
        for contact, end in loads.contacts:
            panel.axvspan(contact.begin, end, color=COLOURS[4], alpha=0.25, linewidth=0)
        for sign in (-1.0, 1.0):
            panel.plot(loads.times, sign * loads.thresholds[:, j], color=GREY, linestyle='--')
        panel.plot(loads.times, loads.efforts[:, j], color=COLOURS[0], zorder=3)
        panel.set_ylabel(f'[{EFFORT_UNITS[model.coordinate_types[j] == "prismatic"]}]')
        panel.annotate(
            name, (0.0, 1.04), xycoords='axes fraction', weight='bold', parse_math=False
        )
    for contact, _ in loads.contacts:
        panels[0].annotate(
            contact.link,
            (contact.begin, 1.04),
            xycoords=('data', 'axes fraction'),
            color=COLOURS[1],
            parse_math=False,
        )
    panels[-1].set_xlabel('time [s]')
