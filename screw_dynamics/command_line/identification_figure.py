# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figure of measured efforts, what explains them, and the rest."""

from __future__ import annotations

from pathlib import Path

from screw_dynamics.common.figures import COLOURS, panels_figure
from screw_dynamics.estimation.identification import Identification, Recording

_WIDTH, _PANEL = 11.0, 1.6  # inches


def save_identification(
    found: Identification, recording: Recording, used: float, path: Path, title: str
) -> None:
    """Draw a row per joint; what was recorded after `used` [s] was held out, and is shaded."""
    with panels_figure(path, (_WIDTH, 1.2 + _PANEL * found.model.n), title) as figure:
        found.explain(recording).plot(figure=figure)
        for axes in figure.axes[::3]:
            axes.margins(x=0.0)
            axes.axvspan(used, recording.times[-1], color=COLOURS[4], alpha=0.2, linewidth=0)
