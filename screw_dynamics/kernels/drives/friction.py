# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Friction of motors and joints with its time derivatives.

    F(v, u) = d v + tanh(v / v0) (c + e exp(-(v / vs)^2) + mu sqrt(u^2 + u0^2))

at the velocity v under the transmitted effort u, infinitely often differentiable. A table of
friction has two rows per motor or joint: inertia, d, c, v0 (`laws`), and the columns below.
"""

import numpy as np

from screw_dynamics.kernels.drives.laws import COULOMB, COULOMB_VELOCITY, VISCOUS
from screw_dynamics.kernels.series import (
    add_product_to_jet,
    exponential,
    product,
    quotient,
    root,
    tanh,
    to_jet,
    to_series,
    to_series_in,
)

# excess e of the breakaway over the Coulomb friction, its velocity vs, coefficient mu, effort u0
EXCESS, STRIBECK_VELOCITY, LOAD, LOAD_EFFORT = range(4)

WORK = 7  # rows of the workspace of the functions below


def add_friction(row, further, rate, load, effort, work):
    """
    Add the friction to the jet `effort` (p,).

    `rate` and `load` (p or more,) are the jets of v and u, `work` is (WORK, p).
    """
    count = len(effort)
    for k in range(count):
        effort[k] += row[VISCOUS] * rate[k]
    if row[COULOMB] + further[EXCESS] + further[LOAD] > 0.0:
        _set_dry_friction(row, further, rate, work)
        sense, level = work[1], work[3]
        if further[LOAD] > 0.0:
            to_series(load, work[6])
            product(work[6], work[6], work[4])
            work[4, 0] += further[LOAD_EFFORT] ** 2
            root(work[4], work[5])
            for k in range(count):
                level[k] += further[LOAD] * work[5, k]
        add_product_to_jet(1.0, sense, level, effort)


def add_friction_under_load(row, further, rate, effort, work):
    """
    Add the friction to the jet `effort` (p,) of the load alone: the sum is u itself.

    u = b + m sqrt(u^2 + u0^2) with m = mu tanh(v / v0) and b, the load with all other friction,
    is u = (b + m sqrt(b^2 + (1 - m^2) u0^2)) / (1 - m^2). Arguments as of `add_friction`.
    """
    count = len(effort)
    for k in range(count):
        effort[k] += row[VISCOUS] * rate[k]
    if row[COULOMB] + further[EXCESS] + further[LOAD] == 0.0:
        return
    _set_dry_friction(row, further, rate, work)
    add_product_to_jet(1.0, work[1], work[3], effort)
    if further[LOAD] == 0.0:
        return
    m, b, rest = work[1], work[2], work[3]
    for k in range(count):
        m[k] *= further[LOAD]
    to_series(effort, b)
    product(m, m, rest)
    for k in range(count):
        rest[k] = -rest[k]
    rest[0] += 1.0
    product(b, b, work[4])
    for k in range(count):
        work[4, k] += further[LOAD_EFFORT] ** 2 * rest[k]
    root(work[4], work[5])
    product(m, work[5], work[4])
    for k in range(count):
        work[4, k] += b[k]
    quotient(work[4], rest, work[5])
    to_jet(work[5], effort)


def dry_friction(row, further, velocity, load):
    """Return the friction without its viscous part."""
    level = dry_level(row, further, velocity, load)
    return level * np.tanh(velocity / row[COULOMB_VELOCITY]) if level > 0.0 else 0.0


def dry_level(row, further, velocity, load):
    """Return the friction that is reached in steady motion, without its viscous part."""
    level = row[COULOMB]
    if further[EXCESS] > 0.0:
        level += further[EXCESS] * np.exp(-((velocity / further[STRIBECK_VELOCITY]) ** 2))
    if further[LOAD] > 0.0:
        level += further[LOAD] * np.hypot(load, further[LOAD_EFFORT])
    return level


def _set_dry_friction(row, further, rate, work):
    """Fill work[1] with the series of tanh(v / v0), work[3] with c + e exp(-(v / vs)^2)."""
    to_series_in(row[COULOMB_VELOCITY], rate, work[0])
    tanh(work[0], work[1], work[2])
    level = work[3]
    level[:] = 0.0
    level[0] = row[COULOMB]
    if further[EXCESS] > 0.0:
        to_series_in(further[STRIBECK_VELOCITY], rate, work[6])
        product(work[6], work[6], work[4])
        for k in range(len(level)):
            work[4, k] = -work[4, k]
        exponential(work[4], work[5])
        for k in range(len(level)):
            level[k] += further[EXCESS] * work[5, k]
