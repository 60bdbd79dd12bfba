# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Pose, columns and mass moments of a whole rod, step by step from its base on."""

from screw_dynamics.kernels.soft import layout


def cross_of(ws, a, x, y, z):
    """Return the vector product of a vector in the workspace and (x, y, z)."""
    u, v, w = ws[a], ws[a + 1], ws[a + 2]
    return v * z - w * y, w * x - u * z, u * y - v * x


def set_exponent_column(n, j, ws, reals, row, step, count, out):
    """Set the partial of the exponent of a step."""
    width, bracket = reals[row + layout.STEP], reals[row + layout.BRACKET]
    a = row + layout.STRAIN + 6 + j
    if bracket == 0.0:
        for c in range(6):
            out[c] = width * reals[a + c * n]
        return
    b = a + 6 * (n + 1)
    for c in range(6):
        out[c] = 0.5 * width * (reals[a + c * n] + reals[b + c * n])
    for point, strain, factor in ((a, layout.TURN_B, -bracket), (b, layout.TURN_A, bracket)):
        u, v, w = reals[point], reals[point + n], reals[point + 2 * n]
        p, q, r = reals[point + 3 * n], reals[point + 4 * n], reals[point + 5 * n]
        turn, shift = step + strain * count, step + (strain + 3) * count
        x, y, z = cross_of(ws, turn, u, v, w)
        d, e, f = cross_of(ws, shift, u, v, w)
        g, h, k = cross_of(ws, turn, p, q, r)
        out[0] += factor * x
        out[1] += factor * y
        out[2] += factor * z
        out[3] += factor * (d + g)
        out[4] += factor * (e + h)
        out[5] += factor * (f + k)


def apply_tangent(ws, step, count, column):
    """Replace the partial of the exponent by the twist T times it."""
    turn, shift, entire = (
        step + layout.TURN * count,
        step + layout.SHIFT * count,
        step + layout.ENTIRE * count,
    )
    e2, e3, e4, e5 = ws[entire], ws[entire + count], ws[entire + 2 * count], ws[entire + 3 * count]
    x, y, z, u, v, w = column[0], column[1], column[2], column[3], column[4], column[5]
    mixed = 0.0
    for axis in range(3):
        mixed += ws[turn + axis] * ws[shift + axis]
    a, b, c = cross_of(ws, turn, x, y, z)
    d, e, f = cross_of(ws, turn, a, b, c)
    g, h, i = cross_of(ws, shift, x, y, z)
    j, k, m = cross_of(ws, turn, u, v, w)
    g, h, i = g + j, h + k, i + m
    j, k, m = cross_of(ws, turn, g, h, i)
    p, q, r = cross_of(ws, shift, a, b, c)
    s2, s3 = -mixed * (2.0 * e4 - e3), mixed * (3.0 * e5 - e4)
    column[0] += e3 * d - e2 * a
    column[1] += e3 * e - e2 * b
    column[2] += e3 * f - e2 * c
    column[3] += e3 * (j + p) - e2 * g + s2 * a + s3 * d
    column[4] += e3 * (k + q) - e2 * h + s2 * b + s3 * e
    column[5] += e3 * (m + r) - e2 * i + s2 * c + s3 * f


def advance_column(ws, step, count, column, own):
    """Refer the column of the frame before a step to the frame behind it; add the step's own."""
    pose, origin = step + layout.POSE * count, step + layout.ORIGIN * count
    x, y, z = column[0], column[1], column[2]
    # v - p x w
    a, b, c = cross_of(ws, origin, x, y, z)
    u, v, w = column[3] - a, column[4] - b, column[5] - c
    for i in range(3):
        r = pose + i
        column[i] = own[i] + ws[r] * x + ws[r + 3] * y + ws[r + 6] * z
        column[3 + i] = own[3 + i] + ws[r] * u + ws[r + 3] * v + ws[r + 6] * w


def advance_pose(ws, step, count, pose):
    """Multiply a pose (12,) by that of a step."""
    other, origin = step + layout.POSE * count, step + layout.ORIGIN * count
    for a in range(3):
        x, y, z = pose[3 * a], pose[3 * a + 1], pose[3 * a + 2]
        pose[9 + a] += x * ws[origin] + y * ws[origin + 1] + z * ws[origin + 2]
        for b in range(3):
            r = other + b
            pose[3 * a + b] = x * ws[r] + y * ws[r + 3] + z * ws[r + 6]


def add_moments(pose, mass, second_x, second_y, moments):
    """Add the mass moments of a section at a pose."""
    moments[0] += mass
    for a in range(3):
        moments[1 + a] += mass * pose[9 + a]
    e = 4
    for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        total = mass * pose[9 + a] * pose[9 + b]
        total += second_x * pose[3 * a] * pose[3 * b]
        total += second_y * pose[3 * a + 1] * pose[3 * b + 1]
        moments[e] += total
        e += 1


def add_section(n, pose, mass, second_x, second_y, tip, own, matrix, first):
    """Add momentum columns and mass matrix of a section whose frame has the columns `tip`."""
    for j in range(n):
        column, out = tip[j], own[j]
        x, y, z = second_y * column[0], second_x * column[1], (second_x + second_y) * column[2]
        u, v, w = mass * column[3], mass * column[4], mass * column[5]
        fx = pose[0] * u + pose[1] * v + pose[2] * w
        fy = pose[3] * u + pose[4] * v + pose[5] * w
        fz = pose[6] * u + pose[7] * v + pose[8] * w
        out[0] += pose[0] * x + pose[1] * y + pose[2] * z + pose[10] * fz - pose[11] * fy
        out[1] += pose[3] * x + pose[4] * y + pose[5] * z + pose[11] * fx - pose[9] * fz
        out[2] += pose[6] * x + pose[7] * y + pose[8] * z + pose[9] * fy - pose[10] * fx
        out[3] += fx
        out[4] += fy
        out[5] += fz
        for i in range(j + 1):
            other = tip[i]
            matrix[first + i, first + j] += (
                x * other[0] + y * other[1] + z * other[2]
                + u * other[3] + v * other[4] + w * other[5]
            )  # fmt: skip


def rod_columns(n, steps, ws, reals, row, block, count, work, matrix, first):
    """Set pose, columns and moments of a rod; add the upper half of its own mass matrix."""
    work.pose[:] = 0.0
    work.pose[0] = work.pose[4] = work.pose[8] = 1.0
    work.tip[:n] = 0.0
    work.own[:n] = 0.0
    work.moments[:] = 0.0
    for s in range(steps):
        here, step = row + s * layout.step_reals(n), block + s * layout.STEP_WIDTH * count
        for j in range(n):
            column = work.step[j]
            set_exponent_column(n, j, ws, reals, here, step, count, column)
            apply_tangent(ws, step, count, column)
            advance_column(ws, step, count, work.tip[j], column)
        advance_pose(ws, step, count, work.pose)
        mass = reals[here + layout.STEP_MASS]
        if mass > 0.0:
            second_x, second_y = reals[here + layout.SECOND_X], reals[here + layout.SECOND_Y]
            add_moments(work.pose, mass, second_x, second_y, work.moments)
            add_section(n, work.pose, mass, second_x, second_y, work.tip, work.own, matrix, first)
