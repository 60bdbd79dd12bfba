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

from screw_dynamics.kernels.enclosures.intervals import LARGEST_TURN, LEAST_RADIUS
from screw_dynamics.kernels.enclosures.series import ROUNDING, size_of
from screw_dynamics.kernels.kernel import Kernel, read_only

# Columns of the table of bodies: parent and coordinate; |rotation| and |translation| along z per
# unit of the coordinate; translation = TRANSLATION q + OFFSET (signed); of the origin of the joint
# frame in that of the parent the squared distance and the part along the axis; about that origin
# mass, size of the first moment, largest moment of inertia.
PARENT, COORDINATE, TURN, SLIDE, TRANSLATION, OFFSET = range(6)
SQUARED_DISTANCE, ALONG, MASS, FIRST_MOMENT, INERTIA = range(6, 11)
COLUMNS = 11

_E, _W, _ALPHA, _A, _FORCE, _MOMENT, _LENGTH = range(7)
_LARGEST_RADIUS = 1e6  # of a disc
_RUNGS, _RUNG = 7, 2.0**0.5  # steps to a larger one


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


def _set_motion(positions, j, radius, h, joint):
    """Set the rows of |q - q(c)|, |q'| and |q''| from the series of the positions (K, n)."""
    last, rate, power = joint.shape[1] - 1, 1.0 / (radius * h), 1.0
    joint[:] = 0.0
    for k in range(1, len(positions)):
        power *= radius
        size = power * abs(positions[k, j])
        parts = size, k * rate * size, k * (k - 1) * rate * rate * size
        for d in range(3):
            if k >= d:
                joint[d, last] += parts[d]
                if k - d < last:
                    joint[d, k - d] = parts[d]


def _add_efforts(positions, radius, h, bodies, gravity, work, lines, efforts):
    """Add the majorants of the efforts on a disc to `efforts` (n, rows); the rest is scratch."""
    rows, count = efforts.shape[1], len(bodies)
    joint, product, inner, rest = lines[:3], lines[3], lines[4], lines[5]
    rest[:] = 0.0
    rest[0] = rest[rows - 1] = gravity
    for i in range(count):
        body = bodies[i]
        parent, j = int(body[PARENT]), int(body[COORDINATE])
        turn, slide = body[TURN], body[SLIDE]
        _set_motion(positions, j, radius, h, joint)
        e, w, alpha, a = work[_E, i], work[_W, i], work[_ALPHA, i], work[_A, i]
        length = work[_LENGTH, i]
        away = body[TRANSLATION] * positions[0, j] + body[OFFSET]
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
            _add_product(e, rest, 1.0, a)
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
            efforts[j, k] += body[TURN] * moment[k] + body[SLIDE] * force[k]
        if parent >= 0:
            product[:] = moment
            _add_product(work[_LENGTH, i], force, 1.0, product)
            _add_product(work[_E, i], force, 1.0, work[_FORCE, parent])
            _add_product(work[_E, i], product, 1.0, work[_MOMENT, parent])


def _radius(positions, moved):
    """Return the radius of the disc on which joints with positions (K, n) move little."""
    count, n = positions.shape
    radius = _LARGEST_RADIUS
    # none of the terms of a turn is above its share of the largest one there
    for k in range(1, count):
        term = 0.0
        for j in range(n):
            term = max(term, moved[j] * abs(positions[k, j]))
        if term > 0.0:
            radius = min(radius, (LARGEST_TURN / (count - 1) / term) ** (1.0 / k))
    radius = max(radius, LEAST_RADIUS)
    for _ in range(_RUNGS):
        for j in range(n):
            if not moved[j] * size_of(positions[:, j], _RUNG * radius, 1) <= LARGEST_TURN:
                return radius
        radius *= _RUNG
    return radius


def _fill_discs(rows, positions, h, moved, bodies, gravity, radii, tails):
    """Fill radii and tails of all intervals, see `_write_discs`."""
    work, lines = np.empty((7, len(bodies), rows)), np.empty((6, rows))
    efforts = np.empty((positions.shape[2], rows))
    for t in range(len(h)):
        radii[t] = _radius(positions[t], moved)
        efforts[:] = 0.0
        _add_efforts(positions[t], radii[t], h[t], bodies, gravity, work, lines, efforts)
        for j in range(len(efforts)):
            largest, rest = efforts[j, rows - 1], efforts[j, rows - 1]
            for k in range(rows - 1):
                rest -= efforts[j, k]
            tails[t, 0, j] = max(rest, 0.0) + ROUNDING * largest
            tails[t, 1, j] = ROUNDING * largest


def _write_discs(order, positions, h, moved, bodies, gravity, radii, tails):
    """
    Write radii (I,) of discs on which joints move little, and what a series leaves of efforts.

    `positions` (I, K, n) are series on intervals of half lengths h (I,) [s]. `moved` (n,) is how
    much joints move by a unit, `gravity` a norm. `tails` (I, 2, n) has bounds of the sum of the
    terms beyond the order on the disc, and of the rounding of the others.
    """
    # loops over known numbers of terms become straight code
    if order == 8:
        _fill_discs(10, positions, h, moved, bodies, gravity, radii, tails)
    elif order == 10:
        _fill_discs(12, positions, h, moved, bodies, gravity, radii, tails)
    else:
        _fill_discs(order + 2, positions, h, moved, bodies, gravity, radii, tails)


set_link_discs = Kernel(
    _write_discs,
    f'void(int64, {read_only(3)}, {read_only(1)}, {read_only(1)}, {read_only(2)}, float64, '
    'float64[::1], float64[:, :, ::1])',
)
