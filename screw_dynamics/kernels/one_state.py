# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recursions of one state with a workspace of their own: the sources of generated C."""

import numpy as np

from screw_dynamics.kernels.drives.commands import write_motor_commands
from screw_dynamics.kernels.taylor.backward import backward_sweep
from screw_dynamics.kernels.taylor.forward import forward_sweep
from screw_dynamics.kernels.taylor.layout import BODY_COUNT
from screw_dynamics.kernels.taylor.rows import at, gather, integer, scatter, workspace_rows


def inverse_dynamics(order, jet, out, parameters):
    """Write the effort jet of a joint jet, both without a batch axis."""
    ws = np.empty(workspace_rows(order, integer(parameters, BODY_COUNT)))
    gather(order, ws, jet, parameters)
    forward_sweep(order, ws, parameters)
    backward_sweep(order, ws, parameters)
    scatter(order, ws, out, parameters)


def term(sweep, rows, q, qd, out, parameters):
    """Write a term of `kernels.terms`, which needs no efforts."""
    ws = np.empty(rows)
    sweep(ws, q, qd, q, out, parameters)


def motor_commands(order, shape, jet, motions, efforts, parameters, integers, reals):
    """
    Write motor positions (p, m) and efforts (p - 2, m) of a joint jet; return a status.

    `shape` is n, p, m; `integers` and `reals` are those of `write_motor_commands`.
    """
    n, count, m = shape
    efforts_of_links, deflections = np.empty((order + 1) * n), np.zeros((1, count, m))
    inverse_dynamics(order, at(jet, 0), at(efforts_of_links, 0), parameters)
    return write_motor_commands(
        jet.reshape((1, order + 3, n)), efforts_of_links.reshape((1, order + 1, n)),
        integers, reals, deflections,
        motions.reshape((1, count, m)), efforts.reshape((1, count - 2, m)),
    )  # fmt: skip
