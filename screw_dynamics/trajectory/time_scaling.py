# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Speed scaling: the same path with time running slower or faster."""

from __future__ import annotations

from screw_dynamics.arrays import Array


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
