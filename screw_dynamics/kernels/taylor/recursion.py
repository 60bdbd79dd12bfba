# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Taylor recursion: inverse dynamics and its time derivatives of any order, O(n) per order.

Newton-Euler in joint-aligned frames (`model.joint_aligned`) on normalised Taylor coefficients
``x_[j] = x^(j) / j!``: the product rule becomes the Cauchy product, without binomials. With the
angular velocity w and ``B = w'~ + w~ w~`` of a body, a point r on it has the acceleration
``a + B r``, so that

- force and torque about the frame's origin are ``F = m a + B h`` and
  ``N = h × a + integral of r × B r dm`` with h = m c: linear in (a, B), no further products;
- the origin of a child needs only ``a + B r``;
- products of series remain only in the rotation about z (cos q, sin q), in ``w w^T`` and along
  prismatic and helical joints.

The source is plain Python on rows of a workspace: `taylor_rows` defines their layout,
`taylor_forward` and `taylor_backward` are the two sweeps. `taylor_compiled` compiles it,
`taylor_numpy` runs it unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from screw_dynamics.kernels.taylor import backward as taylor_backward
from screw_dynamics.kernels.taylor import forward as taylor_forward
from screw_dynamics.kernels.taylor import rows as taylor_rows
from screw_dynamics.kernels.taylor.backward import backward_sweep, subtract_wrenches
from screw_dynamics.kernels.taylor.forward import forward_sweep
from screw_dynamics.kernels.taylor.rows import gather, integer, scatter, workspace_rows

__all__ = [
    'BAD_SHAPE',
    'INPUT_NOT_FINITE',
    'OK',
    'RESULT_NOT_FINITE',
    'ROW_FUNCTIONS',
    'SOURCES',
    'backward_sweep',
    'forward_sweep',
    'gather',
    'integer',
    'scatter',
    'subtract_wrenches',
    'workspace_rows',
]

OK, BAD_SHAPE, INPUT_NOT_FINITE, RESULT_NOT_FINITE = range(4)

SOURCES = (taylor_rows, taylor_forward, taylor_backward)

# Functions to register for compilation; the compiled recursion overloads the access to rows.
ROW_FUNCTIONS: tuple[Callable[..., Any], ...] = tuple(
    function
    for module in SOURCES
    for name, function in vars(module).items()
    if callable(function)
    and function.__module__ == module.__name__
    and name not in ('at', 'get', 'put', 'sines')
)
