# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Forward and backward sweep of a chain of modules."""

from typing import NamedTuple

from screw_dynamics.kernels.soft import layout
from screw_dynamics.kernels.soft.entire_functions import inverse_factorial_count
from screw_dynamics.kernels.soft.frames import (
    ACCELERATION,
    STATE_WIDTH,
    add_own_wrench,
    pass_back,
)
from screw_dynamics.kernels.soft.integrals import integrals_efforts, integrals_forward
from screw_dynamics.kernels.soft.joints import joint_effort, joint_forward, rigid_forward
from screw_dynamics.kernels.soft.planar import planar_integrals
from screw_dynamics.kernels.soft.products import clear
from screw_dynamics.kernels.soft.rods import rod_backward, rod_forward

_SCRATCH = 32  # series, besides two per coefficient for the entire functions
_TOP = 6  # highest entire function


class Places(NamedTuple):
    """Places in the workspace of a chain, and its size."""

    inverse: int
    coordinates: int
    efforts: int
    states: int
    wrench: int
    scratch: int
    blocks: int
    size: int


def places(modules, n, order):
    """Return the places in the workspace; the last row of `modules` is the end of the blocks."""
    count = order + 3
    inverse = 0
    coordinates = inverse + inverse_factorial_count(_TOP, count)
    efforts = coordinates + n * count
    states = efforts + n * count
    wrench = states + 2 * STATE_WIDTH * count
    scratch = wrench + 6 * count
    blocks = scratch + (_SCRATCH + 2 * count) * count
    size = blocks + modules[modules.shape[0] - 1, layout.BLOCK] * count
    return Places(inverse, coordinates, efforts, states, wrench, scratch, blocks, size)


def set_coordinates(ws, place, jet, order):
    """Write the series of the coordinates and clear those of the efforts behind them."""
    rows, n = jet.shape
    for j in range(n):
        factor = 1.0
        for k in range(rows):
            ws[place + j * rows + k] = factor * jet[k, j]
            factor /= k + 1.0
    clear(ws, place + n * rows, n * rows)


def forward_sweep(ws, place, modules, reals, given, order):
    """Set the blocks of all modules, and the own efforts of those known by integrals."""
    count = order + 3
    before, after = place.states, place.states + STATE_WIDTH * count
    clear(ws, before, STATE_WIDTH * count)
    for c in range(3):
        ws[before + ACCELERATION * count + c] = -reals[layout.GRAVITY + c]
    scratch = place.scratch
    for i in range(modules.shape[0] - 1):
        kind, n, row = modules[i, layout.KIND], modules[i, layout.SIZE], modules[i, layout.REALS]
        q = place.coordinates + modules[i, layout.FIRST] * count
        nu = place.efforts + modules[i, layout.FIRST] * count
        block = place.blocks + modules[i, layout.BLOCK] * count
        if kind == layout.ROD:
            after, before = rod_forward(
                n, modules[i, layout.STEPS], ws, place.inverse, q, reals, row + 2 * n * n, block,
                (before, after), scratch, order,
            )  # fmt: skip
        elif kind == layout.PLANAR:
            planar_integrals(ws, place.inverse, q, reals, row, block, scratch, order)
            mass = reals[row + layout.MASS]
            integrals_forward(1, mass, ws, nu, block, before, after, scratch, order)
        elif kind == layout.SERIES:
            size = layout.integrals_width(n) * count
            start = modules[i, layout.GIVEN] * count
            for e in range(size):
                ws[block + e] = given[start + e]
            mass = ws[block + size - count]
            integrals_forward(n, mass, ws, nu, block, before, after, scratch, order)
        elif kind == layout.RIGID:
            rigid_forward(ws, reals, row, block, before, after, scratch, order)
        else:
            joint_forward(kind, ws, q, reals, row, block, before, after, scratch, order)
        before, after = after, before


def add_linear_stress(ws, n, q, nu, reals, row, order):
    """Add stiffness times q and damping times q' to the efforts of a rod."""
    count = order + 3
    for j in range(n):
        for i in range(n):
            stiffness, damping = reals[row + j * n + i], reals[row + n * n + j * n + i]
            here = q + i * count
            for k in range(order + 1):
                rate = (k + 1.0) * ws[here + k + 1]
                ws[nu + j * count + k] += stiffness * ws[here + k] + damping * rate


def subtract_wrench(ws, wrench, external, order):
    """Subtract an external wrench, derivatives (k + 1, 6) of [torque; force], from a wrench."""
    factor = 1.0
    for k in range(order + 1):
        i = wrench + 3 * k
        for c in range(3):
            ws[i + 3 * (order + 3) + c] -= factor * external[k, c]
            ws[i + c] -= factor * external[k, 3 + c]
        factor /= k + 1.0


def backward_sweep(ws, place, modules, reals, wrenches, carriers, order):
    """Set the efforts from the tip to the base, less those of external wrenches."""
    count = order + 3
    wrench, scratch = place.wrench, place.scratch
    clear(ws, wrench, 6 * count)
    for i in range(modules.shape[0] - 2, -1, -1):
        kind, n, row = modules[i, layout.KIND], modules[i, layout.SIZE], modules[i, layout.REALS]
        q = place.coordinates + modules[i, layout.FIRST] * count
        nu = place.efforts + modules[i, layout.FIRST] * count
        block = place.blocks + modules[i, layout.BLOCK] * count
        for w in range(carriers.shape[0]):
            if carriers[w] == i:
                subtract_wrench(ws, wrench, wrenches[w], order)
        if kind == layout.ROD:
            add_linear_stress(ws, n, q, nu, reals, row, order)
            steps, row = modules[i, layout.STEPS], row + 2 * n * n
            rod_backward(n, steps, ws, nu, reals, row, block, wrench, scratch, order)
            continue
        soft = kind in (layout.PLANAR, layout.SERIES)
        if soft:
            integrals_efforts(n, ws, nu, block, wrench, order)
        elif n == 1:
            joint_effort(ws, nu, reals, row, wrench, order)
        rotating = soft or kind == layout.REVOLUTE or kind == layout.HELICAL
        moving = soft or kind == layout.PRISMATIC or kind == layout.HELICAL
        pass_back(ws, block, rotating, moving, wrench, scratch, order)
        if soft or kind == layout.RIGID:
            add_own_wrench(ws, block, wrench, order)


def write_efforts(ws, place, tau, order):
    """Write the derivatives of the efforts; return False if any is not finite."""
    finite = True
    for j in range(tau.shape[1]):
        factor = 1.0
        for k in range(order + 1):
            value = factor * ws[place + j * (order + 3) + k]
            tau[k, j] = value
            # infinity - infinity and NaN - NaN are NaN
            finite = finite and value - value == 0.0
            factor *= k + 1.0
    return finite
