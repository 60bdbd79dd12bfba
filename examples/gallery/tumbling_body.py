# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Angular momentum of a body without any wrench, in axes of the body and of the base."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from screw_dynamics import lie
from screw_dynamics.common.figures import COLOURS, GREY
from screw_dynamics.theory.geometric_integration import free_body, runge_kutta
from screw_dynamics.theory.geometric_integration.munthe_kaas import integrate

INERTIA = lie.inertia_matrix(1.0, np.zeros(3), np.diag([0.3, 0.5, 0.7]))
TWIST = np.array([0.05, 3.0, 0.1, 0.0, 0.0, 0.0])  # nearly about the middle axis
STEP, STEPS = 0.02, 600


def figure() -> Figure:
    """Return the figure."""
    start = np.eye(4)
    momentum = free_body.spatial_momentum(INERTIA, start, TWIST)
    states = list(
        integrate(
            free_body.momentum_form(INERTIA),
            runge_kutta.CLASSICAL,
            start[None],
            momentum,
            STEP,
            STEPS,
        )  # fmt: skip
    )
    times = [t for t, _, _ in states]
    in_base = np.array([momentum[:3] for _, _, momentum in states])
    in_body = np.array([poses[0, :3, :3].T @ momentum[:3] for _, poses, momentum in states])

    result = Figure(figsize=(9.0, 3.8), dpi=110, layout='constrained')
    for axis, values, title in zip(
        result.subplots(1, 2, sharey=True), (in_body, in_base), ('body axes', 'base axes'),
        strict=True,
    ):  # fmt: skip
        for column, name, colour in zip(values.T, 'xyz', COLOURS[:3], strict=True):
            axis.plot(times, column, color=colour, label=name)
        axis.set_title(title, fontsize=11, color=GREY)
        axis.set_xlabel('time [s]')
    result.axes[0].set_ylabel('angular momentum [N m s]')
    result.axes[1].legend(frameon=False, loc='lower right', ncols=3, bbox_to_anchor=(1.0, 0.6))
    result.suptitle('A body that tumbles, no wrench acts: one momentum in two frames',
                    x=0.01, ha='left')  # fmt: skip
    return result
