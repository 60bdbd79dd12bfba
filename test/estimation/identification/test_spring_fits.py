# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs that are fitted to means of deflections."""

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import RecordingWarning
from screw_dynamics.estimation.identification.least_squares import cosine_windows
from screw_dynamics.estimation.identification.springs import fitted_springs

STIFFNESS, CUBIC = 500.0, 4e5  # N m/rad, N m/rad^3: twice as stiff at 0.02 rad


def means(values):
    """Return means of 0.1 s."""
    return values.reshape(-1, 50, *values.shape[1:]).mean(axis=1)


def fitted(planar, law):
    """Return the springs, of that law, of a recording of hardening ones."""
    times = np.arange(0.0, 20.0, 0.002)
    deflections = 0.03 * np.column_stack((np.sin(5.0 * times), np.cos(9.0 * times)))
    efforts = STIFFNESS * deflections + CUBIC * deflections**3
    links = np.column_stack((np.sin(2.0 * times), np.sin(3.0 * times)))
    recording = sd.Recording(
        planar.joint_names,
        means(times),
        means(links),
        motor_positions=means(links + deflections),
    )
    return fitted_springs(
        planar,
        recording,
        efforts,
        np.gradient(links, times, axis=0),
        cosine_windows(means(times), 1.0),
        lambda _, weights: np.zeros((weights.shape[1],) * 2),
        dict.fromkeys(planar.joint_names, law),
        smooth=means,
    )


def test_means_of_deflections_are_not_those_of_mean_efforts(planar):
    for fit in fitted(planar, 'cubic'):
        assert fit.stiffness == pytest.approx(STIFFNESS, rel=1e-4)
        assert fit.rows[1][1] == pytest.approx(CUBIC, rel=1e-4)


def test_another_law_is_named(planar):
    with pytest.warns(RecordingWarning) as warned:
        fitted(planar, 'linear')
    text = "joint 'joint_2': expected deflections of a linear spring, got some that another law"
    assert len(warned) == 2 and text in str(warned[1].message)
