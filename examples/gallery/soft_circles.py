# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation 1 of P2025: tips of three bodies follow circles by nine threads, as recorded."""

from __future__ import annotations

from matplotlib.figure import Figure

from soft_study.plot import helicoid_figure
from soft_study.records import recorded_circles


def figure() -> Figure:
    """Return the figure."""
    return helicoid_figure(recorded_circles())
