# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Partial derivatives of the joint accelerations by q, q' and tau.

With tau(q, q', q'') of inverse dynamics they are -M^-1 dtau/dq, -M^-1 dtau/dq' and M^-1.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.effort_partials import effort_partials
from screw_dynamics.kernels.bodies.efforts import bias_efforts
from screw_dynamics.kernels.bodies.factors import factorise, set_scale, solve
from screw_dynamics.kernels.bodies.joint_frames import clear
from screw_dynamics.kernels.bodies.mass_matrix import mass_matrix, mass_matrix_rows
from screw_dynamics.kernels.bodies.momenta import momenta_rows
from screw_dynamics.kernels.bodies.rows import at, efforts_rows, get, independent, integer, put


def acceleration_partials_rows(order, count):
    """Return the number of rows of the workspace."""
    most = max(mass_matrix_rows(0, count), efforts_rows(0, count), momenta_rows(0, count))
    return most + (count + 5) * count


def acceleration_partials(order, ws, q, qd, tau, out, parameters):
    """Write the derivatives (3, n, n) by q, q' and tau."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    matrix = at(ws, acceleration_partials_rows(0, count) - (count + 5) * count)
    scale, inverses, jet = at(matrix, n * n), at(matrix, n * n + n), at(matrix, n * n + 2 * n)
    mass_matrix(0, ws, q, q, q, matrix, parameters)
    set_scale(ws, scale, n, parameters)
    factorise(n, matrix, scale, inverses)
    accelerations = at(jet, 2 * n)
    bias_efforts(0, ws, q, qd, q, accelerations, parameters)
    for k in range(n):
        put(jet, k, get(q, k))
        put(jet, n + k, get(qd, k))
        put(accelerations, k, get(tau, k) - get(accelerations, k))
    solve(n, matrix, inverses, accelerations, 1)
    effort_partials(0, ws, jet, jet, jet, out, parameters)
    for k in independent(2 * n * n):
        put(out, k, -get(out, k))
    inverse = at(out, 2 * n * n)
    clear(inverse, n * n, q)
    for k in range(n):
        put(inverse, k * (n + 1), 1.0 + get(inverse, k * (n + 1)))
    for k in range(3):
        solve(n, matrix, inverses, at(out, k * n * n), n)
