# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Jets, a quantity with its time derivatives: Taylor coefficients, products, shifts in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb, factorial

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.lie.scalars import ScalarArray


def jet(*rows: ArrayLike) -> Array:
    """
    Return a quantity and its time derivatives as one array, the jet that functions take.

    Parameters
    ----------
    *rows : (n,) or (..., n) array_like
        Positions, velocities, accelerations and so on, all of one shape [rad or m, per s^d].

    Returns
    -------
    (k, n) or (..., k, n) ndarray
        Row d is the d-th argument.

    Raises
    ------
    ShapeError
        If the arguments are not of one shape, or have no axis.
    InputError
        If there is no argument, or one is not real.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> q, qd, qdd = np.zeros((3, 100, 2))
    >>> sd.inverse_dynamics(model, sd.jet(q, qd, qdd)).shape
    (100, 1, 2)
    """
    if not rows:
        raise InputError('jet: expected one argument or more, got none')
    arrays = [as_float_array(f'row {d} of the jet', row) for d, row in enumerate(rows)]
    for d, array in enumerate(arrays):
        if not array.ndim or array.shape != arrays[0].shape:
            expected = str(arrays[0].shape) if array.ndim else '(n,) or (..., n)'
            raise ShapeError(f'row {d} of the jet', expected, array.shape)
    return np.stack(arrays, axis=-2)


def taylor_coefficients(jet: ScalarArray) -> ScalarArray:
    """
    Return the Taylor coefficients of a quantity, its d-th derivative divided by d!.

    Parameters
    ----------
    jet : (K + 1, ...) ndarray
        Row d is the d-th derivative.

    Returns
    -------
    (K + 1, ...) ndarray
    """
    return np.array([row / factorial(d) for d, row in enumerate(jet)])


def jet_of_coefficients(coefficients: ScalarArray) -> ScalarArray:
    """
    Return the derivatives of a quantity, its d-th Taylor coefficient times d!.

    Parameters
    ----------
    coefficients : (K + 1, ...) ndarray

    Returns
    -------
    (K + 1, ...) ndarray
        Row d is the d-th derivative.
    """
    return np.array([factorial(d) * row for d, row in enumerate(coefficients)])


def leibniz_terms(
    k: int, a: Sequence[ScalarArray] | ScalarArray, b: Sequence[ScalarArray] | ScalarArray
) -> Iterator[ScalarArray]:
    """
    Yield the terms of the k-th derivative of a matrix product, from s = 0 to k.

    Parameters
    ----------
    k : int
        Order of the derivative.
    a : (k + 1, m, n) ndarray or sequence of (m, n) ndarray
        Row s is the s-th derivative of the left factor.
    b : (k + 1, n, ...) ndarray or sequence of (n, ...) ndarray
        The right factor.

    Yields
    ------
    (m, ...) ndarray
        comb(k, s) a^(s) b^(k - s).
    """
    for s in range(k + 1):
        yield comb(k, s) * a[s] @ b[k - s]


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
    >>> import numpy as np
    >>> from screw_dynamics.trajectory import taylor_shifted
    >>> taylor_shifted(np.array([[1.0], [2.0], [4.0]]), 0.5).ravel()
    array([2.5, 4. , 4. ])
    """
    weights = [elapsed**d / factorial(d) for d in range(len(jet))]
    return np.array([np.dot(weights[: len(jet) - d], jet[d:]) for d in range(len(jet))])


def scale_speed(joint_jet: Array, speed: float) -> Array:
    """
    Convert derivatives with respect to trajectory time to derivatives with respect to real time.

    With a constant rate s = d(t_trajectory) / dt, the d-th derivative is multiplied by s^d.

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
    >>> from screw_dynamics.trajectory import scale_speed
    >>> scale_speed(np.array([[1.0], [1.0], [1.0]]), 0.5).ravel()
    array([1.  , 0.5 , 0.25])
    """
    factor = 1.0
    for row in joint_jet[1:]:
        factor *= speed
        row *= factor
    return joint_jet
