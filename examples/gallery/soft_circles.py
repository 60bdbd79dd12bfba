# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation 1 of P2025 at rest: three bodies that keep their volume, as recorded."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from soft_study.helicoid import Circles
from soft_study.plot import helicoid_figure
from soft_study.records import FOLDER, recorded_motion


def figure() -> Figure:
    """Return the figure."""
    times, columns = recorded_motion(FOLDER / 'helicoid.csv')
    places = columns['tip'].reshape(-1, 3, 3)
    none = np.zeros(len(times))
    return helicoid_figure(Circles(times, columns['position'], columns['tension'], places, none))
