# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Majorants of the efforts of a tree of bodies on a disc of complex time.

A series with coefficients mu_k >= |x_k| rho^k is a majorant of x(c + rho z), |z| <= 1. Sums and
products of majorants are majorants of sums and products, and the norms of the Newton-Euler
recursion have no others: docs/theory/certificate.md has the proof. A row has the coefficients 0
to m and, last, the sum of all of them, which is at least sup |x|.
"""

import numpy as np

from screw_dynamics.kernels.kernel import Kernel, read_only

# Columns of the table of bodies: parent and coordinate; |rotation| and |translation| along z per
# unit of the coordinate; translation = TRANSLATION q + OFFSET (signed); of the origin of the joint
# frame in that of the parent the squared distance and the part along the axis; about that origin
# mass, size of the first moment, largest moment of inertia.
PARENT, COORDINATE, TURN, SLIDE, TRANSLATION, OFFSET = range(6)
SQUARED_DISTANCE, ALONG, MASS, FIRST_MOMENT, INERTIA = range(6, 11)
COLUMNS = 11

_E, _W, _ALPHA, _A, _FORCE, _MOMENT, _LENGTH = range(7)


def _add_product(a, b, factor, result):
    """Add the product of two rows, times a factor, to a row."""
    last = len(result) - 1
    for k in range(last):
        total = 0.0
        for j in range(k + 1):
            total += a[j] * b[k - j]
        result[k] += factor * total
    result[last] += factor * a[last] * b[last]


def _set_exponential(a, result):
    """Set a row to the exponential of a row without a constant."""
    last = len(result) - 1
    result[0] = 1.0
    for k in range(1, last):
        total = 0.0
        for j in range(1, k + 1):
            total += j * a[j] * result[k - j]
        result[k] = total / k
    result[last] = np.exp(a[last])


def _set_motion(series, rate, joint):
    """Set the rows of |q - q(c)|, |q'| and |q''| from the series of q (K,)."""
    last = joint.shape[1] - 1
    joint[:] = 0.0
    for k in range(1, len(series)):
        size = abs(series[k])
        parts = size, k * rate * size, k * (k - 1) * rate * rate * size
        for d in range(3):
            if k >= d:
                joint[d, last] += parts[d]
                if k - d < last:
                    joint[d, k - d] = parts[d]


def _effort_majorants(coefficients, radii, bodies, gravity, out):
    """
    Write the majorants of efforts to `out` (T, m + 2, n).

    `coefficients` (T, K, n) are those of the positions times powers of the radii (T,) [s] of the
    discs. `bodies` (N, COLUMNS), `gravity` its norm.
    """
    rows, count = out.shape[1], len(bodies)
    work = np.empty((7, count, rows))
    joint, product, inner = np.empty((3, rows)), np.empty(rows), np.empty(rows)
    rest = np.zeros((4, rows))
    rest[3, 0] = rest[3, rows - 1] = gravity
    for t in range(len(out)):
        out[t] = 0.0
        rate = 1.0 / radii[t]
        for i in range(count):
            body = bodies[i]
            parent, j = int(body[PARENT]), int(body[COORDINATE])
            turn, slide = body[TURN], body[SLIDE]
            _set_motion(coefficients[t, :, j], rate, joint)
            e, w, alpha, a = work[_E, i], work[_W, i], work[_ALPHA, i], work[_A, i]
            length = work[_LENGTH, i]
            away = body[TRANSLATION] * coefficients[t, 0, j] + body[OFFSET]
            square = body[SQUARED_DISTANCE] + (2.0 * body[ALONG] + away) * away
            for k in range(rows):
                length[k] = slide * joint[0, k]
                product[k] = turn * joint[0, k]
                w[k] = turn * joint[1, k]
                alpha[k] = turn * joint[2, k]
                a[k] = slide * joint[2, k]
            distance = np.sqrt(max(square, 0.0))
            length[0] += distance
            length[rows - 1] += distance
            _set_exponential(product, e)
            if parent < 0:
                _add_product(e, rest[3], 1.0, a)
                continue
            before, turning, moving = work[_W, parent], work[_ALPHA, parent], work[_A, parent]
            product[:] = 0.0
            _add_product(e, before, 1.0, product)
            _add_product(product, joint[1], turn, alpha)
            for k in range(rows):
                w[k] += product[k]
            _add_product(e, turning, 1.0, alpha)
            inner[:] = moving
            product[:] = turning
            _add_product(before, before, 1.0, product)
            _add_product(product, length, 1.0, inner)
            if slide > 0.0:
                _add_product(before, joint[1], 2.0 * slide, inner)
            _add_product(e, inner, 1.0, a)
        for i in range(count):
            body = bodies[i]
            product[:] = work[_ALPHA, i]
            _add_product(work[_W, i], work[_W, i], 1.0, product)
            for k in range(rows):
                a_k, turned = work[_A, i, k], product[k]
                work[_FORCE, i, k] = body[MASS] * a_k + body[FIRST_MOMENT] * turned
                work[_MOMENT, i, k] = body[INERTIA] * turned + body[FIRST_MOMENT] * a_k
        for i in range(count - 1, -1, -1):
            body = bodies[i]
            parent, j = int(body[PARENT]), int(body[COORDINATE])
            force, moment = work[_FORCE, i], work[_MOMENT, i]
            for k in range(rows):
                out[t, k, j] += body[TURN] * moment[k] + body[SLIDE] * force[k]
            if parent >= 0:
                product[:] = moment
                _add_product(work[_LENGTH, i], force, 1.0, product)
                _add_product(work[_E, i], force, 1.0, work[_FORCE, parent])
                _add_product(work[_E, i], product, 1.0, work[_MOMENT, parent])


effort_majorants = Kernel(
    _effort_majorants,
    f'void({read_only(3)}, {read_only(1)}, {read_only(2)}, float64, float64[:, :, ::1])',
)


def _expand(coefficients, segments, centres, halves, out, sizes):
    """
    Write polynomials (I, K, n) in z about centres in segments, u = centre + half z.

    `sizes` (I, K, n) has bounds of the coefficients that do not cancel, for their rounding.
    """
    count, n = out.shape[1], out.shape[2]
    for i in range(len(segments)):
        segment, centre = segments[i], centres[i]
        for k in range(count):
            for j in range(n):
                out[i, k, j] = coefficients[segment, k, j]
                sizes[i, k, j] = abs(out[i, k, j])
        for r in range(count):
            for k in range(count - 2, r - 1, -1):
                for j in range(n):
                    out[i, k, j] += centre * out[i, k + 1, j]
                    sizes[i, k, j] += centre * sizes[i, k + 1, j]
        power = 1.0
        for k in range(count):
            for j in range(n):
                out[i, k, j] *= power
                sizes[i, k, j] *= power
            power *= halves[i]


expand_polynomials = Kernel(
    _expand,
    f'void({read_only(3)}, {read_only(1, "int64")}, {read_only(1)}, {read_only(1)}, '
    'float64[:, :, ::1], float64[:, :, ::1])',
)
