# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Exponential, logarithm and their derivatives on SO(3) and SE(3), for scalars of any type.

dexp is the right-trivialised derivative: if x(t) is a curve in the algebra and C = exp(x), then
``C' C^-1`` is the matrix of dexp_x x', the spatial twist; ``C^-1 C'`` is that of dexp_(-x) x', the
body-fixed twist. All coefficients are Stumpff functions of theta^2 = x . x, analytic at 0. A
matrix of SE(3) is that of SO(3) for the dual vector x + eps y: its blocks are the value and the
derivative in the direction y.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie.adjoint import lower_blocks
from screw_dynamics.lie.scalars import Scalar, ScalarArray, arc, stumpff, value
from screw_dynamics.lie.se3 import pose
from screw_dynamics.lie.so3 import skew, vee


def exp_so3(x: ScalarArray) -> ScalarArray:
    """
    Return the rotation exp(x~) = I + c_1 x~ + c_2 x~^2 ([MK2021] (7)).

    Parameters
    ----------
    x : (3,) ndarray
        Rotation vector, axis times angle [rad]; of any length.

    Returns
    -------
    (3, 3) ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import exp_so3
    >>> exp_so3(np.array([0.0, 0.0, np.pi / 2])).round(12) @ np.array([1.0, 0.0, 0.0])
    array([0., 1., 0.])
    """
    _, c1, c2 = stumpff(x @ x, 2)
    hat = skew(x)
    matrix: ScalarArray = np.eye(3, dtype=hat.dtype) + c1 * hat + c2 * (hat @ hat)
    return matrix


def log_so3(rotation: ScalarArray) -> ScalarArray:
    """
    Return the rotation vector x of length theta in [0, pi] with exp(x~) = R.

    Accurate to rounding also near the identity and near theta = pi, where both signs of x are
    valid. It is analytic below pi; a symbolic R is taken to have a trace above -1.

    Parameters
    ----------
    rotation : (3, 3) ndarray

    Returns
    -------
    (3,) ndarray
        [rad].

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import log_so3
    >>> log_so3(np.diag([-1.0, 1.0, -1.0])) / np.pi
    array([0., 1., 0.])
    """
    w, v = _quaternion(rotation)
    vector: ScalarArray = 2 * arc(v @ v, w) * v
    return vector


def dexp_so3(x: ScalarArray) -> ScalarArray:
    """
    Return dexp_x = I + c_2 x~ + c_3 x~^2, the angular velocity per rate of the rotation vector.

    Parameters
    ----------
    x : (3,) ndarray
        Rotation vector [rad].

    Returns
    -------
    (3, 3) ndarray
    """
    c = stumpff(x @ x, 3)
    hat = skew(x)
    matrix: ScalarArray = np.eye(3, dtype=hat.dtype) + c[2] * hat + c[3] * (hat @ hat)
    return matrix


def dexp_inverse_so3(x: ScalarArray) -> ScalarArray:
    """
    Return dexp_x^-1 = I - x~ / 2 + g x~^2 with g = (1 - theta / 2 cot(theta / 2)) / theta^2.

    Parameters
    ----------
    x : (3,) ndarray
        Rotation vector, shorter than 2 pi [rad].

    Returns
    -------
    (3, 3) ndarray
    """
    hat = skew(x)
    g = _inverse_coefficient(stumpff(x @ x, 4))
    matrix: ScalarArray = np.eye(3, dtype=hat.dtype) - hat / 2 + g * (hat @ hat)
    return matrix


def exp_se3(twist: ScalarArray) -> ScalarArray:
    """
    Return the pose exp(X) = (exp(x~), dexp_x y) ([MK2021] (6)).

    Parameters
    ----------
    twist : (6,) ndarray
        X = (x; y), screw coordinates of any length.

    Returns
    -------
    (4, 4) ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import exp_se3
    >>> exp_se3(np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0]))[:3, 3]
    array([1., 2., 3.])
    """
    return pose(exp_so3(twist[:3]), dexp_so3(twist[:3]) @ twist[3:])


def log_se3(c: ScalarArray) -> ScalarArray:
    """
    Return the screw coordinates X with exp(X) = C and an angle in [0, pi]; see `log_so3`.

    Parameters
    ----------
    c : (4, 4) ndarray
        Pose.

    Returns
    -------
    (6,) ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.lie import exp_se3, log_se3
    >>> log_se3(exp_se3(np.array([0.0, 0.0, 0.5, 1.0, 2.0, 3.0]))).round(12)
    array([0. , 0. , 0.5, 1. , 2. , 3. ])
    """
    x = log_so3(c[:3, :3])
    return np.concatenate([x, dexp_inverse_so3(x) @ c[:3, 3]])


def dexp_se3(twist: ScalarArray) -> ScalarArray:
    """
    Return dexp_X, the spatial twist of exp(X) per rate of X.

    Parameters
    ----------
    twist : (6,) ndarray
        X = (x; y).

    Returns
    -------
    (6, 6) ndarray
    """
    x, y = skew(twist[:3]), skew(twist[3:])
    c = stumpff(twist[:3] @ twist[:3], 5)
    slope = 2 * (twist[:3] @ twist[3:])  # derivative of theta^2 in the direction y
    square = x @ x
    below = c[2] * y + c[3] * (x @ y + y @ x)
    below = below + slope * (_derivative(c, 2) * x + _derivative(c, 3) * square)
    return lower_blocks(np.eye(3, dtype=x.dtype) + c[2] * x + c[3] * square, below)


def dexp_inverse_se3(twist: ScalarArray) -> ScalarArray:
    """
    Return dexp_X^-1, the rate of X per spatial twist of exp(X).

    Parameters
    ----------
    twist : (6,) ndarray
        X = (x; y) with x shorter than 2 pi [rad].

    Returns
    -------
    (6, 6) ndarray
    """
    x, y = skew(twist[:3]), skew(twist[3:])
    c = stumpff(twist[:3] @ twist[:3], 6)
    g = _inverse_coefficient(c)
    numerator = _derivative(c, 3) - 2 * _derivative(c, 4)
    rate = (numerator / 2 - g * _derivative(c, 2)) / c[2]  # dg / d(theta^2)
    slope = 2 * (twist[:3] @ twist[3:])
    square = x @ x
    below = -y / 2 + g * (x @ y + y @ x) + slope * rate * square
    return lower_blocks(np.eye(3, dtype=x.dtype) - x / 2 + g * square, below)


def _inverse_coefficient(c: list[Scalar]) -> Scalar:
    """Return (1 - theta / 2 cot(theta / 2)) / theta^2, free of cancellation below 2 pi."""
    return (c[3] - 2 * c[4]) / (2 * c[2])


def _derivative(c: list[Scalar], k: int) -> Scalar:
    """Return the derivative of c_k with respect to theta^2."""
    return (k * c[k + 2] - c[k + 1]) / 2


def _quaternion(rotation: ScalarArray) -> tuple[Scalar, ScalarArray]:
    """Return w >= 0 and v, a multiple of (cos(theta / 2), sin(theta / 2) e), not normalised."""
    trace = rotation[0, 0] + rotation[1, 1] + rotation[2, 2]
    sizes = [value(entry) for entry in (rotation[0, 0], rotation[1, 1], rotation[2, 2], trace)]
    known = [size for size in sizes if size is not None]
    if len(known) < 4 or known[3] >= max(known[:3]):
        return 1 + trace, 2 * vee(rotation)
    i = known.index(max(known[:3]))
    j, k = (i + 1) % 3, (i + 2) % 3
    v = rotation[i] + rotation[:, i]
    v[i] = 1 + 2 * rotation[i, i] - trace
    w = rotation[k, j] - rotation[j, k]
    size = value(w)
    return (w, v) if size is None or size >= 0.0 else (-w, -v)
