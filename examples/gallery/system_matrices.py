# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries that are not zero in the matrices of the closed form, for a tree of five bodies."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

import screw_dynamics as sd
from gallery.screw_tree import ANGLES, HOMES, PARENTS, SCREWS
from screw_dynamics import lie
from screw_dynamics.common.figures import COLOURS
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices

INERTIA = lie.inertia_matrix(1.0, np.array([0.1, 0.2, 0.3]), np.diag([0.01, 0.02, 0.03]))


def figure() -> Figure:
    """Return the figure."""
    count = len(PARENTS)
    model = sd.ScrewModel.from_screws(PARENTS, HOMES, SCREWS, [INERTIA] * count)
    of = SystemMatrices(model, np.stack((ANGLES, np.zeros(count))))
    panels = (
        ('$A$', of.A, 6, 6),
        ('$X$', of.X, 6, 1),
        ('$J = A X$', of.J, 6, 1),
        (r'$M = J^T \mathsf{M} J$', of.mass_matrix, 1, 1),
    )
    result = Figure(figsize=(9.0, 4.2), dpi=110, layout='constrained')
    axes = result.subplots(1, len(panels), width_ratios=[6, 2, 2, 3])
    for axis, (title, matrix, height, width) in zip(axes, panels, strict=True):
        rows, columns = matrix.shape
        axis.imshow(
            np.abs(matrix) > 1e-12, cmap=ListedColormap(['w', COLOURS[0]]), vmin=0, vmax=1,
            extent=(0, columns / width, rows / height, 0),
            aspect='equal' if height == width else 'auto',
        )  # fmt: skip
        axis.set_title(title, fontsize=11)
        ticks = np.arange(count)
        axis.set_xticks(ticks + 0.5, ticks + 1)
        axis.set_yticks(ticks + 0.5, ticks + 1)
        axis.grid(visible=False)
        axis.hlines(ticks, 0, count, color='0.8', lw=0.8)
        axis.vlines(ticks, 0, count, color='0.8', lw=0.8)
    result.suptitle('Entries that are not zero: body 1 carries 2 and 4, these carry 3 and 5',
                    x=0.01, ha='left')  # fmt: skip
    return result
