# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rods: chains of rigid sections whose steps share the coordinates of the rod.

The strain is ``xi = xi_0 + Phi q`` and a step is ``exp(W)`` with
``W = h xi`` or, of fourth order, ``W = h (xi_a + xi_b) / 2 + c [xi_a, xi_b]``. The effort of the
coordinates is the sum over the steps of ``(dW/dq)^T T^T`` times the wrench behind the step, where
T is the right-trivialised tangent ``dexp_{-W}``: all series products are of vectors, and Phi is
constant.
"""

from screw_dynamics.kernels.soft import layout
from screw_dynamics.kernels.soft.entire_functions import entire_series
from screw_dynamics.kernels.soft.frames import (
    ACCELERATION,
    RATES,
    add_own_wrench,
    advance,
    pass_back,
    set_turning,
)
from screw_dynamics.kernels.soft.products import (
    add_cross,
    add_scaled,
    copy,
    cross,
    dot,
    product,
)

TOP = 5  # highest entire function of a step


def set_strain(ws, q, n, reals, row, turn, shift, count):
    """Set the series of a strain: xi_0 (6), then Phi (6, n), from `row` on."""
    for c in range(6):
        target = (turn if c < 3 else shift - 3) + c
        basis = row + 6 + c * n
        for k in range(count):
            total = 0.0
            for j in range(n):
                total += reals[basis + j] * ws[q + j * count + k]
            ws[target + 3 * k] = total
        ws[target] += reals[row + c]


def set_exponent(ws, q, n, reals, row, block, count):
    """Set the strains and the exponent of a step."""
    turn_a, shift_a = block + layout.TURN_A * count, block + layout.SHIFT_A * count
    turn_b, shift_b = block + layout.TURN_B * count, block + layout.SHIFT_B * count
    turn, shift = block + layout.TURN * count, block + layout.SHIFT * count
    step, bracket = reals[row + layout.STEP], reals[row + layout.BRACKET]
    set_strain(ws, q, n, reals, row + layout.STRAIN, turn_a, shift_a, count)
    if bracket == 0.0:
        for i in range(6 * count):
            ws[turn + i] = step * ws[turn_a + i]
        return
    set_strain(ws, q, n, reals, row + layout.STRAIN + 6 * (n + 1), turn_b, shift_b, count)
    for i in range(6 * count):
        ws[turn + i] = 0.5 * step * (ws[turn_a + i] + ws[turn_b + i])
    add_cross(ws, bracket, turn_a, count, turn_b, turn, count)
    add_cross(ws, bracket, turn_a, count, shift_b, shift, count)
    add_cross(ws, bracket, shift_a, count, turn_b, shift, count)


def set_exponential(ws, inverse, block, scratch, count):
    """Set the pose of a step from its exponent, and the entire functions of its square."""
    turn, shift, entire = (
        block + layout.TURN * count,
        block + layout.SHIFT * count,
        block + layout.ENTIRE * count,
    )
    square, mixed, lever = scratch, scratch + count, scratch + 2 * count
    one, table = scratch + 5 * count, scratch + 6 * count
    dot(ws, turn, turn, square, count)
    dot(ws, turn, shift, mixed, count)
    entire_series(ws, inverse, square, table, TOP, count)
    copy(ws, table + 2 * count, entire, 4 * count)
    # R = E_0 1 + E_1 w~ + E_2 w w^T;  x = v + E_2 w x v + E_3 ((w . v) w - w^2 v)
    e1, e2, e3 = table + count, entire, entire + count
    pose, origin = block + layout.POSE * count, block + layout.ORIGIN * count
    scaled = lever
    for k in range(count):
        x = y = z = u = v = w = 0.0
        for m in range(k + 1):
            i = turn + 3 * (k - m)
            x += ws[e1 + m] * ws[i]
            y += ws[e1 + m] * ws[i + 1]
            z += ws[e1 + m] * ws[i + 2]
            u += ws[e2 + m] * ws[i]
            v += ws[e2 + m] * ws[i + 1]
            w += ws[e2 + m] * ws[i + 2]
        i = scaled + 3 * k
        ws[i], ws[i + 1], ws[i + 2] = u, v, w
        r = pose + 9 * k
        ws[r], ws[r + 1], ws[r + 2] = ws[table + k], -z, y
        ws[r + 3], ws[r + 4], ws[r + 5] = z, ws[table + k], -x
        ws[r + 6], ws[r + 7], ws[r + 8] = -y, x, ws[table + k]
        xx = yy = zz = xy = xz = yz = 0.0
        for m in range(k + 1):
            i, j = scaled + 3 * m, turn + 3 * (k - m)
            xx += ws[i] * ws[j]
            yy += ws[i + 1] * ws[j + 1]
            zz += ws[i + 2] * ws[j + 2]
            xy += ws[i] * ws[j + 1]
            xz += ws[i] * ws[j + 2]
            yz += ws[i + 1] * ws[j + 2]
        ws[r] += xx
        ws[r + 4] += yy
        ws[r + 8] += zz
        ws[r + 1] += xy
        ws[r + 3] += xy
        ws[r + 2] += xz
        ws[r + 6] += xz
        ws[r + 5] += yz
        ws[r + 7] += yz
    copy(ws, shift, origin, 3 * count)
    add_cross(ws, 1.0, scaled, count, shift, origin, count)
    product(ws, e3, mixed, one, count)
    add_scaled(ws, 1.0, one, turn, origin, count)
    product(ws, e3, square, one, count)
    add_scaled(ws, -1.0, one, shift, origin, count)


def set_section_wrench(ws, reals, row, block, state, order):
    """Set the inertial wrench of the section behind a step, in its own frame."""
    count = order + 3
    mass, second_x, second_y = (
        reals[row + layout.STEP_MASS],
        reals[row + layout.SECOND_X],
        reals[row + layout.SECOND_Y],
    )
    a, b = state + ACCELERATION * count, state + RATES * count
    force, torque = block + layout.FORCE * count, block + layout.TORQUE * count
    for k in range(order + 1):
        for c in range(3):
            ws[force + 3 * k + c] = mass * ws[a + 3 * k + c]
        i, r = torque + 3 * k, b + 9 * k
        ws[i] = second_y * ws[r + 7]
        ws[i + 1] = -second_x * ws[r + 6]
        ws[i + 2] = second_x * ws[r + 3] - second_y * ws[r + 1]


def rod_forward(n, steps, ws, inverse, q, reals, row, block, states, scratch, order):
    """Set all steps of a rod; return the places of the state behind it and of the other one."""
    count = order + 3
    before, after = states
    turning, free = scratch, scratch + 3 * count
    for s in range(steps):
        here, step = row + s * layout.step_reals(n), block + s * layout.STEP_WIDTH * count
        set_exponent(ws, q, n, reals, here, step, count)
        set_exponential(ws, inverse, step, scratch, count)
        set_turning(ws, step + layout.POSE * count, turning, order)
        advance(ws, step, True, True, turning, before, after, free, order)
        set_section_wrench(ws, reals, here, step, after, order)
        before, after = after, before
    return before, after


def set_tangent_transpose(ws, block, wrench, out, scratch, order):
    """Set T^T times the wrench (force, torque) behind a step: turn, then shift part."""
    count, rows = order + 3, order + 1
    turn, shift, entire = (
        block + layout.TURN * count,
        block + layout.SHIFT * count,
        block + layout.ENTIRE * count,
    )
    e2, e3, e4, e5 = entire, entire + count, entire + 2 * count, entire + 3 * count
    force, torque = wrench, wrench + 3 * count
    wf, wwf, vector = scratch, scratch + 3 * count, scratch + 6 * count
    mixed, factor = scratch + 9 * count, scratch + 10 * count
    out_shift = out + 3 * count
    cross(ws, turn, force, wf, rows)
    cross(ws, turn, wf, wwf, rows)
    copy(ws, force, out_shift, 3 * rows)
    add_scaled(ws, 1.0, e2, wf, out_shift, rows)
    add_scaled(ws, 1.0, e3, wwf, out_shift, rows)
    # vector = w x N + v x F, and E_3 (w x vector + v x (w x F))
    cross(ws, turn, torque, vector, rows)
    add_cross(ws, 1.0, shift, rows, force, vector, rows)
    copy(ws, torque, out, 3 * rows)
    add_scaled(ws, 1.0, e2, vector, out, rows)
    outer = scratch + 11 * count
    cross(ws, turn, vector, outer, rows)
    add_cross(ws, 1.0, shift, rows, wf, outer, rows)
    add_scaled(ws, 1.0, e3, outer, out, rows)
    # the slopes of E_2 and E_3 along v
    dot(ws, turn, shift, mixed, rows)
    for k in range(rows):
        ws[vector + k] = 2.0 * ws[e4 + k] - ws[e3 + k]
        ws[vector + count + k] = 3.0 * ws[e5 + k] - ws[e4 + k]
    product(ws, mixed, vector, factor, rows)
    add_scaled(ws, 1.0, factor, wf, out, rows)
    product(ws, mixed, vector + count, factor, rows)
    add_scaled(ws, 1.0, factor, wwf, out, rows)


def add_basis_efforts(ws, n, reals, row, vector, nu, order):
    """Add Phi^T times a vector (turn, shift) to the efforts."""
    count = order + 3
    for c in range(6):
        source = vector + (c if c < 3 else 3 * count + c - 3)
        for j in range(n):
            factor = reals[row + 6 + c * n + j]
            if factor != 0.0:
                for k in range(order + 1):
                    ws[nu + j * count + k] += factor * ws[source + 3 * k]


def set_bracket_part(ws, half, factor, pulled, turn, out, order):
    """Set half times a vector plus factor times the transposed adjoint of a strain on it."""
    count, rows = order + 3, order + 1
    shift, pulled_shift, out_shift = turn + 3 * count, pulled + 3 * count, out + 3 * count
    for i in range(3 * rows):
        ws[out + i] = half * ws[pulled + i]
        ws[out_shift + i] = half * ws[pulled_shift + i]
    add_cross(ws, -factor, turn, rows, pulled, out, rows)
    add_cross(ws, -factor, shift, rows, pulled_shift, out, rows)
    add_cross(ws, -factor, turn, rows, pulled_shift, out_shift, rows)


def rod_backward(n, steps, ws, nu, reals, row, block, wrench, scratch, order):
    """Add the efforts of all steps, from the tip on, and refer the wrench to the base."""
    count = order + 3
    pulled, part, free = scratch, scratch + 6 * count, scratch + 12 * count
    for s in range(steps - 1, -1, -1):
        here, step = row + s * layout.step_reals(n), block + s * layout.STEP_WIDTH * count
        add_own_wrench(ws, step, wrench, order)
        set_tangent_transpose(ws, step, wrench, pulled, free, order)
        width, bracket, first = (
            reals[here + layout.STEP],
            reals[here + layout.BRACKET],
            here + layout.STRAIN,
        )
        if bracket == 0.0:
            for i in range(6 * count):
                ws[part + i] = width * ws[pulled + i]
            add_basis_efforts(ws, n, reals, first, part, nu, order)
        else:
            # each point with the strain at the other one
            for point, strain, factor in (
                (first, layout.TURN_B, -bracket),
                (first + 6 * (n + 1), layout.TURN_A, bracket),
            ):
                other = step + strain * count
                set_bracket_part(ws, 0.5 * width, factor, pulled, other, part, order)
                add_basis_efforts(ws, n, reals, point, part, nu, order)
        pass_back(ws, step, True, True, wrench, free, order)
