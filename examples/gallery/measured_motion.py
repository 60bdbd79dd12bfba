# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives and efforts from the positions that an encoder counts, with bands."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import BLACK, COLOURS, GREY
from screw_dynamics.trajectory import (
    TrajectoryPoint,
    measured_motion,
    smooth_trajectory,
    waypoints_from_points,
)

STEP = 0.002  # s, 500 Hz
COUNT = 2 * np.pi / 2**17  # rad, an encoder of 17 bit
JITTER = 1e-5  # rad, noise beside the counting
JOINT = 1
MOTION_LABELS = (
    r'$\ddot q$  [rad/s²]',
    r'$q^{(3)}$  [rad/s³]',
    r'$q^{(4)}$  [rad/s⁴]',
)
EFFORT_LABELS = (r'$\tau$  [N m]', r'$\dot\tau$  [N m/s]', r'$\ddot\tau$  [N m/s²]')


def true_motion(names: tuple[str, ...], times: Array) -> Array:
    """Return the jets of a motion through three points, and a rest, (T, 5, n)."""
    points = [
        TrajectoryPoint(0.0, [0.0] * 7),
        TrajectoryPoint(1.5, [0.8, -0.4, 0.2, 0.9, 0.1, -0.3, 0.5]),
        TrajectoryPoint(3.0, [0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ]
    return smooth_trajectory(waypoints_from_points(names, points, names)).jets(times)


def differences(samples: Array, order: int) -> Array:
    """Return central differences of the samples, NaN at the ends."""
    rows: Array = samples.copy()
    for _ in range(order):
        rows = np.gradient(rows, STEP, axis=0)
    return rows


def panel(axis: Axes, label: str, times: Array, lines: dict[str, Array], spread: Array) -> None:
    """Draw the truth, the estimate with its band, and differences where they fit."""
    truth, estimate, rough = lines['true'], lines['estimated'], lines['differences']
    reach = 1.4 * np.abs(truth).max()
    axis.plot(times, rough, color='#DDE1E5', linewidth=0.7, label='differences of the samples')
    axis.fill_between(
        times,
        estimate - 2 * spread,
        estimate + 2 * spread,
        color=COLOURS[1],
        alpha=0.3,
        linewidth=0,
        label='± 2 standard deviations',
    )
    axis.plot(times, estimate, color=COLOURS[1], label='estimate')
    axis.plot(times, truth, color=BLACK, linewidth=1.0, linestyle='--', label='true')
    axis.set_ylim(-reach, reach)
    axis.set_xlim(times[0], times[-1])
    axis.set_ylabel(label)


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    times = np.arange(0.0, 3.5, STEP)
    truth = true_motion(model.joint_names, times)
    noise = np.random.default_rng(0).normal(scale=JITTER, size=truth[:, 0].shape)
    samples = COUNT * np.round((truth[:, 0] + noise) / COUNT)
    motion = measured_motion(times, samples)
    jets, spread = motion.jets(times), motion.standard_deviations(times)
    rough = np.stack([differences(samples, d) for d in range(5)], axis=1)
    efforts, true_efforts, rough_efforts = (
        sd.inverse_dynamics(model, one) for one in (jets, truth, rough)
    )
    deviations = sd.effort_deviations(model, jets, motion.covariances(times))
    result = Figure(figsize=(12.0, 7.0), dpi=130, layout='constrained')
    axes = result.subplots(3, 2, sharex=True)
    for row in range(3):
        lines = {'true': truth, 'estimated': jets, 'differences': rough}
        chosen = {name: values[:, row + 2, JOINT] for name, values in lines.items()}
        panel(axes[row, 0], MOTION_LABELS[row], times, chosen, spread[:, row + 2, JOINT])
        lines = {'true': true_efforts, 'estimated': efforts, 'differences': rough_efforts}
        chosen = {name: values[:, row, JOINT] for name, values in lines.items()}
        panel(axes[row, 1], EFFORT_LABELS[row], times, chosen, deviations[:, row, JOINT])
    for axis in axes[-1]:
        axis.set_xlabel('time [s]', color=GREY)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    result.legend(handles, labels, loc='outside lower center', ncols=4, frameon=False)
    result.suptitle(
        'joint_2 of an iiwa 14: estimated from a 17 bit encoder at 500 Hz', x=0.01, ha='left'
    )
    return result
