# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`taylor_shifted`: extrapolation of a motion from its derivatives at one instant."""

from __future__ import annotations

from math import factorial

import numpy as np

from screw_dynamics.arrays import Array


def taylor_shifted(jet: Array, elapsed: float) -> Array:
    """
    Return the derivatives of a polynomial after some time.

    Parameters
    ----------
    jet : (rows, n) ndarray
        Row d is the d-th derivative at the start.
    elapsed : float
        Time after the start [s].

    Returns
    -------
    (rows, n) ndarray

    Examples
    --------
    >>> taylor_shifted(np.array([[1.0], [2.0], [4.0]]), 0.5).ravel()
    array([2.5, 4. , 4. ])

    """
    weights = [elapsed**d / factorial(d) for d in range(len(jet))]
    shifted = [np.dot(weights[: len(jet) - d], jet[d:]) for d in range(len(jet))]
    return np.array(shifted)
