# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The convex program: conditions of optimality, and its linear systems."""

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
)

JOINTS, KNOTS = 6, 4
START = np.zeros((JOINTS, KNOTS, 4))


@pytest.fixture
def program():
    """Random programs whose constraints hold at 0 with room, and bind at the minimum."""
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(JOINTS, KNOTS - 1, 8, 8))
    free = rng.random((JOINTS, KNOTS, 4)) < 0.8
    mask = at_segments(free.astype(float))
    rows = rng.normal(size=(JOINTS, KNOTS - 1, 5, 8)) * mask[..., None, :]
    rows[:, 0, 0] = 0.0
    hessian = factor @ factor.swapaxes(2, 3) * mask[..., None] * mask[..., None, :]
    gradient = 20.0 * rng.normal(size=free.shape) * free
    program = ConvexProgram(
        hessian, gradient, np.zeros(JOINTS), rows, np.full(rows.shape[:3], 1e6), free
    )
    least = program.objective(minimise(program, START))  # without the constraints
    return program._replace(constant=-least, offsets=np.ones(rows.shape[:3]))


@pytest.fixture(params=range(JOINTS))
def joint(request, program):
    """The program of one of the joints alone."""
    return program.part([request.param])


def test_at_the_minimum_binding_rows_hold_the_gradient(joint):
    x = minimise(joint, START[:1])
    slack = joint.slack(x)
    assert (slack >= -TOLERANCE).all()
    np.testing.assert_array_equal(x[~joint.free], 0.0)
    binding = np.argwhere(joint.rows.any(axis=3) & (slack < 1e-3))
    assert len(binding)
    normals = np.array(
        [
            joint.row_combination(np.eye(1, slack.size, row).reshape(slack.shape)).ravel()
            for row in np.ravel_multi_index(binding.T, slack.shape)
        ]
    )
    # Karush-Kuhn-Tucker: the gradient is a combination of their normals, no factor negative
    _, residual = nnls(normals.T, joint.objective_gradient(x).ravel())
    assert residual <= 1e-3 * np.linalg.norm(joint.gradient)


def test_joints_side_by_side_have_the_minima_that_they_have_alone(program):
    # one without binding rows, one whose objective is linear in an unknown, and the others
    program.offsets[1] = 1e6
    unknown = np.argmax(program.free[2, 1])
    for segment, index in ((0, 4 + unknown), (1, unknown)):
        program.hessian[2, segment, index] = program.hessian[2, segment, :, index] = 0.0
    side_by_side = minimise(program, START)
    alone = [minimise(program.part([j]), START[:1])[0] for j in range(JOINTS)]
    # the method ends at a relative gap of 1e-6
    np.testing.assert_allclose(side_by_side, alone, rtol=1e-6, atol=1e-6)
    assert (program.slack(side_by_side) >= -TOLERANCE).all()


def test_without_binding_rows_the_minimum_is_the_stationary_point(program):
    loose = program._replace(offsets=np.full_like(program.offsets, 1e6))
    x = minimise(loose, START)
    np.testing.assert_allclose(loose.objective_gradient(x)[program.free], 0.0, atol=1e-8)


def test_an_unknown_on_which_the_objective_is_linear_ends_at_its_bound():
    free = np.zeros((1, 2, 4), dtype=bool)
    free[0, 0, 1] = free[0, 1, 2] = True
    hessian, rows = np.zeros((1, 1, 8, 8)), np.zeros((1, 1, 4, 8))
    hessian[0, 0, 1, 1] = 2.0
    rows[0, 0, 0, 1] = rows[0, 0, 2, 6] = 1.0
    rows[0, 0, 1, 1] = rows[0, 0, 3, 6] = -1.0
    gradient = np.zeros((1, 2, 4))
    gradient[0, 0, 1], gradient[0, 1, 2] = -1.0, 1.0
    offsets = np.full((1, 1, 4), 3.0)
    program = ConvexProgram(hessian, gradient, np.full(1, 10.0), rows, offsets, free)
    x = minimise(program, np.zeros((1, 2, 4)))[0]
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
    ends = at_segments(free[None])[0]
    scoped = blocks * ends[:, :, None] * ends[:, None, :]
    # between two joints that have no solution
    systems = np.stack((np.zeros_like(scoped), scoped, -scoped))
    solve, solvable = factorised(systems, np.stack([free] * 3))
    solution = solve(np.stack([right_side] * 3))
    np.testing.assert_allclose(solution[1].ravel(), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(solvable, [False, True, False])
    np.testing.assert_array_equal(solution[[0, 2]], 0.0)


def test_a_joint_whose_matrix_is_indefinite_has_no_solution():
    rng = np.random.default_rng(5)
    factor = rng.normal(size=(3, KNOTS - 1, 8, 8))
    blocks = factor @ factor.swapaxes(2, 3)
    blocks[1, 1, 2, 3] = blocks[1, 1, 3, 2] = 1e3  # beside a positive diagonal
    solve, solvable = factorised(blocks, np.ones((3, KNOTS, 4), dtype=bool))
    np.testing.assert_array_equal(solvable, [True, False, True])
    right_side = rng.normal(size=(3, KNOTS, 4))
    others, _ = factorised(blocks[[0, 2]], np.ones((2, KNOTS, 4), dtype=bool))
    np.testing.assert_allclose(solve(right_side)[[0, 2]], others(right_side[[0, 2]]), rtol=1e-12)


def test_gathering_and_scattering_are_transposes():
    rng = np.random.default_rng(4)
    knots, segments = rng.normal(size=START.shape), rng.normal(size=(JOINTS, KNOTS - 1, 8))
    assert (at_segments(knots) * segments).sum() == pytest.approx(
        (knots * at_knots(segments)).sum(), rel=1e-13
    )
