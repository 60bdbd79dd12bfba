# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantities of one state with a workspace of their own: the sources of generated C."""

import numpy as np

from screw_dynamics.kernels.bodies.efforts import inverse_dynamics
from screw_dynamics.kernels.bodies.layout import BODY_COUNT
from screw_dynamics.kernels.bodies.rows import at, efforts_rows, integer
from screw_dynamics.kernels.drives.commands import write_motor_commands
from screw_dynamics.kernels.drives.friction import dry_friction
from screw_dynamics.kernels.drives.laws import VISCOUS
from screw_dynamics.kernels.drives.parallel import parallel_spring_effort


def quantity(sweep, order, rows, q, qd, out, parameters):
    """Write a quantity that needs no efforts; that of a joint jet has the jet in place of q."""
    sweep(order, np.empty(rows), q, qd, q, out, parameters)


def motor_commands(order, shape, jet, motions, efforts, parameters, integers, reals):
    """
    Write motor positions (p, m) and efforts (p - 2, m) of a joint jet; return a status.

    `shape` is n, p, m; `integers` and `reals` are those of `write_motor_commands`.
    """
    n, count, m = shape
    efforts_of_links, deflections = np.empty((order + 1) * n), np.zeros((1, count, m))
    rows, links = efforts_rows(order, integer(parameters, BODY_COUNT)), at(efforts_of_links, 0)
    quantity(inverse_dynamics, order, rows, at(jet, 0), at(jet, 0), links, parameters)
    return write_motor_commands(
        jet.reshape((1, order + 3, n)), efforts_of_links.reshape((1, order + 1, n)),
        integers, reals, deflections,
        motions.reshape((1, count, m)), efforts.reshape((1, count - 2, m)),
    )  # fmt: skip


def drive_forces(q, qd, springs, friction, parallel, tables):
    """
    Write the efforts of parallel springs and the friction under no load, (n,) each.

    `parallel` is (n, 10); `tables` (4, n, 4) has both tables of friction of the joints, then those
    of their motors.
    """
    for j in range(len(q)):
        springs[j] = parallel_spring_effort(parallel[j], q[j])
        friction[j] = (tables[0, j, VISCOUS] + tables[2, j, VISCOUS]) * qd[j]
        for k in range(0, 4, 2):
            friction[j] += dry_friction(tables[k, j], tables[k + 1, j], qd[j], 0.0)
