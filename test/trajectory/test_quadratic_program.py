# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The convex program: conditions of optimality, and the way back to a feasible point."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from screw_dynamics.trajectory.smooth.quadratic_program import (
    TOLERANCE,
    ConvexProgram,
    at_knots,
    at_segments,
    factorised,
    minimise,
    restore_feasibility,
)

KNOTS = 4


@pytest.fixture(params=range(6))
def program(request):
    """A random program whose constraints hold at 0 with room, and bind at the minimum."""
    rng = np.random.default_rng(request.param)
    factor = rng.normal(size=(KNOTS - 1, 8, 8))
    free = rng.random((KNOTS, 4)) < 0.8
    mask = at_segments(free.astype(float))
    rows = rng.normal(size=(KNOTS - 1, 5, 8)) * mask[:, None, :]
    rows[0, 0] = 0.0
    hessian = factor @ factor.transpose(0, 2, 1) * mask[:, :, None] * mask[:, None, :]
    gradient = 20.0 * rng.normal(size=(KNOTS, 4)) * free
    return ConvexProgram(hessian, gradient, rows, np.ones((KNOTS - 1, 5)), free)


def test_at_the_minimum_binding_rows_hold_the_gradient(program):
    x = minimise(program, np.zeros((KNOTS, 4)))
    slack = program.slack(x)
    assert (slack >= -TOLERANCE).all()
    np.testing.assert_array_equal(x[~program.free], 0.0)
    binding = np.argwhere(program.rows.any(axis=2) & (slack < 1e-3))
    assert len(binding)
    normals = np.array(
        [
            program.row_combination(np.eye(1, slack.size, row).reshape(slack.shape)).ravel()
            for row in np.ravel_multi_index(binding.T, slack.shape)
        ]
    )
    # Karush-Kuhn-Tucker: the gradient is a combination of their normals, no factor negative
    _, residual = nnls(normals.T, program.objective_gradient(x).ravel())
    assert residual <= 1e-3 * np.linalg.norm(program.gradient)


def test_without_binding_rows_the_minimum_is_the_stationary_point(program):
    loose = program._replace(offsets=np.full((KNOTS - 1, 5), 1e6))
    x = minimise(loose, np.zeros((KNOTS, 4)))
    np.testing.assert_allclose(loose.objective_gradient(x)[program.free], 0.0, atol=1e-8)


def test_pull_back_obeys_every_row_and_moves_only_what_it_must(program):
    rng = np.random.default_rng(99)
    x = 3.0 * rng.normal(size=(KNOTS, 4)) * program.free
    assert (program.slack(x) < 0.0).any()
    pulled = restore_feasibility(program, np.zeros((KNOTS, 4)), x)
    assert (program.slack(pulled) >= -TOLERANCE).all()
    assert pulled.any()
    again = restore_feasibility(program, np.zeros((KNOTS, 4)), pulled)
    assert again is pulled


def test_an_unknown_on_which_the_objective_is_linear_ends_at_its_bound():
    free = np.zeros((2, 4), dtype=bool)
    free[0, 1] = free[1, 2] = True
    hessian, rows = np.zeros((1, 8, 8)), np.zeros((1, 4, 8))
    hessian[0, 1, 1] = 2.0
    rows[0, 0, 1] = rows[0, 2, 6] = 1.0
    rows[0, 1, 1] = rows[0, 3, 6] = -1.0
    gradient = np.zeros((2, 4))
    gradient[0, 1], gradient[1, 2] = -1.0, 1.0
    program = ConvexProgram(hessian, gradient, rows, np.full((1, 4), 3.0), free)
    x = minimise(program, np.zeros((2, 4)))
    assert x[0, 1] == pytest.approx(0.5, abs=1e-4)
    assert x[1, 2] == pytest.approx(-3.0, abs=1e-4)


def test_the_banded_solution_is_the_dense_one():
    rng = np.random.default_rng(3)
    factor = rng.normal(size=(KNOTS - 1, 8, 8))
    blocks = factor @ factor.transpose(0, 2, 1)
    free = np.ones((KNOTS, 4), dtype=bool)
    free[1, 2] = free[0] = False
    dense = np.zeros((4 * KNOTS, 4 * KNOTS))
    for i, block in enumerate(blocks):
        dense[4 * i : 4 * i + 8, 4 * i : 4 * i + 8] += block
    mask = free.ravel()
    right_side = rng.normal(size=(KNOTS, 4))
    expected = np.zeros(4 * KNOTS)
    expected[mask] = np.linalg.solve(dense[np.ix_(mask, mask)], right_side.ravel()[mask])
    scoped = blocks * at_segments(free)[:, :, None] * at_segments(free)[:, None, :]
    solution = factorised(scoped, free)(right_side)
    np.testing.assert_allclose(solution.ravel(), expected, rtol=1e-9, atol=1e-9)


def test_gathering_and_scattering_are_transposes():
    rng = np.random.default_rng(4)
    knots, segments = rng.normal(size=(KNOTS, 4)), rng.normal(size=(KNOTS - 1, 8))
    assert (at_segments(knots) * segments).sum() == pytest.approx(
        (knots * at_knots(segments)).sum(), rel=1e-13
    )


def test_a_matrix_that_is_not_positive_definite_is_refused():
    with pytest.raises(np.linalg.LinAlgError):
        factorised(np.zeros((KNOTS - 1, 8, 8)), np.ones((KNOTS, 4), dtype=bool))
