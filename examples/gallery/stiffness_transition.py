# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A joint of variable stiffness that becomes stiffer while it moves."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import COLOURS, GREY

SOFT, STIFF = 80.0, 400.0  # N m/rad
BEGIN, DURATION = 0.5, 1.0  # s of the transition
LABELS = (
    r'stiffness  [N m/rad]',
    r'deflection  [rad]',
    r'$\theta$ and $q$  [rad]',
    r'$\tau_m$  [N m]',
)


def stiffness(times: Array) -> Array:
    """Return the stiffness and its first two derivatives (T, 3): a quintic from soft to stiff."""
    u = np.clip((times - BEGIN) / DURATION, 0.0, 1.0)
    rows = (
        u**3 * (10.0 - 15.0 * u + 6.0 * u**2),
        30.0 * u**2 * (1.0 - u) ** 2 / DURATION,
        60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / DURATION**2,
    )
    values = (STIFF - SOFT) * np.stack(rows, axis=1)
    values[:, 0] += SOFT
    return values


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'), locked={'joint_2': 0.0})
    drive = sd.JointDrive(sd.VariableStiffness(SOFT), sd.Motor(0.1))
    robot = sd.Robot(model, sd.Drives({'joint_1': drive}))
    times = np.linspace(0.0, 2.0, 801)
    rate = 2.0 * np.pi
    # a sine of 1 Hz and its derivatives
    jets = np.stack([0.4 * rate**d * np.sin(rate * times + 0.5 * np.pi * d) for d in range(5)], 1)
    jets = np.ascontiguousarray(jets[:, :, np.newaxis])
    change = stiffness(times)
    changing = sd.elastic_feedforward(robot, jets, stiffness_jets={'joint_1': change})

    result = Figure(figsize=(8.0, 8.0), dpi=110, layout='constrained')
    axes = result.subplots(len(LABELS), 1, sharex=True)
    axes[0].plot(times, change[:, 0], color=COLOURS[2])
    axes[1].plot(times, changing.deflection[:, 0], color=COLOURS[2])
    axes[2].plot(times, changing.motor_position[:, 0], color=COLOURS[2], label='motor')
    axes[2].plot(times, jets[:, 0, 0], color=GREY, linestyle=(0, (3, 2)), label='link')
    axes[2].legend(frameon=False)
    axes[3].plot(times, changing.motor_effort[:, 0], color=COLOURS[2])
    for axis, label in zip(axes, LABELS, strict=True):
        axis.set_ylabel(label)
        axis.axvspan(BEGIN, BEGIN + DURATION, color='#F3F4F6', linewidth=0, zorder=0)
    axes[-1].set_xlabel('time [s]')
    result.suptitle('A link follows its motion while its spring stiffens', x=0.01, ha='left')
    return result
