# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figure of the loop over ROS 2: tracking errors of both feedforwards over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from screw_dynamics.recordings.results.results_plot import STYLE
from sea_study.plot import COLOURS
from sea_study.ros_loop import LoopRun

_LEAST = 1e-10  # rad


def save_loop(runs: Sequence[LoopRun], path: Path) -> None:
    """Plot the largest joint error of every run over time."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 4.0), dpi=160)
        axes = figure.subplots()
        for run in runs:
            colour, label = COLOURS[run.feedforward], f'{run.feedforward} feedforward'
            error = np.maximum(np.abs(run.error).max(axis=1), _LEAST)
            axes.semilogy(run.time, error, color=colour, label=label)
        axes.set_xlabel('time from start [s]')
        axes.set_ylabel('largest |q - q_ref| [rad]')
        axes.set_xlim(0.0, max(run.time[-1] for run in runs))
        axes.set_ylim(_LEAST, 0.1)
        axes.legend(loc='lower right')
        figure.suptitle('Simulated series elastic arm over ROS 2, motor efforts alone')
        figure.tight_layout()
        figure.savefig(path)
