# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Third-order inverse dynamics of the Franka Panda: the experiment of KM2021 section IV."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper_experiments.arms import panda
from paper_experiments.panels import experiment_figure


def figure() -> Figure:
    """Return the figure."""
    title = 'Franka Panda, KM2021: efforts (lines: kernel) and the points of the published figures'
    return experiment_figure(panda(), title)
