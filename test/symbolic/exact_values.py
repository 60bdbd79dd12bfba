# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of expressions at a joint motion, in thirty digits."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import sympy

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array

DIGITS = 30


def values(model: sd.symbolic.SymbolicModel, jet: Array, expression: Any) -> Array:
    """Return the numbers of a matrix or scalar, rounded after their computation in 30 digits."""
    matrix = sympy.Matrix([[expression]]) if isinstance(expression, sympy.Expr) else expression
    symbols = [*model.joint_jet(len(jet)).ravel(), *model.values]
    function = sympy.lambdify(symbols, list(matrix), 'mpmath')
    with mpmath.workdps(DIGITS):
        numbers = [mpmath.mpf(float(x)) for x in jet.ravel()]
        numbers += [mpmath.mpmathify(x.evalf(DIGITS)) for x in model.values.values()]
        found = [float(x) for x in function(*numbers)]
    shape = matrix.shape if matrix.cols > 1 else (matrix.rows,)
    return np.array(found).reshape(shape)
