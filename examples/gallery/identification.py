# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of an arm with friction and a load, by its model, and by what was identified."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.trajectory import Waypoints, smooth_trajectory

RATE, DURATION, USED = 200.0, 20.0, 15.0  # Hz, s, s
POSITION_NOISE, EFFORT_NOISE = 2e-5, 0.5  # rad, N m
VISCOUS, COULOMB, COULOMB_VELOCITY = 3.0, 2.0, 0.01  # N m s/rad, N m, rad/s
LOAD = 3.0  # kg
SHOWN = ('joint_2', 'joint_4', 'joint_6')


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.2, 1.2, (11, model.n))
    free = np.full(points.shape, np.nan)
    knots = np.linspace(0.0, DURATION, len(points))
    curve = smooth_trajectory(Waypoints(model.joint_names, knots, points, free, free))
    times = np.arange(0.0, DURATION, 1.0 / RATE)
    jets = curve.jets(times, rows=3)
    loaded = model.with_payload('flange', LOAD, [0.0, 0.0, 0.1])
    efforts = sd.inverse_dynamics(loaded, jets)[:, 0] + VISCOUS * jets[:, 1]
    efforts += COULOMB * np.tanh(jets[:, 1] / COULOMB_VELOCITY)
    noise = rng.normal(size=(2, *efforts.shape))
    recording = sd.Recording(
        model.joint_names,
        times,
        jets[:, 0] + POSITION_NOISE * noise[0],
        efforts + EFFORT_NOISE * noise[1],
    )
    found = sd.identify(model, recording.between(0.0, USED), payload='flange', rotors=False)
    result = Figure(figsize=(11.0, 6.0), dpi=110, layout='constrained')
    found.explain(recording).plot(SHOWN, result)
    for axes in result.axes[::3]:
        axes.axvspan(USED, DURATION, color='C1', alpha=0.2, linewidth=0)
    assert found.payload is not None
    deviation = 1.96 * found.payload.mass_deviation
    result.suptitle(
        f'Measured efforts, fitted but for the last {DURATION - USED:g} s (shaded); '
        f'load {found.payload.mass:.3f} ± {deviation:.3f} kg, in truth {LOAD:g} kg',
        x=0.01, ha='left', fontsize=10,
    )  # fmt: skip
    return result
