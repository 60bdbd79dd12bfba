# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Twists of every scalar type, among them nearly singular ones, and their comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy as np
import pytest
from hypothesis import strategies as st

from screw_dynamics.series import Series, jet_of_series

ORDER = 3  # of series
DIGITS = 50

# angles at which a formula or a branch is singular or changes, and any other
ANGLES = st.one_of(
    st.sampled_from([0.0, 1e-200, 1e-160, 1e-12, 1e-8, 1e-5, 0.1, 0.2, 0.999999, 1.0, 1.000001]),
    st.sampled_from([np.pi / 2, 2 * np.pi / 3, 3.0, np.pi - 1e-6, np.pi - 1e-10]),
    st.floats(0.0, 3.1),
)
LENGTHS = st.one_of(st.sampled_from([0.0, 1e-9, 1.0]), st.floats(0.0, 3.0))


@st.composite
def directions(draw) -> np.ndarray:
    """Return a unit vector, in every third case a coordinate axis or nearly one."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    vector = rng.normal(size=3)
    if seed % 3 == 0:
        vector = np.eye(3)[seed % 9 // 3] * (-1) ** seed + vector * 10.0 ** rng.integers(-18, -3)
    return vector / np.linalg.norm(vector)


@st.composite
def twists(draw, angles=ANGLES) -> np.ndarray:
    """Return a twist (x; y) whose angular part has one of the angles."""
    x = draw(angles) * draw(directions())
    return np.concatenate([x, draw(LENGTHS) * draw(directions())])


@dataclass(frozen=True)
class Kind:
    """
    A type of scalars: how to make an array of it from floats, and its rounding.

    `tolerance` is for values of order one, after some dozen operations.
    """

    name: str
    make: Callable[[np.ndarray], np.ndarray]
    tolerance: float

    def assert_close(self, actual, desired, scale: float = 1.0) -> None:
        difference = np.asarray(np.asarray(actual) - np.asarray(desired))
        sizes = [size(entry) for entry in difference.ravel()]
        assert max(sizes, default=0.0) <= self.tolerance * scale


def size(entry) -> float:
    """Return the absolute value of a scalar; the largest of a series."""
    if isinstance(entry, Series):
        return max(size(coefficient) for coefficient in entry.coefficients)
    return float(abs(entry))


def as_complex(array: np.ndarray) -> np.ndarray:
    # the identities are analytic: they hold beside the real axis, too
    return array + 0.1j * np.sin(1.0 + np.arange(array.size).reshape(array.shape))


def as_mpf(array: np.ndarray) -> np.ndarray:
    result = np.empty(array.shape, object)
    for index in np.ndindex(array.shape):
        result[index] = mpmath.mpf(float(array[index]))
    return result


def as_series(array: np.ndarray) -> np.ndarray:
    result = np.empty(array.shape, object)
    for i, index in enumerate(np.ndindex(array.shape)):
        rates = np.cos(np.arange(1.0, ORDER + 1.0) * (i + 1.0)).tolist()
        result[index] = Series([float(array[index]), *rates])
    return result


def derivatives(array: np.ndarray) -> np.ndarray:
    """Return the jet (K + 1, ...) of an array of series as floats."""
    return jet_of_series(np.asarray(array), ORDER).astype(float)


FLOAT = Kind('float', np.asarray, 2e-14)
COMPLEX = Kind('complex', as_complex, 4e-14)
MPF = Kind('mpf', as_mpf, 10.0 ** (4 - DIGITS))
# coefficients of t^3 contain products of many rates of order one
SERIES = Kind('series', as_series, 2e-12)
KINDS = pytest.mark.parametrize('kind', [FLOAT, COMPLEX, MPF, SERIES], ids=lambda kind: kind.name)
