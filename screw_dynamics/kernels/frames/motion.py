# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Twist of a frame and its time derivatives as Taylor series, O(n) per order.

Body-fixed ones are made in the joint frames (KM2021, (15)-(18)), the others in base axes: a
conversion of one into the other would lose the digits by which their derivatives differ in size.
"""

from screw_dynamics.kernels.bodies import tables as layout
from screw_dynamics.kernels.bodies.joint_frames import (
    add3,
    clear,
    cross,
    get3,
    put3,
    set_sines,
    shift_screws,
    turn_screws,
)
from screw_dynamics.kernels.bodies.rows import at, get, integer, put, sines
from screw_dynamics.kernels.frames.pose_and_jacobian import (
    BODY,
    FRAME_BLOCK,
    FRAME_LOCAL,
    FRAME_STEP,
    MIXED,
    SPATIAL,
    coordinate_of,
    frame_rows,
    path_joint,
    place_along_path,
)


def frame_motion_rows(order, count):
    """Return the number of rows of the workspace."""
    return frame_rows(order, count) + 30 * (order + 2)


def to_child(order, twist, rotation, stride, position, step):
    """Transform twists, 6 rows per term, to a frame that is fixed in theirs."""
    r00, r01, r02 = get(rotation, 0), get(rotation, 1), get(rotation, 2)
    r10, r11, r12 = get(rotation, stride), get(rotation, stride + 1), get(rotation, stride + 2)
    k = 2 * stride
    r20, r21, r22 = get(rotation, k), get(rotation, k + 1), get(rotation, k + 2)
    px, py, pz = get(position, 0), get(position, step), get(position, 2 * step)
    for start in range(0, 6 * (order + 1), 6):
        x, y, z = get3(twist, start)
        u, v, w = get3(twist, start + 3)
        u, v, w = u + (y * pz - z * py), v + (z * px - x * pz), w + (x * py - y * px)
        a = r00 * x + r10 * y + r20 * z, r01 * x + r11 * y + r21 * z, r02 * x + r12 * y + r22 * z
        b = r00 * u + r10 * v + r20 * w, r01 * u + r11 * v + r21 * w, r02 * u + r12 * v + r22 * w
        put3(twist, start, a)
        put3(twist, start + 3, b)


def set_joint(order, jet, joint, n, variable):
    """Write a joint variable, and the terms of its rate up to k + 1."""
    c, factor = coordinate_of(joint), get(joint, layout.MULTIPLIER)
    put(variable, 0, factor * get(jet, c) + get(joint, layout.OFFSET))
    for k in range(1, order + 2):
        put(variable, k, factor * get(jet, k * n + c))
        factor = factor / k


def body_twist(order, ws, jet, twist, work, parameters):
    """Write the terms of the body-fixed twist."""
    count, n = integer(parameters, 0), integer(parameters, 1)
    variable, rate, cosine = work, at(work, 1), at(work, order + 2)
    sine = at(cosine, order + 2)
    for i in range(count):
        joint = path_joint(parameters, i)
        s = get(joint, layout.MULTIPLIER) * get(jet, coordinate_of(joint))
        put(ws, i, get(joint, layout.ROTATION) * (s + get(joint, layout.OFFSET)))
    sines(ws, 0, count)
    clear(twist, 6 * (order + 1), jet)
    for i in range(count):
        joint = path_joint(parameters, i)
        if i > 0:
            home, origin = at(joint, layout.HOME_ROTATION), at(joint, layout.HOME_POSITION)
            to_child(order, twist, home, 3, origin, 1)
        turn, travel = get(joint, layout.ROTATION), get(joint, layout.TRANSLATION)
        set_joint(order, jet, joint, n, variable)
        if travel != 0.0:
            shift_screws(order, twist, variable, rate, travel)
        if turn != 0.0:
            put(cosine, 0, get(ws, count + i))
            put(sine, 0, get(ws, 2 * count + i))
            set_sines(order + 1, rate, cosine, sine)
            turn_screws(order, twist, cosine, sine)
        for k in range(order + 1):
            put(twist, 6 * k + 2, get(twist, 6 * k + 2) + turn * get(rate, k))
            put(twist, 6 * k + 5, get(twist, 6 * k + 5) + travel * get(rate, k))
    local = at(parameters, FRAME_LOCAL)
    to_child(order, twist, local, 4, at(local, 3), 4)


def product3(k, a, b):
    """Return term k of a × b."""
    x, y, z = get3(a, 0)
    u, v, w = get3(b, 3 * k)
    x, y, z = cross(x, y, z, u, v, w)
    for s in range(1, k + 1):
        c, d, e = get3(a, 3 * s)
        u, v, w = get3(b, 3 * (k - s))
        u, v, w = cross(c, d, e, u, v, w)
        x, y, z = x + u, y + v, z + w
    return x, y, z


def set_turned(order, angular, vector):
    """Write the terms behind the constant one of a vector with r' = w × r."""
    for k in range(order + 1):
        x, y, z = product3(k, angular, vector)
        r = 1.0 / (k + 1.0)
        put3(vector, 3 * (k + 1), (r * x, r * y, r * z))


def add_link(order, angular, link, velocity):
    """Add the terms of the velocity of a vector that is fixed in a body."""
    set_turned(order, angular, link)
    for k in range(order + 1):
        x, y, z = get3(link, 3 * (k + 1))
        add3(velocity, 3 * k, (k + 1.0) * x, (k + 1.0) * y, (k + 1.0) * z)


def add_travel(order, travel, variable, axis, velocity):
    """Add the terms of (travel s e)' to a velocity."""
    for k in range(order + 1):
        for s in range(k + 2):
            factor = ((travel * (k + 1.0)) / max(s, 1)) * get(variable, s)
            x, y, z = get3(axis, 3 * (k + 1 - s))
            add3(velocity, 3 * k, factor * x, factor * y, factor * z)


def add_rated(order, factor, variable, vector, target):
    """Add the terms of a vector times a factor and the rate of a joint."""
    for k in range(order + 1):
        for s in range(k + 1):
            rate = factor * get(variable, s + 1)
            x, y, z = get3(vector, 3 * (k - s))
            add3(target, 3 * k, rate * x, rate * y, rate * z)


def base_twist(order, ws, jet, twist, work, parameters):
    """Write the terms of the twist in base axes about the base's or the frame's origin."""
    place_along_path(ws, jet, parameters)
    count, n, m = integer(parameters, 0), integer(parameters, 1), 3 * (order + 2)
    spatial = integer(parameters, 2) == SPATIAL
    variable, axis, link, column = work, at(work, m), at(work, 2 * m), at(work, 3 * m)
    angular, velocity, origin = at(work, 4 * m), at(work, 5 * m), at(work, 6 * m)
    linear = at(work, 7 * m)
    clear(angular, 4 * m, jet)
    for i in range(count):
        joint, body = path_joint(parameters, i), at(ws, i * FRAME_BLOCK)
        turn, travel = get(joint, layout.ROTATION), get(joint, layout.TRANSLATION)
        set_joint(order, jet, joint, n, variable)
        x, y, z = get(body, 2), get(body, 5), get(body, 8)
        put3(axis, 0, (x, y, z))
        put3(link, 0, get3(body, FRAME_STEP))
        shift = -travel * get(variable, 0)
        add3(link, 0, shift * x, shift * y, shift * z)
        add_link(order, angular, link, velocity)
        set_turned(order, angular, axis)
        if travel != 0.0:
            add_travel(order, travel, variable, axis, velocity)
        if spatial:
            x, y, z = get3(body, FRAME_STEP)
            add3(origin, 0, x, y, z)
            for k in range(order):
                x, y, z = get3(velocity, 3 * k)
                r = 1.0 / (k + 1.0)
                put3(origin, 3 * (k + 1), (r * x, r * y, r * z))
            for k in range(order + 1):
                x, y, z = product3(k, origin, axis)
                u, v, w = get3(axis, 3 * k)
                x, y, z = turn * x + travel * u, turn * y + travel * v, turn * z + travel * w
                put3(column, 3 * k, (x, y, z))
            add_rated(order, 1.0, variable, column, linear)
        add_rated(order, turn, variable, axis, angular)
    put3(link, 0, get3(ws, count * FRAME_BLOCK + FRAME_STEP))
    add_link(order, angular, link, velocity)
    for k in range(order + 1):
        if integer(parameters, 2) != MIXED:
            put3(twist, 6 * k, get3(angular, 3 * k))
        put3(twist, 6 * k + 3, get3(linear if spatial else velocity, 3 * k))


def frame_motion(order, ws, jet, qd, tau, out, parameters):
    """Write the twist and its time derivatives (k + 1, 6)."""
    twist = at(ws, frame_rows(order, integer(parameters, 0)))
    work, form = at(twist, 6 * (order + 1)), integer(parameters, 2)
    if form == BODY or form == MIXED:
        body_twist(order, ws, jet, twist, work, parameters)
    if form != BODY:
        base_twist(order, ws, jet, twist, work, parameters)
    factor = 1.0
    for k in range(order + 1):
        for a in range(6 * k, 6 * k + 6):
            put(out, a, factor * get(twist, a))
        factor = factor * (k + 1.0)
