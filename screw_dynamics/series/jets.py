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


def scale_speed(joint_jet: Array, speed: float) -> Array:
    """
    Convert derivatives with respect to trajectory time to derivatives with respect to real time.

    With a constant rate s = d(t_trajectory) / dt of trajectory time, the d-th derivative is
    multiplied by s^d: v s, a s^2, jerk s^3, snap s^4.

    Parameters
    ----------
    joint_jet : (rows, n) ndarray
        Modified in place; row d is the d-th derivative.
    speed : float
        s >= 0; 1 changes nothing, 0 is a pause.

    Returns
    -------
    (rows, n) ndarray
        The argument `joint_jet`.

    Examples
    --------
    >>> import numpy as np
    >>> scale_speed(np.array([[1.0], [1.0], [1.0]]), 0.5).ravel()
    array([1.  , 0.5 , 0.25])

    """
    factor = 1.0
    for row in joint_jet[1:]:
        factor *= speed
        row *= factor
    return joint_jet
