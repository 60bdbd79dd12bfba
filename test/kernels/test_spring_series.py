# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The smooth friction law as a series, also where it is nearly constant."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from mpmath import mp, mpf

from screw_dynamics.kernels.series import tanh


@pytest.mark.parametrize('start', [0.0, 0.3, -2.0, 20.0, -40.0, 300.0])
def test_every_digit_of_the_saturated_law(start):
    u = np.array([start, 1.5, -0.4, 0.2, 0.1])
    result, slope = np.empty(5), np.empty(5)
    tanh(u, result, slope)
    with mp.workdps(320):

        def argument(t):
            return mp.fsum(mpf(x) * t**k for k, x in enumerate(u))

        expected = mp.taylor(lambda t: mp.tanh(argument(t)), 0, 4)
        slopes = mp.taylor(lambda t: mp.sech(argument(t)) ** 2, 0, 4)
    scale = float(abs(expected[1]))
    np.testing.assert_allclose(result[0], float(expected[0]), rtol=1e-15)
    np.testing.assert_allclose(
        result[1:], [float(x) for x in expected[1:]], rtol=1e-12, atol=1e-13 * scale
    )
    np.testing.assert_allclose(slope, [float(x) for x in slopes], rtol=1e-12, atol=1e-13 * scale)


@pytest.mark.parametrize('start', [-1e4, 1e300])
def test_nothing_overflows(start):
    result, slope = np.empty(3), np.empty(3)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        tanh(np.array([start, 1.0, 1.0]), result, slope)
    np.testing.assert_array_equal(result, [np.sign(start), 0.0, 0.0])
    assert not slope.any()
