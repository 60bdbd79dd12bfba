# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The fastest motions along a path, with and without a limit of the effort rate."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.common.figures import COLOURS, GREY
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    TrajectoryPoint,
    smooth_trajectory,
    waypoints_from_points,
)

RATE = 1000.0  # N m/s
POINTS = (
    TrajectoryPoint(0.0, (0.0, 0.0)),
    TrajectoryPoint(0.3, (1.4, -0.9)),
    TrajectoryPoint(0.6, (0.5, 0.7)),
    TrajectoryPoint(0.9, (1.2, 0.2)),
)


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    names = model.joint_names
    drives = sd.Drives({name: sd.JointDrive(max_effort_rate=RATE) for name in names})
    limited = sd.Robot(model, drives)
    curve = smooth_trajectory(waypoints_from_points(names, POINTS, names))
    times = np.linspace(0.0, curve.duration, 1001)[:-1]
    slow = sd.slow_down(limited, curve.jets(times), times, tolerance=1e-6)
    scaled = PiecewisePolynomial(
        curve.breaks * slow.factor, curve.coefficients, curve.end, curve.continuity
    )
    motions = {
        'slowed down as a whole': scaled,
        'retimed': sd.retime(limited, curve),
        'retimed without a limit of the effort rate': sd.retime(model, curve),
    }
    result = Figure(figsize=(8.0, 7.0), dpi=110, layout='constrained')
    axes = result.subplots(3, 1, sharex=True)
    bounds = {
        'velocity': model.limits.velocity,
        'effort': model.limits.effort,
        'effort rate': np.full(model.n, RATE),
    }
    for (label, motion), colour in zip(motions.items(), COLOURS, strict=False):
        instants = np.linspace(0.0, motion.duration, 2001)[:-1]
        jets = motion.jets(instants)
        efforts = sd.inverse_dynamics(model, jets)
        found = (jets[:, 1], efforts[:, 0], efforts[:, 1])
        for axis, values, (quantity, limits) in zip(axes, found, bounds.items(), strict=True):
            share = 100.0 * (np.abs(values) / limits).max(axis=1)
            axis.plot(instants, share, color=colour, label=f'{label}: {motion.duration:.2f} s')
            axis.set_ylabel(f'{quantity}  [% of its limit]')
            axis.axhline(100.0, color=GREY, linewidth=0.8)
            axis.set_ylim(0.0, 130.0)
    axes[0].legend(
        frameon=False, loc='lower center', bbox_to_anchor=(0.5, 1.0), ncols=3, fontsize=8
    )
    axes[-1].set_xlabel('time [s]')
    result.suptitle('Largest share of a limit along one path', x=0.01, ha='left', fontsize=10)
    return result
