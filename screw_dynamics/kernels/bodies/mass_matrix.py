# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Mass matrix by composite rigid bodies (F2008, section 6.2).

The inertias are composed in the joint frames, where the wrench of a joint's motion needs no
product; this wrench descends to the root in the axes of the root, by shifts only.
`effort_partials`, which have this matrix too, would take more than twice the time.
"""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.joint_frames import (
    PLACE,
    STEP,
    add3,
    add6,
    clear,
    cos_sin,
    cross,
    get3,
    get6,
    joint_row,
    moved_inertia,
    place,
    rotate,
    set_angles,
)
from screw_dynamics.kernels.bodies.rows import at, get, integer, put

# of the composite inertia: mass, first moment (3), second moment xx, yy, zz, xy, xz, yz
_M, _H, _S = PLACE, PLACE + 1, PLACE + 4
_BLOCK = PLACE + 10


def mass_matrix_rows(order, count):
    """Return the number of rows of the workspace."""
    return (_BLOCK + 3) * count


def turn(c, s, x, y, xx, yy, xy, xz, yz):
    """Return moments rotated in the plane of x and y: x, y, xx, yy, xy, xz, yz."""
    a, b = c * xx - s * xy, c * xy - s * yy
    d, e = s * xx + c * xy, s * xy + c * yy
    return (
        c * x - s * y,
        s * x + c * y,
        c * a - s * b,
        s * d + c * e,
        c * d - s * e,
        c * xz - s * yz,
        s * xz + c * yz,
    )


def add_composite(body, parent, angle, count, joint):
    """Add the composite inertia of a body to that of its parent, in the parent's joint frame."""
    m = get(body, _M)
    hx, hy, hz = get3(body, _H)
    xx, yy, zz, xy, xz, yz = get6(body, _S)
    if integer(joint, layout.KIND) != layout.REVOLUTE:
        t = get(joint, layout.PITCH) * get(angle, 0)
        xz = xz + t * hx
        yz = yz + t * hy
        zz = zz + t * (2.0 * hz + t * m)
        hz = hz + t * m
    c, s = cos_sin(angle, count, joint)
    if integer(joint, layout.KIND) != layout.PRISMATIC:
        hx, hy, xx, yy, xy, xz, yz = turn(c, s, hx, hy, xx, yy, xy, xz, yz)
    c, s = get(joint, layout.COS_ALPHA), get(joint, layout.SIN_ALPHA)
    hy, hz, yy, zz, yz, xy, xz = turn(c, s, hy, hz, yy, zz, yz, xy, xz)
    if integer(joint, layout.HAS_BETA) != 0:
        c, s = get(joint, layout.COS_BETA), get(joint, layout.SIN_BETA)
        hx, hy, xx, yy, xy, xz, yz = turn(c, s, hx, hy, xx, yy, xy, xz, yz)
    rx, ry, rz = get3(joint, layout.ORIGIN)
    ux, uy, uz = hx + m * rx, hy + m * ry, hz + m * rz
    put(parent, _M, get(parent, _M) + m)
    add3(parent, _H, ux, uy, uz)
    xx, yy, zz = xx + rx * (hx + ux), yy + ry * (hy + uy), zz + rz * (hz + uz)
    xy, xz, yz = xy + (rx * hy + ux * ry), xz + (rx * hz + ux * rz), yz + (ry * hz + uy * rz)
    add6(parent, _S, (xx, yy, zz, xy, xz, yz))


def joint_wrench(body, joint):
    """Return the wrench of a unit joint acceleration in root axes, and its effort at the joint."""
    kind, pitch = integer(joint, layout.KIND), get(joint, layout.PITCH)
    hx, hy = get(body, _H), get(body, _H + 1)
    zero = 0.0 * hx
    if kind == layout.PRISMATIC:
        n = rotate(body, hy, -hx, zero)
        f = rotate(body, zero, zero, get(body, _M))
        return n[0], n[1], n[2], f[0], f[1], f[2], get(body, _M)
    xz, yz = get(body, _S + 4), get(body, _S + 5)
    inertia = get(body, _S) + get(body, _S + 1)
    if kind == layout.REVOLUTE:
        n = rotate(body, -xz, -yz, inertia)
        f = rotate(body, -hy, hx, zero)
        return n[0], n[1], n[2], f[0], f[1], f[2], inertia
    n = rotate(body, pitch * hy - xz, -(pitch * hx) - yz, inertia)
    f = rotate(body, -hy, hx, pitch * get(body, _M))
    return n[0], n[1], n[2], f[0], f[1], f[2], inertia + pitch * (pitch * get(body, _M))


def effort(body, joint, nx, ny, nz, fx, fy, fz):
    """Return the effort of a wrench, in root axes about a body's origin, at the body's joint."""
    kind = integer(joint, layout.KIND)
    x, y, z = get(body, 2), get(body, 5), get(body, 8)
    if kind == layout.REVOLUTE:
        return x * nx + y * ny + z * nz
    along = x * fx + y * fy + z * fz
    if kind == layout.PRISMATIC:
        return along
    return (x * nx + y * ny + z * nz) + get(joint, layout.PITCH) * along


def add_entry(out, n, row, column, entry):
    """Add the entry of two bodies to the lower triangle, twice if they share a coordinate."""
    k = max(row, column) * n + min(row, column)
    if row == column:
        entry = 2.0 * entry
    put(out, k, get(out, k) + entry)


def composite_scale(ws, i, joint):
    """Return the inertia of all that a joint moves, after `mass_matrix`."""
    return moved_inertia(at(ws, i * _BLOCK), _M, _S, joint)


def mass_matrix(order, ws, q, qd, tau, out, parameters):
    """Write the mass matrix (n, n)."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    angles = _BLOCK * count
    set_angles(ws, angles, q, parameters)
    for i in range(count):
        joint = joint_row(parameters, i)
        body, parent = at(ws, i * _BLOCK), at(ws, max(integer(joint, layout.PARENT), 0) * _BLOCK)
        place(body, parent, at(ws, angles + i), count, joint)
        zero = 0.0 * get(body, 0)
        put(body, _M, zero + get(joint, layout.MASS))
        for k in range(9):
            put(body, _H + k, zero + get(joint, layout.FIRST_MOMENT + k))
    clear(out, n * n, q)
    for i in range(count - 1, -1, -1):
        joint = joint_row(parameters, i)
        body, j = at(ws, i * _BLOCK), integer(joint, layout.PARENT)
        row, factor = integer(joint, layout.COORDINATE), get(joint, layout.MULTIPLIER)
        nx, ny, nz, fx, fy, fz, own = joint_wrench(body, joint)
        put(out, row * n + row, get(out, row * n + row) + (factor * factor) * own)
        if j >= 0:
            add_composite(body, at(ws, j * _BLOCK), at(ws, angles + i), count, joint)
        while j >= 0:
            dx, dy, dz = get3(body, STEP)
            tx, ty, tz = cross(dx, dy, dz, fx, fy, fz)
            nx, ny, nz = nx + tx, ny + ty, nz + tz
            joint, body = joint_row(parameters, j), at(ws, j * _BLOCK)
            entry = effort(body, joint, nx, ny, nz, fx, fy, fz)
            entry = (factor * get(joint, layout.MULTIPLIER)) * entry
            add_entry(out, n, row, integer(joint, layout.COORDINATE), entry)
            j = integer(joint, layout.PARENT)
    for row in range(1, n):
        for column in range(row):
            put(out, column * n + row, get(out, row * n + column))
