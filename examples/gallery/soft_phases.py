# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation 2 of P2025: a rigid arm, a soft arm and a gripper in three phases, as recorded."""

from __future__ import annotations

from matplotlib.figure import Figure

from soft_study.hybrid import HybridMotion
from soft_study.plot import hybrid_figure
from soft_study.records import FOLDER, recorded_motion


def figure() -> Figure:
    """Return the figure."""
    times, columns = recorded_motion(FOLDER / 'hybrid.csv')
    return hybrid_figure(HybridMotion(times, columns['position'], columns['input']))
