# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensions of threads, which only pull, for given efforts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, as_vector, require_finite
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError, ShapeError


def allocate_tensions(
    matrix: ArrayLike, efforts: ArrayLike, least: float = 0.0, tolerance: float = 1e-8
) -> Array:
    """
    Return tensions of at least `least` whose efforts are the given ones, by least squares.

    Parameters
    ----------
    matrix : (n, m) array_like
        A(q), columns `-dl/dq` of the threads.
    efforts : (n,) array_like
        nu = A tau.
    least : float
        Least tension [N].
    tolerance : float
        Largest error of A tau, relative to the norm of the efforts.

    Returns
    -------
    (m,) ndarray
        tau [N].

    Raises
    ------
    InputError
        If no such tensions realise the efforts.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> from screw_dynamics.soft import allocate_tensions
    >>> allocate_tensions([[1.0, -1.0]], [-2.0], least=1.0)
    array([1., 3.])
    """
    # here, as nodes import this room and start in half the time without SciPy
    from scipy.optimize import nnls

    columns = require_finite('matrix', as_float_array('matrix', matrix))
    if columns.ndim != 2:
        raise ShapeError('matrix', '(n, m)', columns.shape)
    wanted = as_vector('efforts', efforts, len(columns))
    require_number('least', least)
    require_number('tolerance', tolerance)
    right = wanted - least * columns.sum(axis=1)
    above, error = np.zeros(columns.shape[1]), float(np.linalg.norm(right))
    if columns.size:  # nnls of scipy writes outside of its memory if there is no column
        above, error = nnls(columns, right)
    allowed = tolerance * max(float(np.linalg.norm(wanted)), np.finfo(float).tiny)
    if error > allowed:
        raise InputError(
            f'efforts: expected efforts that threads can realise by pulling, to {allowed:.3g}, got'
            f' an error of {error:.3g}'
        )
    return np.asarray(above + least)
