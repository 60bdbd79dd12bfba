# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Convex programs of several joints that couple only neighbouring knots, with four unknowns each.

The first axis of every array is the joint; their programs are solved side by side, each with
steps of its own. This is the NumPy form of the kernel in `kernels.smooth`, which takes about
an eighth of its time, but thirty times as much as plain Python.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.kernels.smooth.interior_point import (
    GAP,
    MAX_ITERATIONS,
    OBJECTIVE_SCALE,
    STEP_BACK,
    TOLERANCE,
)

Bools = NDArray[np.bool_]


def at_segments(knots: Array) -> Array:
    """Return the unknowns of both ends of every segment, (J, K, 4) to (J, K - 1, 8)."""
    return np.concatenate((knots[:, :-1], knots[:, 1:]), axis=2)


def at_knots(segments: Array) -> Array:
    """Add up what segments contribute at knots, (J, K - 1, 8) to (J, K, 4); see `at_segments`."""
    joints, count, _ = segments.shape
    knots = np.zeros((joints, count + 1, 4))
    knots[:, :-1] += segments[..., :4]
    knots[:, 1:] += segments[..., 4:]
    return knots


def factorised(blocks: Array, free: Bools) -> tuple[Callable[[Array], Array], Bools]:
    """
    Return the solver of symmetric systems (J, K, 4) and which joints (J,) have a solution.

    The matrix of a joint is the overlapping sum of its segments' `blocks` (J, K - 1, 8, 8).
    Unknowns that are not `free` (J, K, 4) are 0, and all those of a joint whose matrix is not
    positive definite. The time is linear in J K.
    """
    # imported at the first fit: processes that never fit start 0.3 s faster
    from scipy.linalg import cho_solve_banded
    from scipy.linalg.lapack import dpbtrf

    joints, count, _ = free.shape
    band = np.zeros((8, joints, 4 * count))
    for column in range(8):
        below = blocks[:, :, column:, column].transpose(2, 0, 1)
        band[: 8 - column, :, column : column + 4 * (count - 1) : 4] += below
    mask = free.reshape(joints, -1)
    solvable = ((band[0] > 0.0) & np.isfinite(band[0]) | ~mask).all(axis=1)
    mask = mask & solvable[:, None]
    # unknowns differ by many powers of the segment lengths: first scale to a unit diagonal
    scale = np.zeros(mask.shape)
    scale[mask] = 1.0 / np.sqrt(band[0][mask])
    for k in range(8):
        band[k, :, : 4 * count - k] *= scale[:, k:] * scale[:, : 4 * count - k]
    band[0] = 1.0
    while True:
        factor, failed = dpbtrf(band.reshape(8, -1), lower=1)
        if not failed:
            break
        joint = (failed - 1) // (4 * count)
        solvable[joint], scale[joint], band[1:, joint] = False, 0.0, 0.0

    def solve(right_side: Array) -> Array:
        solution = cho_solve_banded(
            (factor, True), (scale * right_side.reshape(scale.shape)).ravel(), check_finite=False
        )
        solved: Array = scale * solution.reshape(scale.shape)
        return solved.reshape(free.shape)

    return solve, solvable


class ConvexProgram(NamedTuple):
    """
    Minimise x^T H x + 2 g^T x + c subject to G x + r >= 0; x (J, K, 4) is 0 if not `free`.

    Each segment couples the four unknowns of its two knots: H is given by blocks
    (J, K - 1, 8, 8), G by `rows` (J, K - 1, R, 8), r by `offsets` (J, K - 1, R). A row of zeros is
    no constraint. The constant c (J,) makes the minimum positive.
    """

    hessian: Array
    gradient: Array
    constant: Array
    rows: Array
    offsets: Array
    free: Bools

    def part(self, joints: Bools) -> 'ConvexProgram':
        """Return the programs of some joints."""
        return ConvexProgram._make(array[joints] for array in self)

    def slack(self, x: Array) -> Array:
        """Return G x + r, (J, K - 1, R)."""
        return self.offsets + self.row_products(x)

    def row_products(self, x: Array) -> Array:
        """Return G x, (J, K - 1, R)."""
        products: Array = np.matmul(self.rows, at_segments(x)[..., None])[..., 0]
        return products

    def row_combination(self, weights: Array) -> Array:
        """Return G^T w, (J, K, 4), for weights w (J, K - 1, R)."""
        return at_knots(np.matmul(weights[..., None, :], self.rows)[..., 0, :])

    def objective_gradient(self, x: Array) -> Array:
        """Return half the gradient of the objective, H x + g, (J, K, 4)."""
        return self.gradient + at_knots(np.matmul(self.hessian, at_segments(x)[..., None])[..., 0])

    def objective(self, x: Array) -> Array:
        """Return x^T H x + 2 g^T x + c, (J,)."""
        products = x * (self.objective_gradient(x) + self.gradient)
        value: Array = self.constant + products.sum(axis=(1, 2))
        return value


def minimise(program: ConvexProgram, anchor: Array) -> Array:
    """Return the minimisers (J, K, 4), feasible to `TOLERANCE`, from feasible anchors."""
    solve, regular = factorised(program.hessian, program.free)
    x = -solve(program.gradient)
    # a joint may be ill-conditioned without the rows
    bound = ~regular | (program.slack(x) < -TOLERANCE).any(axis=(1, 2))
    if bound.any():
        x[bound] = _interior_point(program.part(bound), anchor[bound])
    return x


def _interior_point(program: ConvexProgram, x: Array) -> Array:
    """
    Return the minimisers by Mehrotra's predictor-corrector method, starting from feasible x.

    A joint is left where it has converged, or where it cannot go on; of its feasible points, the
    one with the least objective is returned.
    """
    best: Array = x.copy()
    left, least = np.arange(len(x)), np.full(len(x), np.inf)
    iterate = _first_iterate(program, x)
    for _ in range(MAX_ITERATIONS):
        value, feasible = iterate.objective(), iterate.is_feasible()
        better = feasible & (value < least[left])
        best[left[better]], least[left[better]] = iterate.x[better], value[better]
        going = ~(feasible & (iterate.gap < GAP * value))
        left, iterate = left[going], iterate.part(going)
        if not len(left):
            break
        iterate, going = iterate.advanced()
        left, iterate = left[going], iterate.part(going)
    return best


class _Iterate(NamedTuple):
    """
    A point of the method, with slacks s = G x + r and multipliers w, which stay positive.

    Rows of zeros keep s = 1, w = 0. Each Newton step solves (H + G^T diag(w / s) G) dx = right
    side, which has H's structure.
    """

    program: ConvexProgram
    scale: Array  # (J, 1, 1), of the objective
    active: Bools  # (J, K - 1, R): rows that are constraints
    x: Array
    s: Array
    w: Array

    def part(self, joints: Bools) -> '_Iterate':
        """Return the iterate of some joints."""
        return _Iterate._make([self.program.part(joints), *(array[joints] for array in self[1:])])

    @property
    def gap(self) -> Array:
        """Sum of the products of slack and multiplier, (J,)."""
        return self.total_product(self.s, self.w)

    def total_product(self, s: Array, w: Array) -> Array:
        """Return the sums (J,) of s w over the constraints."""
        total: Array = (s * w).sum(axis=(1, 2))
        return total

    def objective(self) -> Array:
        """Return the scaled objective, (J,)."""
        return self.scale[:, 0, 0] * self.program.objective(self.x)

    def excess(self) -> Array:
        """Return G x + r - s."""
        return np.where(self.active, self.program.slack(self.x) - self.s, 0.0)

    def is_feasible(self) -> Bools:
        """Return which joints (J,) satisfy their rows to `TOLERANCE`."""
        feasible: Bools = np.abs(self.excess()).max(axis=(1, 2)) < TOLERANCE
        return feasible

    def advanced(self) -> tuple['_Iterate', Bools]:
        """Return the next iterate, and which joints have one."""
        program, s, w, gap = self.program, self.s, self.w, self.gap
        dual = self.scale * program.objective_gradient(self.x) - program.row_combination(w)
        weighted = program.rows * (w / s)[..., None]
        barrier = np.matmul(weighted.swapaxes(2, 3), program.rows)
        hessian = self.scale[..., None] * program.hessian
        solve, going = factorised(hessian + barrier, program.free)
        newton = _NewtonSystem(program, solve, s, w, self.excess(), dual)
        _, ds, dw = newton.step(-s * w)
        step = _longest((s, ds), (w, dw))
        ahead = self.total_product(s + step * ds, w + step * dw)
        count = self.active.sum(axis=(1, 2))
        centre = ((ahead / gap) ** 3 * gap / count)[:, None, None]
        dx, ds, dw = newton.step(np.where(self.active, centre - s * w - ds * dw, 0.0))
        step = STEP_BACK * _longest((s, ds), (w, dw))
        return self._replace(x=self.x + step * dx, s=s + step * ds, w=w + step * dw), going


def _first_iterate(program: ConvexProgram, x: Array) -> _Iterate:
    active = np.asarray(program.rows.any(axis=3))
    s = np.where(active, np.maximum(program.slack(x), 1.0), 1.0)
    w = np.where(active, 1.0 / s, 0.0)
    scale = OBJECTIVE_SCALE * _relative_stiffness(program)
    return _Iterate(program, scale, active, x, s, w)


class _NewtonSystem(NamedTuple):
    """H dx - G^T dw = -dual, G dx - ds = -primal, w ds + s dw = complement, at one iterate."""

    program: ConvexProgram
    solve: Callable[[Array], Array]
    s: Array
    w: Array
    primal: Array
    dual: Array

    def step(self, complement: Array) -> tuple[Array, Array, Array]:
        """Return dx, ds, dw for a required change of the products s w."""
        weights = (complement - self.w * self.primal) / self.s
        dx = self.solve(self.program.row_combination(weights) - self.dual)
        ds = self.program.row_products(dx) + self.primal
        return dx, ds, (complement - self.w * ds) / self.s


def _relative_stiffness(program: ConvexProgram) -> Array:
    """Return factors (J, 1, 1) that scale the stiffest unknown of H to its stiffness in G^T G."""
    of_rows = at_knots((program.rows**2).sum(axis=2))
    of_objective = at_knots(np.diagonal(program.hessian, axis1=2, axis2=3))
    ratios = np.divide(of_objective, of_rows, out=np.zeros_like(of_rows), where=of_rows > 0.0)
    stiffness: Array = 1.0 / ratios.max(axis=(1, 2), keepdims=True)
    return stiffness


def _longest(*pairs: tuple[Array, Array]) -> Array:
    """Return the largest steps (J, 1, 1) in [0, 1] that keep all values positive."""
    steps = [
        np.divide(-values, change, out=np.ones_like(values), where=change < 0.0).min(
            axis=(1, 2), keepdims=True
        )
        for values, change in pairs
    ]
    longest: Array = np.minimum(1.0, np.minimum(*steps))
    return longest
