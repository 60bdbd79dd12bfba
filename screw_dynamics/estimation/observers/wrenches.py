# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Wrench at a frame by weighted least squares from joint efforts."""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError, SingularJacobianError, shown
from screw_dynamics.model import ScrewModel

_PARTS = {'all': slice(0, 6), 'force': slice(3, 6)}
_SINGULAR = 1e-6  # relative singular value below which a component moves no joint
_NAMES = ('torque x', 'torque y', 'torque z', 'force x', 'force y', 'force z')


def least_squares_wrench(
    model: ScrewModel,
    frame: str,
    q: Array,
    jacobian: Array,
    efforts: Array,
    covariance: Array,
    components: str,
) -> tuple[Array, Array]:
    """Return the wrench (6,) and its covariance (6, 6); `jacobian` (6, n) is the frame's."""
    if components not in _PARTS:
        raise InputError(f'components: expected all or force, got {shown(components)}')
    part = _PARTS[components]
    root = _root(covariance)
    known = bool(covariance.any())
    matrix = np.linalg.solve(root, jacobian[part].T)  # (n, c)
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    count = matrix.shape[1]
    lowest = values[-1] if len(values) == count else 0.0
    if lowest <= _SINGULAR * max(values.max(initial=0.0), np.finfo(float).tiny):
        blind = np.linalg.svd(jacobian[part].T)[2][-1]
        name = _NAMES[part][int(np.argmax(abs(blind)))]
        raise SingularJacobianError(
            frame,
            ', '.join(f'{value:.4g}' for value in q),
            float(lowest),
            _SINGULAR * float(values.max(initial=0.0)),
            f'{name}, or a combination with it, moves no joint',
        )
    wrench, spread = np.zeros(6), np.zeros((6, 6))
    inverse = right.T / values
    wrench[part] = inverse @ (left.T @ np.linalg.solve(root, efforts))
    if known:
        spread[part, part] = inverse @ inverse.T
    return wrench, spread


def _root(covariance: Array) -> Array:
    """Return L with L L^T = covariance, or 1 if it is not positive definite."""
    try:
        return np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.eye(len(covariance))
