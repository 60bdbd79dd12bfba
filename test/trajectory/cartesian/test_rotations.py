# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotations of many samples, compared with those of single ones and with series."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest

from screw_dynamics.lie import dexp_so3, exp_so3, log_so3
from screw_dynamics.series import jet_of_series, series_of_jet
from screw_dynamics.trajectory.cartesian.rotations import (
    angular_velocities,
    rotation_matrices,
    rotation_vectors,
)


@pytest.mark.parametrize('angle', [0.0, 1e-200, 1e-9, 0.1, 2.9999, 3.0001, np.pi - 1e-9])
def test_exponential_and_logarithm_are_those_of_single_rotations(angle):
    axes = np.random.default_rng(0).normal(size=(20, 3))
    vectors = angle * axes / np.linalg.norm(axes, axis=1)[:, None]
    matrices = rotation_matrices(vectors)
    single = np.array([exp_so3(vector) for vector in vectors])
    assert np.abs(matrices - single).max() <= 1e-15  # some units of rounding
    found = rotation_vectors(single)
    assert np.allclose(found, [log_so3(matrix) for matrix in single], rtol=1e-14, atol=1e-14)
    # at 3 rad the sine is 0.14: rounding grows tenfold
    assert np.allclose(found, vectors, rtol=1e-14, atol=1e-14 if angle < 3.1 else 1e-7)


@pytest.mark.parametrize('angle', [0.0, 1.0, 3.14])
def test_angular_velocities_are_those_of_series(angle):
    rng = np.random.default_rng(1)
    jets = rng.normal(size=(5, 4, 3))
    jets[0] *= angle / np.linalg.norm(jets[0], axis=1)[:, None]
    coefficients = np.array([row / factorial(d) for d, row in enumerate(jets)])
    found = angular_velocities(coefficients)
    for t in range(4):
        x = series_of_jet(jets[:, t])
        rate = series_of_jet(jets[1:, t])
        expected = jet_of_series(dexp_so3(x) @ rate, 3).astype(float)
        scale = np.abs(expected).max()
        for d in range(4):
            assert np.abs(factorial(d) * found[d, t] - expected[d]).max() <= 1e-13 * scale
