# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of the Panda with three derivatives (KM2021): all published forms and the kernel."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from gallery.iiwa_second_order import efforts_and_differences, motion
from screw_dynamics.arrays import Array


def panda() -> sd.ScrewModel:
    """Return the robot of the package; its fingers, the last coordinate, stay closed."""
    return sd.read_urdf(sd.share_path('urdf/panda.urdf'))


def panda_jets(model: sd.ScrewModel, times: Array) -> Array:
    """Return the motion about a bent posture, (T, 6, n)."""
    sizes = np.zeros(model.n)
    sizes[:7] = (0.5, -0.4, 0.6, 0.4, -0.7, 0.5, 0.8)
    jets = motion(times, sizes, 1.6, 6)
    jets[:, 0, :7] += (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.7)
    return jets


def figure() -> Figure:
    """Return the figure."""
    model, times = panda(), np.linspace(0.0, 5.0, 361)
    return efforts_and_differences(
        model,
        panda_jets(model, times),
        times,
        'Franka Emika Panda: third-order inverse dynamics in seven ways',
    )
