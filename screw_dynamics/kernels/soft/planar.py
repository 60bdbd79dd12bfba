# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Closed-form integrals of a homogeneous planar arc of constant curvature.

All are polynomials in the angle q, its square and E_2 .. E_6 (P2025, toy example, corrected).
"""

from screw_dynamics.kernels.soft import layout
from screw_dynamics.kernels.soft.entire_functions import entire_series
from screw_dynamics.kernels.soft.products import clear, product

_TOP = 6
# series of scratch: q^2, D = E_3(2 q), then products; the entire functions come last
_SQUARE, _DOUBLE, _E1E1, _E2E3, _E3E3, _P, _Q, _R, _ENTIRE = range(9)


def planar_integrals(ws, inverse, q, reals, row, block, scratch, order):
    """Set the block of a planar arc from the series of its angle."""
    count = order + 3
    square, entire = scratch + _SQUARE * count, scratch + _ENTIRE * count
    clear(ws, block, layout.integrals_width(1) * count)
    product(ws, q, q, square, count)
    entire_series(ws, inverse, square, entire, _TOP, count)
    length, mass = reals[row + layout.LENGTH], reals[row + layout.MASS]
    section = mass * reals[row + layout.SECTION]
    _set_pose(ws, q, length, entire, block, scratch, count)
    _set_first_moment(ws, q, mass * length, entire, block, scratch, count)
    _set_second_moment(ws, q, mass * length**2, section, entire, block, scratch, count)
    _set_inertial(ws, q, mass * length**2, section, entire, block, scratch, count)
    stress = block + (layout.COORDINATES + layout.STRESS_J) * count
    stiffness, damping = reals[row + layout.PLANAR_REALS - 2], reals[row + layout.PLANAR_REALS - 1]
    for k in range(order + 1):
        ws[stress + k] = stiffness * ws[q + k] + damping * (k + 1.0) * ws[q + k + 1]


def _set_pose(ws, q, length, entire, block, scratch, count):
    """Set the rotation by -q about y, the position of the tip, and the tip's Jacobian."""
    e1, e2, e3 = entire + count, entire + 2 * count, entire + 3 * count
    sine, bend, lift = scratch + _P * count, scratch + _Q * count, scratch + _R * count
    product(ws, q, e1, sine, count)
    product(ws, q, e2, bend, count)
    product(ws, q, e3, lift, count)
    shift = block + (layout.COORDINATES + layout.SHIFT_J) * count
    ws[block + layout.POSE * count + 4] = 1.0
    ws[block + (layout.COORDINATES + layout.TURN_J) * count + 1] = -1.0
    for k in range(count):
        r, t = block + layout.POSE * count + 9 * k, block + layout.ORIGIN * count + 3 * k
        ws[r], ws[r + 8] = ws[entire + k], ws[entire + k]
        ws[r + 2], ws[r + 6] = -ws[sine + k], ws[sine + k]
        ws[t], ws[t + 2] = -length * ws[bend + k], length * ws[e1 + k]
        ws[shift + 3 * k] = -length * ws[e2 + k]
        ws[shift + 3 * k + 2] = length * ws[lift + k]


def _set_first_moment(ws, q, moment, entire, block, scratch, count):
    """Set the first moment and its partial; `moment` is mass times length."""
    e2, e3, e4 = entire + 2 * count, entire + 3 * count, entire + 4 * count
    part, lift = scratch + _P * count, scratch + _R * count  # _R: q E_3, from the pose
    for k in range(count):
        ws[part + k] = 2.0 * ws[e4 + k] - ws[e3 + k]
    slope = scratch + _Q * count
    product(ws, q, part, slope, count)
    partial = block + (layout.COORDINATES + layout.FIRST_J) * count
    for k in range(count):
        h, d = block + layout.FIRST_MOMENT * count + 3 * k, partial + 3 * k
        ws[h], ws[h + 2] = -moment * ws[lift + k], moment * ws[e2 + k]
        ws[d], ws[d + 2] = -moment * (ws[e2 + k] - 2.0 * ws[e3 + k]), moment * ws[slope + k]


def _set_second_moment(ws, q, along, section, entire, block, scratch, count):
    """Set the second moment; its partial follows from the derivative along the motion's square."""
    e1, e2, e3 = entire + count, entire + 2 * count, entire + 3 * count
    e4, e5, e6 = entire + 4 * count, entire + 5 * count, entire + 6 * count
    square, double = scratch + _SQUARE * count, scratch + _DOUBLE * count
    e1e1, e2e3, e3e3 = scratch + _E1E1 * count, scratch + _E2E3 * count, scratch + _E3E3 * count
    p, s, r = scratch + _P * count, scratch + _Q * count, scratch + _R * count
    second = block + layout.SECOND_MOMENT * count
    partial = block + (layout.COORDINATES + layout.SECOND_J) * count
    product(ws, e1, e1, e1e1, count)
    product(ws, e2, e3, e2e3, count)
    product(ws, e3, e3, e3e3, count)
    product(ws, square, e2e3, p, count)
    for k in range(count):
        ws[double + k] = 0.25 * (ws[e2 + k] + ws[e3 + k] - ws[p + k])
    product(ws, square, double, p, count)
    for k in range(count):
        i = second + 6 * k
        ws[i] = 2.0 * along * (ws[e3 + k] - ws[double + k]) - 2.0 * section * ws[p + k]
        ws[i + 2] = 2.0 * along * ws[double + k] + 2.0 * section * ws[p + k]
    ws[second] += section
    ws[second + 1] = section
    # xz = q (section E_1^2 / 2 - along u) with u = E_3 - E_4 - q^2 E_3^2 / 2
    product(ws, square, e3e3, p, count)
    for k in range(count):
        u = ws[e3 + k] - ws[e4 + k] - 0.5 * ws[p + k]
        ws[s + k] = 0.5 * section * ws[e1e1 + k] - along * u
    product(ws, q, s, r, count)
    for k in range(count):
        ws[second + 6 * k + 4] = ws[r + k]
        ws[partial + 6 * k + 4] = ws[s + k]
    # the partials of functions of q^2: q times slopes, with 2 dE_n/dx = n E_{n+2} - E_{n+1}
    _add_slope_xz(ws, along, section, (e1, e2, e3, e4, e5, e6), partial, scratch, count)
    _set_slopes_xx_zz(ws, q, along, section, (e2, e3, e4, e5), partial, scratch, count)


def _add_slope_xz(ws, along, section, entire, partial, scratch, count):
    """Add q ds/dq to the partial of the entry xz, for s of `_set_second_moment`."""
    e1, e2, e3, e4, e5, e6 = entire
    square, e3e3 = scratch + _SQUARE * count, scratch + _E3E3 * count
    p, s, r = scratch + _P * count, scratch + _Q * count, scratch + _R * count
    for k in range(count):
        ws[p + k] = 3.0 * ws[e5 + k] - ws[e4 + k]
    product(ws, e3, p, r, count)
    product(ws, square, r, p, count)
    for k in range(count):
        e3_slope, e4_slope = 3.0 * ws[e5 + k] - ws[e4 + k], 4.0 * ws[e6 + k] - ws[e5 + k]
        ws[s + k] = -along * (e3_slope - e4_slope - ws[e3e3 + k] - ws[p + k])
    for k in range(count):
        ws[p + k] = ws[e3 + k] - ws[e2 + k]
    product(ws, e1, p, r, count)
    for k in range(count):
        ws[s + k] += section * ws[r + k]
    product(ws, square, s, r, count)
    for k in range(count):
        ws[partial + 6 * k + 4] += ws[r + k]


def _set_slopes_xx_zz(ws, q, along, section, entire, partial, scratch, count):
    """Set the partials of the entries xx and zz, from the slope of D."""
    e2, e3, e4, e5 = entire
    square, double = scratch + _SQUARE * count, scratch + _DOUBLE * count
    e2e3, slope = scratch + _E2E3 * count, scratch + _E3E3 * count
    p, s, r = scratch + _P * count, scratch + _Q * count, scratch + _R * count
    for k in range(count):
        ws[p + k] = 2.0 * ws[e4 + k] - ws[e3 + k]
        ws[s + k] = 3.0 * ws[e5 + k] - ws[e4 + k]
    product(ws, p, e3, slope, count)
    product(ws, e2, s, r, count)
    for k in range(count):
        ws[r + k] += ws[slope + k]
    product(ws, square, r, slope, count)
    for k in range(count):
        ws[slope + k] = 0.25 * (ws[p + k] + ws[s + k] - 2.0 * ws[e2e3 + k] - ws[slope + k])
    product(ws, square, slope, p, count)
    for k in range(count):
        # rate of q^2 D, and slopes of the entries
        rate = 2.0 * ws[double + k] + ws[p + k]
        ws[r + k] = 2.0 * along * (ws[s + k] - ws[slope + k]) - 2.0 * section * rate
        ws[s + k] = 2.0 * along * ws[slope + k] + 2.0 * section * rate
    product(ws, q, r, p, count)
    for k in range(count):
        ws[partial + 6 * k] = ws[p + k]
    product(ws, q, s, p, count)
    for k in range(count):
        ws[partial + 6 * k + 2] = ws[p + k]


def _set_inertial(ws, q, along, section, entire, block, scratch, count):
    """Set the integrals of f x f_q, f x f', f_q . f_q and f_q . f''."""
    e3, e4, e5 = entire + 3 * count, entire + 4 * count, entire + 5 * count
    coordinate = block + layout.COORDINATES * count
    moment, momentum = coordinate + layout.CROSS_J * count, block + layout.MOMENTUM * count
    mass, inertial = coordinate + layout.MASS_J * count, coordinate + layout.INERTIAL_J * count
    for k in range(count):
        ws[moment + 3 * k + 1] = -along * (ws[e3 + k] - ws[e4 + k])
        ws[mass + k] = along * (2.0 * ws[e4 + k] - 4.0 * ws[e5 + k])
    ws[moment + 1] -= 0.5 * section
    ws[mass] += section / 3.0
    for k in range(count - 1):
        total = 0.0
        for m in range(k + 1):
            total += ws[moment + 3 * m + 1] * (k - m + 1.0) * ws[q + k - m + 1]
        ws[momentum + 3 * k + 1] = total
    for k in range(count - 2):
        total = 0.0
        for m in range(k + 1):
            n = k - m + 1.0
            total += ws[mass + m] * (n + 1.0) * n * ws[q + k - m + 2]
            total += 0.5 * (m + 1.0) * ws[mass + m + 1] * n * ws[q + k - m + 1]
        ws[inertial + k] = total
