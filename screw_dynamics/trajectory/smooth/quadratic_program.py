# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Symmetric systems that couple only neighbouring knots, with four unknowns each."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve_banded, cholesky_banded

from screw_dynamics.arrays import Array


def at_segments(knots: Array) -> Array:
    """Return the unknowns of both ends of every segment side by side, (K, 4) to (K - 1, 8)."""
    return np.concatenate((knots[:-1], knots[1:]), axis=1)


def at_knots(segments: Array) -> Array:
    """Add up the contributions of segments at knots, (K - 1, 8) to (K, 4); see `at_segments`."""
    knots = np.zeros((len(segments) + 1, 4))
    knots[:-1] += segments[:, :4]
    knots[1:] += segments[:, 4:]
    return knots


def factorised(blocks: Array, free: Array) -> Callable[[Array], Array]:
    """
    Return the solver of a positive definite system (K, 4), factorised in time linear in K.

    The matrix is the overlapping sum of the segments' `blocks` (K - 1, 8, 8). Unknowns that are
    not `free` (K, 4) are 0. Raise LinAlgError if the matrix is not positive definite.
    """
    count = len(free)
    band = np.zeros((8, 4 * count))
    for row in range(8):
        for column in range(row + 1):
            band[row - column, column : column + 4 * (count - 1) : 4] += blocks[:, row, column]
    mask = free.ravel()
    # unknowns differ by many powers of the segment lengths: first scale to a unit diagonal
    with np.errstate(divide='ignore', invalid='ignore'):
        scale = np.where(mask, 1.0 / np.sqrt(band[0]), 0.0)
    if not np.isfinite(scale).all():
        raise np.linalg.LinAlgError('the diagonal is not positive')
    for k in range(8):
        band[k, : 4 * count - k] *= scale[k:] * scale[: 4 * count - k]
    band[0] = 1.0
    factor = cholesky_banded(band, lower=True, check_finite=False)

    def solve(right_side: Array) -> Array:
        solution = cho_solve_banded((factor, True), scale * right_side.ravel(), check_finite=False)
        return (scale * solution).reshape(count, 4)

    return solve


# Violation up to which a row counts as satisfied; rows are scaled to the step of their segment.
TOLERANCE = 1e-10


class ConvexProgram(NamedTuple):
    """
    Minimise x^T H x / 2 + g^T x subject to G x + r >= 0; x (K, 4) is 0 if not `free`.

    Each segment couples the four unknowns of its two knots: H is given by blocks (K - 1, 8, 8),
    G by `rows` (K - 1, R, 8), r by `offsets` (K - 1, R). A row of zeros is no constraint.
    """

    hessian: Array
    gradient: Array
    rows: Array
    offsets: Array
    free: Array

    def slack(self, x: Array) -> Array:
        """Return G x + r, (K - 1, R)."""
        return self.offsets + self.row_products(x)

    def row_products(self, x: Array) -> Array:
        """Return G x, (K - 1, R)."""
        products: Array = np.matmul(self.rows, at_segments(x)[:, :, None])[:, :, 0]
        return products

    def row_combination(self, weights: Array) -> Array:
        """Return G^T w, (K, 4), for weights w (K - 1, R)."""
        return at_knots(np.matmul(weights[:, None, :], self.rows)[:, 0, :])

    def objective_gradient(self, x: Array) -> Array:
        """Return H x + g, (K, 4)."""
        return self.gradient + at_knots(
            np.matmul(self.hessian, at_segments(x)[:, :, None])[:, :, 0]
        )


_GAP = 1e-9  # mean complementarity, relative to the objective, at which the minimum is reached
_MAX_ITERATIONS = 40
_SHORT_STEP = 0.05  # shorter steps are caused by rounding: stop
# Largest weight of the objective relative to a constraint at the start. With a small weight the
# method first moves to the middle of the feasible set, from where it hardly ever gets stuck.
_OBJECTIVE_SCALE = 1e-3
_STEP_BACK = 0.995  # largest fraction of the way to the boundary per step


def minimise(program: ConvexProgram, anchor: Array) -> Array:
    """Return the minimiser (K, 4), feasible to `TOLERANCE`, from a feasible anchor (K, 4)."""
    try:
        x = -factorised(program.hessian, program.free)(program.gradient)
    except np.linalg.LinAlgError:
        pass  # ill-conditioned without the rows
    else:
        if (program.slack(x) >= -TOLERANCE).all():
            return x
    return restore_feasibility(program, anchor, _interior_point(program, anchor))


def _interior_point(program: ConvexProgram, x: Array) -> Array:
    """
    Return the minimiser by Mehrotra's predictor-corrector method, starting from x.

    Slacks s = G x + r and multipliers w stay positive; rows of zeros keep s = 1, w = 0.
    Each Newton step solves (H + G^T diag(w / s) G) dx = right side, which has H's structure.
    """
    active = program.rows.any(axis=2)
    count = int(active.sum())
    scale = _OBJECTIVE_SCALE * _relative_stiffness(program)
    s = np.where(active, np.maximum(program.slack(x), 1.0), 1.0)
    w = np.where(active, 1.0 / s, 0.0)
    short_steps = 0
    for _ in range(_MAX_ITERATIONS):
        gap = float((s * w).sum()) / count
        primal = np.where(active, program.slack(x) - s, 0.0)
        if np.abs(primal).max() < TOLERANCE and (gap < _GAP or short_steps > 1):
            break
        dual = scale * program.objective_gradient(x) - program.row_combination(w)
        barrier = np.matmul((program.rows * (w / s)[:, :, None]).transpose(0, 2, 1), program.rows)
        try:
            solve = factorised(scale * program.hessian + barrier, program.free)
        except np.linalg.LinAlgError:
            break
        newton = _NewtonSystem(program, solve, s, w, primal, dual)
        _, ds, dw = newton.step(-s * w)
        step = min(_longest(s, ds), _longest(w, dw))
        ahead = float(((s + step * ds) * (w + step * dw)).sum()) / count
        centre = (ahead / gap) ** 3 * gap
        dx, ds, dw = newton.step(np.where(active, centre - s * w - ds * dw, 0.0))
        if not np.isfinite(dx).all():
            break
        step = _STEP_BACK * min(_longest(s, ds), _longest(w, dw))
        short_steps = short_steps + 1 if step < _SHORT_STEP else 0
        x, s, w = x + step * dx, s + step * ds, w + step * dw
    return x


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


def _relative_stiffness(program: ConvexProgram) -> float:
    """Return the factor that scales the stiffest unknown of H to its stiffness in G^T G."""
    of_rows = at_knots((program.rows**2).sum(axis=1))
    of_objective = at_knots(np.einsum('saa->sa', program.hessian))
    bound = of_rows > 0.0
    return 1.0 / float((of_objective[bound] / of_rows[bound]).max())


def _longest(values: Array, change: Array) -> float:
    """Return the largest step in [0, 1] that keeps all values positive."""
    falling = change < 0.0
    if not falling.any():
        return 1.0
    return min(1.0, float((-values[falling] / change[falling]).min()))


def restore_feasibility(program: ConvexProgram, anchor: Array, x: Array) -> Array:
    """
    Move knots towards the anchor, each as little as its segments need to satisfy all rows.

    A segment's row is satisfied if the losses due to its two knots, scaled by the smaller factor,
    do not exceed the slack at the anchor.
    """
    short = (program.slack(x) < -TOLERANCE).any(axis=1)
    if not short.any():
        return x
    room = np.maximum(program.slack(anchor), 0.0) + 0.5 * TOLERANCE
    moves = program.rows * at_segments(x - anchor)[:, None, :]
    left, right = moves[:, :, :4].sum(axis=2), moves[:, :, 4:].sum(axis=2)
    loss = -(np.minimum(left, 0.0) + np.minimum(right, 0.0))
    part = np.minimum(1.0, (room / np.maximum(loss, room)).min(axis=1))
    factor = np.ones(len(x))
    factor[:-1] = part
    factor[1:] = np.minimum(factor[1:], part)
    return anchor + factor[:, None] * (x - anchor)
