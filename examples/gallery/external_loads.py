# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""External efforts of an arm that is pushed twice, and the contacts found in them."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.estimation.observers.recorded_loads import recorded_loads

ERROR = 0.05  # of every inertia parameter
EFFORT_NOISE, VELOCITY_NOISE = 0.2, 5e-4  # N m, rad/s
RATE = 500.0  # Hz
# link, point in its frame [m], from, to [s], force [N] in base-link axes
PUSHES = (
    ('link_4', (0.0, 0.2, 0.05), 1.0, 1.3, (40.0, -25.0, 30.0)),
    ('link_6', (0.08, 0.0, 0.05), 2.2, 2.7, (0.0, 20.0, -25.0)),
)
SHOWN = ('joint_1', 'joint_2', 'joint_4', 'joint_6')


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    rng = np.random.default_rng(3)
    times = np.arange(0.0, 3.5, 1.0 / RATE)
    rates, amplitudes = rng.uniform(0.8, 1.6, model.n), rng.uniform(0.3, 0.7, model.n)
    home = np.array([0.0, 0.6, 0.0, -1.2, 0.0, 0.8, 0.0])
    angles = np.outer(times, rates)
    waves = np.stack([np.sin(angles), np.cos(angles), -np.sin(angles)], axis=1)
    jets = amplitudes * rates ** np.arange(3)[:, None] * waves
    jets[:, 0] += home
    parameters = sd.inertial_parameters(model)
    real = parameters * (1.0 + rng.uniform(-ERROR, ERROR, parameters.shape))
    efforts = sd.regressor(model, jets)[:, 0] @ real
    for link, point, begin, end, force in PUSHES:
        for i in np.flatnonzero((times >= begin) & (times < end)):
            jacobian = sd.frame_jacobian(model, jets[i, 0], link, 'hybrid')
            lever = sd.frame_pose(model, jets[i, 0], link)[:3, :3] @ point
            efforts[i] -= jacobian.T @ np.concatenate([np.cross(lever, force), force])
    efforts += EFFORT_NOISE * rng.normal(size=efforts.shape)
    rate = jets[:, 1] + VELOCITY_NOISE * rng.normal(size=efforts.shape)
    observer = sd.LoadObserver(
        model,
        bandwidth=100.0,
        effort_deviation=EFFORT_NOISE,
        velocity_deviation=VELOCITY_NOISE,
    )
    detector = sd.ContactDetector(observer, floor=1.0, model_error=ERROR)
    loads = recorded_loads(detector, times, jets[:, 0], rate, efforts)
    result = Figure(figsize=(8.0, 7.0), dpi=110, layout='constrained')
    loads.draw(result, SHOWN)
    result.suptitle(
        'External efforts, their thresholds (dashed) and contacts (shaded) with 5 % model error',
        x=0.01, ha='left', fontsize=10,
    )  # fmt: skip
    return result
