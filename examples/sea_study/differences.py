# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Elastic feedforward by finite differences of positions, as it is done without derivatives."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.model import ScrewModel

SAMPLING = 1e-3  # s
STEP = 2.0 * np.pi / 2**19  # rad, of the encoder
NOISE = 1e-5  # rad rms, of the encoder
CUTOFFS = (5.0, 10.0, 15.0, 20.0, 30.0, 50.0)  # Hz; the best in hindsight is used
ORDER = 4  # of the low-pass, which runs forwards and backwards and so has no delay
MARGIN = 1.0  # s of rest before and after the motion, longer than the filter remembers
LOST = 2  # samples at each end for which there are no differences


def readings(positions: Array, seed: int) -> Array:
    """Return positions (T, n) [rad] as an encoder reads them."""
    noise = np.random.default_rng(seed).normal(0.0, NOISE, positions.shape)
    return STEP * np.round((positions + noise) / STEP)


def smoothed(positions: Array, cutoff: float) -> Array:
    """Return sampled positions (T, n) after a Butterworth low-pass in both directions."""
    from scipy.signal import butter, sosfiltfilt

    sections = butter(ORDER, cutoff, fs=1.0 / SAMPLING, output='sos')
    filtered: Array = sosfiltfilt(sections, positions, axis=0)
    return filtered


def motor_motion(model: ScrewModel, positions: Array, stiffness: Array) -> tuple[Array, ...]:
    """
    Return efforts of the links, motor velocities and accelerations by central differences.

    Positions are (T, n), results (T - 4, n): the efforts of a rigid inverse dynamics, and motors
    that are ahead of the links by these efforts divided by `stiffness` (n,).
    """
    rate, acceleration = _differences(positions)
    jets = np.stack([positions[1:-1], rate, acceleration], axis=1)
    tau = inverse_dynamics(model, jets)[:, 0]
    tau_rate, tau_acceleration = _differences(tau)
    return (
        tau[1:-1],
        rate[1:-1] + tau_rate / stiffness,
        acceleration[1:-1] + tau_acceleration / stiffness,
    )


def _differences(values: Array) -> tuple[Array, Array]:
    """Return first and second central differences (T - 2, n) of samples (T, n)."""
    before, now, after = values[:-2], values[1:-1], values[2:]
    return (after - before) / (2.0 * SAMPLING), (after - 2.0 * now + before) / SAMPLING**2
