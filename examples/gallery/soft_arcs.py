# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation 3 of P2025: accuracy of chains of arcs, and costs as recorded."""

from __future__ import annotations

from matplotlib.figure import Figure

from soft_study.plot import arcs_figure
from soft_study.records import recorded_costs


def figure() -> Figure:
    """Return the figure."""
    return arcs_figure(recorded_costs(), samples=20)
