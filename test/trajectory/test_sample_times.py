# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Sample times of a motion."""

import numpy as np
import pytest

from screw_dynamics.errors import InputError
from screw_dynamics.trajectory.piecewise_polynomial import (
    PiecewisePolynomial,
    dense_times,
    sample_times,
)


@pytest.mark.parametrize(
    ('start', 'end', 'rate', 'expected'),
    [
        (1.0, 1.35, 10.0, [1.0, 1.1, 1.2, 1.3, 1.35]),
        (0.0, 0.1 + 0.2, 10.0, [0.0, 0.1, 0.2, 0.3]),  # 3.0000000000000004 steps
        (2.0, 2.0, 10.0, [2.0]),
        (0.0, 1e-9, 10.0, [0.0, 1e-9]),
    ],
)
def test_even_times_and_the_end(start, end, rate, expected):
    times = sample_times(start, end, rate)
    assert times[-1] == end
    np.testing.assert_allclose(times, expected, rtol=1e-15)


def test_too_many_samples():
    with pytest.raises(InputError, match='at most 10000000 samples, 250 Hz over 1e.09 s gives'):
        sample_times(0.0, 1e9, 250.0)
    with pytest.raises(InputError, match='gives inf'):
        sample_times(0.0, 1e9, 1e300)


def test_dense_times_have_the_points_and_some_between_any_two():
    """None coincide, also where an even one is next to a break."""
    breaks = np.array([1.0, 1.0 + 1e-3, 2.0 + 1e-13, 4.0])
    curve = PiecewisePolynomial(breaks, np.zeros((3, 1, 1)), np.zeros(1), 4)
    times = dense_times(curve, 10.0)
    steps = np.diff(times)
    assert (times[0], times[-1]) == (1.0, 4.0) and steps.min() > 1e-9
    assert steps.max() <= 0.1 + 1e-12
    for begin, end in zip(breaks, breaks[1:], strict=False):
        inside = (begin + 1e-9 < times) & (times < end - 1e-9)
        assert np.count_nonzero(inside) >= 15
        assert np.abs(times - end).min() <= 1e-12
    many = PiecewisePolynomial(np.arange(50_001.0), np.zeros((50_000, 1, 1)), np.zeros(1), 4)
    assert len(dense_times(many, 1e-3)) <= 200_001
