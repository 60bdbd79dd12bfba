# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figure of measured efforts, those of the model, and those of identified parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.common.figures import (
    COLOURS,
    GREY,
    panels_figure,
)
from screw_dynamics.estimation.identification import Identification, Recording
from screw_dynamics.model.records import EFFORT_UNITS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _PANEL = 9.0, 1.5  # inches


def save_identification(
    found: Identification, recording: Recording, used: float, path: Path, title: str
) -> None:
    """Draw a panel per joint; what was recorded after `used` [s] was held out, and is shaded."""
    with panels_figure(path, (_WIDTH, 1.2 + _PANEL * found.model.n), title) as figure:
        draw_identification(found, recording, used, figure, found.model.joint_names)


def draw_identification(
    found: Identification,
    recording: Recording,
    used: float,
    figure: Figure,
    names: Sequence[str],
) -> None:
    """Draw the panels of some joints."""
    seen = found.explained(recording)
    fitted = seen.known + seen.columns @ found.values
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for name, panel in zip(names, panels, strict=True):
        j = found.model.joint_names.index(name)
        panel.margins(x=0.0)
        panel.axvspan(used, recording.times[-1], color=COLOURS[4], alpha=0.2, linewidth=0)
        panel.plot(seen.times, seen.measured[:, j], color=GREY, label='measured')
        if found.columns.base is None:
            panel.plot(
                seen.times, seen.known[:, j], color=COLOURS[1], linestyle='--', label='model'
            )
        panel.plot(seen.times, fitted[:, j], color=COLOURS[0], label='fitted')
        panel.set_ylabel(f'[{EFFORT_UNITS[found.model.coordinate_types[j] == "prismatic"]}]')
        rest = (seen.measured - fitted)[seen.times > used, j]
        held = f', held out: {np.sqrt(np.mean(rest**2)):.3g} rms remain' if len(rest) else ''
        panel.annotate(
            f'{name}{held}',
            (0.0, 1.04),
            xycoords='axes fraction',
            weight='bold',
            parse_math=False,
        )
    panels[0].legend(loc='lower right', bbox_to_anchor=(1.0, 1.0), ncols=3, frameon=False)
    panels[-1].set_xlabel('time [s]')
