# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler equations in the base frame: W^s = (M^s V^s)', [M2018] (35) to (39)."""

from __future__ import annotations

from screw_dynamics.lie import adjoint_inverse, wrench_cross
from screw_dynamics.lie.scalars import ScalarArray


def inertia_in_base(inertia: ScalarArray, pose: ScalarArray) -> ScalarArray:
    """
    Return M^s = Ad_C^-T M Ad_C^-1, [M2018] (35).

    Parameters
    ----------
    inertia : (6, 6) ndarray
        In the body frame.
    pose : (4, 4) ndarray
        C of the body.

    Returns
    -------
    (6, 6) ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.spatial import inertia_in_base
    >>> float(inertia_in_base(np.eye(6), np.eye(4)).trace())
    6.0
    """
    to_body = adjoint_inverse(pose)
    result: ScalarArray = to_body.T @ inertia @ to_body
    return result


def wrench(inertia: ScalarArray, twist: ScalarArray, twist_rate: ScalarArray) -> ScalarArray:
    """
    Return the wrench ON the body that causes a motion: W^s = M^s V^s' - ad_{V^s}^T M^s V^s.

    [M2018] (39).

    Parameters
    ----------
    inertia : (6, 6) ndarray
        M^s, see `inertia_in_base`.
    twist, twist_rate : (6,) ndarray
        V^s and its derivative [rad/s; m/s, per s].

    Returns
    -------
    (6,) ndarray
        Spatial components, torque about the base origin [N m; N].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.spatial import wrench
    >>> wrench(2 * np.eye(6), np.zeros(6), np.eye(6)[3])
    array([0., 0., 0., 2., 0., 0.])
    """
    return inertia @ twist_rate + wrench_cross(twist) @ inertia @ twist


def momentum(inertia: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """
    Return the momentum Pi^s = M^s V^s, whose derivative is the wrench: [M2018] (36), (37).

    Parameters
    ----------
    inertia : (6, 6) ndarray
        M^s, see `inertia_in_base`.
    twist : (6,) ndarray
        V^s.

    Returns
    -------
    (6,) ndarray
        Angular momentum about the base origin, momentum [N m s; N s].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.spatial import momentum
    >>> momentum(2 * np.eye(6), np.eye(6)[3])
    array([0., 0., 0., 2., 0., 0.])
    """
    result: ScalarArray = inertia @ twist
    return result


def inertia_rate(inertia: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """
    Return M^s' = -ad_{V^s}^T M^s - M^s ad_{V^s}, [M2018] (38).

    Parameters
    ----------
    inertia : (6, 6) ndarray
        M^s, see `inertia_in_base`.
    twist : (6,) ndarray
        V^s.

    Returns
    -------
    (6, 6) ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.newton_euler.spatial import inertia_rate
    >>> float(abs(inertia_rate(np.eye(6), np.zeros(6))).max())
    0.0
    """
    half = wrench_cross(twist) @ inertia
    result: ScalarArray = half + half.T
    return result
