# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated sampling of polynomial motions against exact derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from c_compiler import Compiled, needs_gcc
from numpy.polynomial import Polynomial

import screw_dynamics as sd

pytestmark = needs_gcc

# relative to the largest number of a row: some ten rounded products
BOUND = 1e-13


def exact(breaks, coefficients, end, t, rows):
    """The derivatives of the polynomial of the segment of t, by numpy."""
    segments, _, n = coefficients.shape
    i = int(np.searchsorted(breaks, t, side='right')) - 1
    jet = np.zeros((rows, n))
    if i < 0 or i >= segments:
        jet[0] = coefficients[0, 0] if i < 0 else end
        return jet
    h = breaks[i + 1] - breaks[i]
    for j in range(n):
        p = Polynomial(coefficients[i, :, j])
        for d in range(rows):
            jet[d, j] = (p.deriv(d) if d else p)((t - breaks[i]) / h) / h**d
    return jet


@pytest.mark.parametrize('order', [0, 2, 4])
def test_jets_are_the_derivatives_of_the_segments(order, tmp_path):
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    code = sd.generate_c(model, 'arm', order=order, quantities=['reference'])
    compiled = Compiled(code, tmp_path)
    rng, rows = np.random.default_rng(order), order + 3
    for segments, degree in ((1, 1), (2, 5), (9, 7)):
        breaks = np.cumsum(rng.uniform(0.1, 1.0, segments + 1))
        coefficients = rng.normal(size=(segments, degree + 1, 7))
        end = rng.normal(size=7)
        times = [*breaks, breaks[0] - 1.0, breaks[-1] + 1.0, *(breaks[:-1] + 0.05)]
        for t in times:
            jet = np.full((rows, 7), np.nan)
            arguments = segments, degree + 1, breaks, coefficients, end, float(t), jet
            compiled.status('reference', *arguments)
            expected = exact(breaks, coefficients, end, t, rows)
            scale = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1.0)
            np.testing.assert_allclose(jet / scale, expected / scale, rtol=0.0, atol=BOUND)


def test_a_robot_at_rest_needs_no_segment(tmp_path):
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    compiled = Compiled(sd.generate_c(model, quantities=['reference']), tmp_path)
    breaks, nothing, end = np.zeros(1), np.zeros(1), np.array([0.5, -1.5])
    jet = np.full((5, 2), np.nan)
    compiled.status('reference', 0, 1, breaks, nothing, end, -1.0, jet)
    assert (jet[0] == end).all() and not jet[1:].any()
