# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Pose and Jacobian of one frame, along the bodies from the base to it.

The parameters of a frame (`frame_parameters`) are a header, then a row per body of its path: the
columns of `kernels.bodies.tables` before the inertia, and the coordinate. `jacobian_series` would
take five times this time for the Jacobian alone, as a controller needs it.
"""

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.bodies import tables as layout
from screw_dynamics.kernels.bodies.joint_frames import clear, cross, get3
from screw_dynamics.kernels.bodies.rows import at, get, integer, put, sines

BODY, SPATIAL, HYBRID, MIXED = range(4)  # representations of twists
# header: numbers of bodies and coordinates as in `kernels.bodies.layout`, representation, then
FRAME_LOCAL = 3  # 12: pose of the frame in the last joint frame, by rows
HEADER = 15
COORDINATE = layout.MASS  # in place of the inertia
ROW = layout.MASS + 1

# of a body: rotation to base axes (9, by rows), vector from the parent's origin (3)
FRAME_STEP = 9
FRAME_BLOCK = 12


def frame_parameters(
    tree: NDArray[np.int64],
    bodies: Array,
    path: NDArray[np.int64],
    pose: Array,
    n: int,
    representation: int,
) -> Array:
    """Return the parameters of a frame from the tables and the path of `JointFrames`."""
    header = [path.size, n, representation, *pose[:3].ravel()]
    rows = [[*bodies[i, : layout.MASS], tree[i, layout.COORDINATE]] for i in path]
    return np.concatenate([np.array(header, dtype=np.float64), np.array(rows).ravel()])


def frame_rows(order, count):
    """Return the number of rows of the workspace: of the bodies and the frame, and the angles."""
    return (FRAME_BLOCK + 3) * count + FRAME_BLOCK


def path_joint(parameters, i):
    """Return the parameters of body i of the path."""
    return at(parameters, HEADER + i * ROW)


def coordinate_of(joint):
    """Return the index of the coordinate of a joint."""
    return integer(joint, COORDINATE)


def place_along_path(ws, q, parameters):
    """Write the places of the bodies (MK2021 (3)), and that of the frame after them."""
    count = integer(parameters, 0)
    angles = FRAME_BLOCK * (count + 1)
    for i in range(count):
        joint = path_joint(parameters, i)
        s = get(joint, layout.MULTIPLIER) * get(q, coordinate_of(joint)) + get(
            joint, layout.OFFSET
        )
        put(ws, angles + i, get(joint, layout.ROTATION) * s)
    sines(ws, angles, count)
    zero = 0.0 * get(q, 0)
    for i in range(count):
        joint, body, angle = path_joint(parameters, i), at(ws, i * FRAME_BLOCK), angles + i
        home, origin = at(joint, layout.HOME_ROTATION), at(joint, layout.HOME_POSITION)
        if i == 0:
            for k in range(9):
                put(body, k, zero + get(home, k))
            for k in range(3):
                put(body, FRAME_STEP + k, zero + get(origin, k))
        else:
            compose(at(ws, (i - 1) * FRAME_BLOCK), body, home, 3, origin, 1)
        c, s = get(ws, angle + count), get(ws, angle + 2 * count)
        for k in range(0, 9, 3):
            x, y = get(body, k), get(body, k + 1)
            u, v = c * x + s * y, c * y - s * x
            put(body, k, u)
            put(body, k + 1, v)
        if get(joint, layout.TRANSLATION) != 0.0:
            variable = get(joint, layout.MULTIPLIER) * get(q, coordinate_of(joint))
            shift = get(joint, layout.TRANSLATION) * (variable + get(joint, layout.OFFSET))
            for k in range(3):
                put(body, FRAME_STEP + k, get(body, FRAME_STEP + k) + shift * get(body, 3 * k + 2))
    local, frame = at(parameters, FRAME_LOCAL), at(ws, count * FRAME_BLOCK)
    if count == 0:
        for k in range(3):
            for a in range(3):
                put(frame, 3 * k + a, zero + get(local, 4 * k + a))
            put(frame, FRAME_STEP + k, zero + get(local, 4 * k + 3))
    else:
        compose(at(ws, (count - 1) * FRAME_BLOCK), frame, local, 4, at(local, 3), 4)


def compose(parent, body, rotation, stride, origin, step):
    """Write R_p R and R_p r; rows of R are `stride` apart, the components of r `step`."""
    for k in range(0, 9, 3):
        u, v, w = get(parent, k), get(parent, k + 1), get(parent, k + 2)
        for a in range(3):
            r, s, t = get(rotation, a), get(rotation, stride + a), get(rotation, 2 * stride + a)
            put(body, k + a, u * r + v * s + w * t)
        r, s, t = get(origin, 0), get(origin, step), get(origin, 2 * step)
        put(body, FRAME_STEP + k // 3, u * r + v * s + w * t)


def frame_pose(order, ws, q, qd, tau, out, parameters):
    """Write the pose (4, 4) of the frame."""
    place_along_path(ws, q, parameters)
    count, zero = integer(parameters, 0), 0.0 * get(q, 0)
    frame = at(ws, count * FRAME_BLOCK)
    for a in range(3):
        position = get(frame, FRAME_STEP + a)
        for i in range(count):
            position = position + get(ws, i * FRAME_BLOCK + FRAME_STEP + a)
        put(out, 4 * a + 3, position)
        for b in range(3):
            put(out, 4 * a + b, get(frame, 3 * a + b))
        put(out, 12 + a, zero)
    put(out, 15, zero + 1.0)


def in_axes(frame, x, y, z):
    """Return R^T (x, y, z)."""
    return (
        get(frame, 0) * x + get(frame, 3) * y + get(frame, 6) * z,
        get(frame, 1) * x + get(frame, 4) * y + get(frame, 7) * z,
        get(frame, 2) * x + get(frame, 5) * y + get(frame, 8) * z,
    )


def frame_jacobian(order, ws, q, qd, tau, out, parameters):
    """Write the Jacobian (6, n) of the frame."""
    place_along_path(ws, q, parameters)
    count, n, form = integer(parameters, 0), integer(parameters, 1), integer(parameters, 2)
    frame = at(ws, count * FRAME_BLOCK)
    clear(out, 6 * n, q)
    # the lever is the vector to the point whose velocity is the linear part
    lx, ly, lz = get3(frame, FRAME_STEP)
    if form == SPATIAL:
        lx, ly, lz = 0.0 * lx, 0.0 * ly, 0.0 * lz
        for i in range(count):
            dx, dy, dz = get3(ws, i * FRAME_BLOCK + FRAME_STEP)
            lx, ly, lz = lx - dx, ly - dy, lz - dz
    for i in range(count - 1, -1, -1):
        joint, body = path_joint(parameters, i), at(ws, i * FRAME_BLOCK)
        turn = get(joint, layout.MULTIPLIER) * get(joint, layout.ROTATION)
        travel = get(joint, layout.MULTIPLIER) * get(joint, layout.TRANSLATION)
        x, y, z = get(body, 2), get(body, 5), get(body, 8)
        u, v, w = cross(x, y, z, lx, ly, lz)
        u, v, w = turn * u + travel * x, turn * v + travel * y, turn * w + travel * z
        x, y, z = turn * x, turn * y, turn * z
        if form == BODY or form == MIXED:
            x, y, z = in_axes(frame, x, y, z)
        if form == BODY:
            u, v, w = in_axes(frame, u, v, w)
        column = at(out, coordinate_of(joint))
        put(column, 0, get(column, 0) + x)
        put(column, n, get(column, n) + y)
        put(column, 2 * n, get(column, 2 * n) + z)
        put(column, 3 * n, get(column, 3 * n) + u)
        put(column, 4 * n, get(column, 4 * n) + v)
        put(column, 5 * n, get(column, 5 * n) + w)
        dx, dy, dz = get3(body, FRAME_STEP)
        lx, ly, lz = lx + dx, ly + dy, lz + dz
