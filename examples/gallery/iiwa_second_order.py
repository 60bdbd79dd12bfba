# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Second-order inverse dynamics of the KUKA iiwa: the experiment of MK2021 section 6.2."""

from __future__ import annotations

from matplotlib.figure import Figure

from paper_experiments.arms import iiwa
from paper_experiments.panels import experiment_figure


def figure() -> Figure:
    """Return the figure."""
    title = 'KUKA iiwa 14, MK2021: efforts (lines: kernel) and the points of the published figure'
    return experiment_figure(iiwa(), title)
