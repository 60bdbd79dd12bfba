# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Remainders of series of efforts, springs and motors on intervals; docs/theory/certificate.md.

A law that is analytic on discs of its inputs is analytic in time on the disc where its inputs stay
in these. The bound of its modulus there is one of all its Taylor coefficients in z.
"""

import numpy as np

from screw_dynamics.kernels.drives.friction import EXCESS, LOAD, LOAD_EFFORT
from screw_dynamics.kernels.drives.laws import COULOMB, CUBIC, EXPONENTIAL, INERTIA, VISCOUS
from screw_dynamics.kernels.drives.parallel import COLUMNS as SPRING_COLUMNS
from screw_dynamics.kernels.enclosures.law_discs import (
    TANH,
    deflection_change,
    friction_changes,
    friction_under_load,
    is_dry,
    is_supported,
    load_change,
    parallel_disc,
)
from screw_dynamics.kernels.enclosures.series import set_derivative, size_of
from screw_dynamics.kernels.kernel import Kernel, read_only

# columns of the table of drives (n, COLUMNS): friction of joints and motors in two tables each,
# parallel springs, 1 / K of linear springs, two parameters of others, the code of the law
JOINT, JOINT_FRICTION, MOTOR, MOTOR_FRICTION, SPRING = 0, 4, 8, 12, 16
COMPLIANCE = SPRING + SPRING_COLUMNS
PARAMETERS, LAW = COMPLIANCE + 1, COMPLIANCE + 3
COLUMNS = LAW + 1

# rows of the remainders; the last two are those of motor efforts without dry friction
EFFORT, EFFORT_RATE, DEFLECTION, MOTOR_VELOCITY, MOTOR_EFFORT, MOTOR_EFFORT_RATE, SMOOTH = range(7)
REMAINDERS = 8

# series of a joint; those of its motor are its position, its rate, the effort without dry friction
_POSITION, _VELOCITY, _LINKED, _TRANSMITTED, _SPRING, _THETA, _RATE, _SMOOTH = range(8)
_SERIES = 8

# what efforts and deflections change by, on which discs of laws, and the same of the largest ones
_CHANGE, _RADIUS, _BENT, _INNER, _CHANGE_0, _RADIUS_0, _BENT_0, _INNER_0 = range(8)

_SMALLEST, _LARGE = 1.16, 24.0  # radius of a disc of laws
_STEP = 0.6**0.5  # from one such radius to the next
_NESTED = 0.5  # of the radius of a disc in another one, on which the other's derivatives are known
_NEGLIGIBLE = 1e-3  # part of a remainder that needs no other disc


def _power(x, count):
    result = 1.0
    for _ in range(count):
        result *= x
    return result


def _law_tail(order, derivative, change, radius, on):
    """Return the tail on a disc of radius `on` of what changes by less on another disc."""
    if change == 0.0:
        return 0.0
    ratio = on / radius
    rest = 1.0 - (order + 2) / (order + 2 - derivative) * ratio
    if not rest > 0.0:
        return np.inf
    tail = change * _power(ratio, order + 1) / rest
    for d in range(derivative):
        tail *= (order + 1 - d) / on
    return tail


def _link_tail(order, derivative, link, on):
    """
    Return the tail of a derivative by z of the efforts of the links on a disc of radius `on`.

    `link` has the radius of their disc, and of the terms there the rest and the rounding.
    """
    ratio = on / link[0]
    tail = link[2] * _power(ratio, derivative)
    for d in range(derivative):
        tail *= d + 1
    if link[1] > 0.0:
        if (order + 2) * ratio > order + 2 - derivative:
            return np.inf
        falling = link[1] * _power(ratio, order + 1)
        for d in range(derivative):
            falling *= order + 1 - d
        tail += falling
    return tail / _power(on, derivative)


def _least_tail(order, derivative, discs, at, on):
    """Return the least tail on a disc of radius `on` of what changes by less on two others."""
    first, last = discs[at:], discs[at + _CHANGE_0 :]
    tail = _law_tail(order, derivative, first[0], first[1], on)
    other = _law_tail(order, derivative, last[0], last[1], on)
    return other if other < tail else tail


def _effort_tail(order, derivative, link, discs, on):
    """Return the tail of the efforts that drives transmit: laws change them on discs."""
    tail = _link_tail(order, derivative, link, on)
    return tail + _least_tail(order, derivative, discs, _CHANGE, on)


def _joint_change(order, drive, link, radius, lines):
    """Return by how much efforts of joint friction and a parallel spring change on a disc."""
    row, further, spring = drive[JOINT:], drive[JOINT_FRICTION:], drive[SPRING:]
    changed = 0.0
    if is_supported(spring):
        allowed, level = parallel_disc(spring, lines[_POSITION, 0])
        size = size_of(lines[_POSITION], radius, 1)
        if level > 0.0 and size > 0.0:
            changed = 2.0 * level * size / allowed if size <= allowed else np.inf
    if is_dry(row, further):
        velocity, speed = lines[_VELOCITY, 0], size_of(lines[_VELOCITY], radius, 1)
        sense, level = friction_changes(row, further, velocity, speed)
        changed += level
        if further[LOAD] > 0.0 and changed < np.inf:
            change = size_of(lines[_LINKED], radius, 1) + _link_tail(order, 0, link, radius)
            change += changed + row[VISCOUS] * speed
            effort = lines[_TRANSMITTED, 0]
            changed += friction_under_load(row, further, velocity, sense, effort, change)
    return changed


def _deflection_tail(order, derivative, drive, link, discs, on):
    """Return the tail of a spring; `discs` has what changes of efforts and deflections, where."""
    tail = _least_tail(order, derivative, discs, _BENT, on)
    if drive[COMPLIANCE] > 0.0:
        tail += drive[COMPLIANCE] * _effort_tail(order, derivative, link, discs, on)
    return tail


def _lower_tails(order, change, radius, tails):
    """Lower tails of derivatives (d,) to those of what changes by less on a disc."""
    for d in range(len(tails)):
        tails[d] = min(tails[d], _law_tail(order, d, change, radius, 1.0))


def _lower_motor(order, last, h, drive, nesting, link, discs, lines, best):
    """Lower the tails of a bent spring, and of dry friction behind it, to those on some discs."""
    row, further, law = drive[MOTOR:], drive[MOTOR_FRICTION:], int(drive[LAW])
    discs[_BENT], discs[_INNER] = 0.0, nesting[0] * discs[_RADIUS]
    if law in (CUBIC, EXPONENTIAL):
        moved = size_of(lines[_TRANSMITTED], discs[_INNER], 1)
        moved += _effort_tail(order, 0, link, discs, discs[_INNER])
        first, second, deflection = drive[PARAMETERS], drive[PARAMETERS + 1], lines[_SPRING, 0]
        discs[_BENT] = deflection_change(law, first, second, deflection, moved)
    if not discs[_BENT_0] < np.inf:
        discs[_BENT_0], discs[_INNER_0] = discs[_BENT], discs[_INNER]
    _lower_tails(order, discs[_BENT], discs[_INNER], best[1])
    radius, rubbed = nesting[1] * discs[_INNER], 0.0
    if is_dry(row, further):
        moved = size_of(lines[_RATE], radius, 1)
        moved += _deflection_tail(order, 1, drive, link, discs, radius) / h
        loaded = size_of(lines[_TRANSMITTED], radius, 1)
        loaded += _effort_tail(order, 0, link, discs, radius)
        rate, effort = lines[_RATE, 0], lines[_TRANSMITTED, 0]
        rubbed = _motor_change(row, further, rate, moved, effort, loaded)
    _lower_tails(last - 1, rubbed, radius, best[2])


def _motor_change(row, further, rate, moved, effort, loaded):
    """Return by how much dry friction of a motor changes where its inputs do by less."""
    sense, level = friction_changes(row, further, rate, moved)
    if further[LOAD] > 0.0 and level < np.inf:
        rounding = further[LOAD_EFFORT]
        loaded = TANH * load_change(effort, rounding, loaded) + np.hypot(effort, rounding) * sense
        level += further[LOAD] * loaded
    return level


def _set_found(h, drive, plain, best, beyond, found):
    """
    Set the remainders of a joint from the tails (4,) of links, and the `best` ones of laws (5, 4).

    The last two rows of these become those of efforts and deflections.

    `beyond` (2,) is what is known of motor efforts without dry friction, and of their derivative
    by z, beyond their series.
    """
    row = drive[MOTOR:]
    for d in range(4):
        best[3, d] = plain[d] + best[0, d]
        best[4, d] = best[1, d]
        if drive[COMPLIANCE] > 0.0:
            best[4, d] += drive[COMPLIANCE] * best[3, d]
    found[EFFORT], found[EFFORT_RATE] = best[3, 0], best[3, 1] / h
    found[DEFLECTION], found[MOTOR_VELOCITY] = best[4, 0], best[4, 1] / h
    for d in range(2):
        smooth = best[3, d] + beyond[d] + row[VISCOUS] * best[4, d + 1] / h
        smooth = (smooth + row[INERTIA] * best[4, d + 2] / (h * h)) / _power(h, d)
        found[MOTOR_EFFORT + d] = smooth + best[2, d] / _power(h, d)
        found[SMOOTH + d] = smooth


def _joint_remainders(order, last, h, drive, nesting, link, lines, beyond, found):
    """Set the remainders `found` of a joint to the least ones of some discs of its laws."""
    rubs = is_dry(drive[JOINT:], drive[JOINT_FRICTION:]) or is_supported(drive[SPRING:])
    bent = last > 0 and int(drive[LAW]) in (CUBIC, EXPONENTIAL)
    top = 3 if last > 0 else 1
    plain, discs, best = np.empty(4), np.zeros(8), np.empty((5, 4))
    for d in range(4):
        plain[d] = _link_tail(order, d, link, 1.0)
    best[:], found[:] = np.inf, np.inf
    discs[_CHANGE_0] = discs[_BENT_0] = np.inf
    discs[_RADIUS_0] = discs[_INNER_0] = 1.0
    # nested discs of short intervals need large ones
    discs[_RADIUS] = min(link[0], _LARGE)
    while discs[_RADIUS] <= _STEP * link[0]:
        discs[_RADIUS] /= _STEP
    shares = True
    while shares:
        if rubs:
            discs[_CHANGE] = _joint_change(order, drive, link, discs[_RADIUS], lines)
        if discs[_CHANGE] < np.inf:
            if not discs[_CHANGE_0] < np.inf:
                discs[_CHANGE_0], discs[_RADIUS_0] = discs[_CHANGE], discs[_RADIUS]
            _lower_tails(order, discs[_CHANGE], discs[_RADIUS], best[0])
            if last > 0:
                _lower_motor(order, last, h, drive, nesting, link, discs, lines, best)
            _set_found(h, drive, plain, best, beyond, found)
        shares = bent or not best[0, top] <= _NEGLIGIBLE * plain[top]
        if last > 0:
            rub, rub_rate = best[2, 0], best[2, 1] / h
            shares = shares or not rub <= _NEGLIGIBLE * found[SMOOTH]
            shares = shares or not rub_rate <= _NEGLIGIBLE * found[SMOOTH + 1]
        shares = shares and discs[_RADIUS] > _SMALLEST
        discs[_RADIUS] *= _STEP


def _set_lines(order, h, j, drive, positions, linked, efforts, deflections, lines):
    """Set the series of a joint and its motor from those (k, n) of all."""
    lines[:] = 0.0
    for k in range(len(positions)):
        lines[_POSITION, k] = lines[_THETA, k] = positions[k, j]
    for k in range(order + 1):
        lines[_LINKED, k], lines[_TRANSMITTED, k] = linked[k, j], efforts[k, j]
    for k in range(min(len(deflections), order + 1)):
        lines[_SPRING, k] = deflections[k, j]
        lines[_THETA, k] += deflections[k, j]
    set_derivative(lines[_POSITION], h, lines[_VELOCITY])
    set_derivative(lines[_THETA], h, lines[_RATE])
    set_derivative(lines[_RATE], h, lines[_SMOOTH])
    for k in range(lines.shape[1]):
        viscous = drive[MOTOR + VISCOUS] * lines[_RATE, k]
        lines[_SMOOTH, k] = drive[MOTOR + INERTIA] * lines[_SMOOTH, k] + viscous
        lines[_SMOOTH, k] += lines[_TRANSMITTED, k]


def _set_remainders(
    order, h, radii, tails, drives, positions, linked, efforts, deflections, smooth, remainders
):  # fmt: skip
    """
    Write the remainders (REMAINDERS, I, n) of efforts, springs and motors on intervals.

    `radii` (I,) and `tails` (I, 2, n) are of the discs of the links; `positions`, efforts of the
    links and of the drives, and `deflections` are series (I, k, n). Those of motor efforts become
    `smooth` where that without dry friction, which is within its level then, is nearer. Without
    terms of these, motors do not count.
    """
    last = smooth.shape[1]
    count = max(positions.shape[1], order + 1)
    lines, link, found = np.empty((_SERIES, count)), np.empty(3), np.empty(REMAINDERS)
    beyond, nesting = np.empty(2), np.empty(2)
    nesting[:] = 1.0
    for drive in drives:
        if int(drive[LAW]) in (CUBIC, EXPONENTIAL):
            nesting[0] = nesting[1] = _NESTED
        if drive[COMPLIANCE] > 0.0 or drive[MOTOR_FRICTION + LOAD] > 0.0:
            nesting[1] = _NESTED
    for t in range(len(h)):
        for j in range(len(drives)):
            drive = drives[j]
            _set_lines(
                order, h[t], j, drive, positions[t], linked[t], efforts[t], deflections[t], lines
            )
            # what viscous friction adds beyond the order of the efforts
            more = size_of(lines[_VELOCITY], radii[t], order + 1)
            link[0], link[2] = radii[t], tails[t, 1, j]
            link[1] = tails[t, 0, j] + drive[JOINT + VISCOUS] * more
            beyond[:] = 0.0
            for k in range(last, count):
                beyond[0] += abs(lines[_SMOOTH, k])
                beyond[1] += k * abs(lines[_SMOOTH, k])
            _joint_remainders(order, last, h[t], drive, nesting, link, lines, beyond, found)
            row, further = drive[MOTOR:], drive[MOTOR_FRICTION:]
            if last > 0 and is_dry(row, further):
                # near a knee that is too narrow for the interval friction is within its level
                level = row[COULOMB] + further[EXCESS]
                if further[LOAD] > 0.0:
                    effort = size_of(lines[_TRANSMITTED], 1.0, 0) + found[EFFORT]
                    level += further[LOAD] * np.hypot(effort, further[LOAD_EFFORT])
                if found[SMOOTH] + level < found[MOTOR_EFFORT]:
                    found[MOTOR_EFFORT] = found[SMOOTH] + level
                    for k in range(last):
                        smooth[t, k, j] = lines[_SMOOTH, k]
            for k in range(REMAINDERS):
                remainders[k, t, j] = found[k]


set_remainders = Kernel(
    _set_remainders,
    f'void(int64, {read_only(1)}, {read_only(1)}, {read_only(3)}, {read_only(2)}, {read_only(3)}, '
    f'{read_only(3)}, {read_only(3)}, {read_only(3)}, float64[:, :, ::1], float64[:, :, ::1])',
)
