# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Exact expressions of small robots, evaluated in 60 digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sympy
from oracles.exact_model import pseudo_inertia
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.taylor import exact, high_precision

import screw_dynamics as sd
from benchmarks.verification.measures import Measure, difference, subject
from benchmarks.verification.scenes import Scene
from screw_dynamics.common.arrays import Array
from screw_dynamics.symbolic import Expressions

RECIPES = [BodyRecipe('revolute'), BodyRecipe('helical')]


@subject('Exact expressions')
@high_precision
def of_expressions() -> Iterator[Measure]:
    """Compare the numbers of expressions with d'Alembert and exact poses."""
    rng = np.random.default_rng(7)
    scene = Scene('pair', random_model(rng, RECIPES), random_joint_jet(rng, 2, 5), rng)
    model, jet = scene.model, scene.jet
    expressions = Expressions(model)
    symbols = expressions.model.joint_jet(len(jet))
    numbers = dict(zip(symbols.ravel(), jet.ravel().tolist(), strict=True))

    def value(matrix: Any) -> Array:
        return np.array(sympy.Matrix([matrix]).subs(numbers).evalf(60), dtype=float)

    frame = list(model.frames)[-1]
    loads = scene.efforts(1)
    still = type(scene)('still', model, np.concatenate([jet[:1], 0.0 * jet[1:]]), rng)
    pose = np.asarray(scene.poses[-1][0], float)
    columns = scene.columns['hybrid'][-1, :, 0].T * model.multipliers
    rest, energy = still.efforts(0), scene.energy(0)
    moments = [
        place[0] @ pseudo_inertia(inertia)
        for place, inertia in zip(scene.poses, model.inertias, strict=True)
    ]
    potential = -float(sum(exact(model.gravity) @ moment[:3, 3] for moment in moments))
    parameters = sympy.Matrix([sympy.Rational(x) for x in sd.inertial_parameters(model)])
    cases: tuple[tuple[Callable[..., Any], Callable[[], Any], str, Any, float], ...] = (
        (Expressions.mass_matrix, expressions.mass_matrix, '', scene.mass_matrices[0], 0.0),
        (
            Expressions.gravity_forces,
            expressions.gravity_forces,
            '',
            rest.efforts[0][:, None],
            float(rest.scale[0]),
        ),
        (
            Expressions.inverse_dynamics,
            lambda: expressions.inverse_dynamics(1)[1],
            '',
            loads.efforts[1][:, None],
            float(loads.scale[1]),
        ),
        (
            Expressions.kinetic_energy,
            expressions.kinetic_energy,
            'exact mass points',
            [[energy]],
            0.0,
        ),
        (
            Expressions.potential_energy,
            expressions.potential_energy,
            'exact mass points',
            [[potential]],
            0.0,
        ),
        (
            Expressions.coriolis_matrix,
            lambda: _twice_symmetric(expressions.coriolis_matrix()),
            "M' = C + C^T by exact poses",
            scene.mass_matrices[1],
            float(np.abs(scene.mass_matrices[:2]).max()),
        ),
        (
            Expressions.regressor,
            lambda: expressions.regressor(1)[1] * parameters,
            '',
            loads.efforts[1][:, None],
            float(loads.scale[1]),
        ),
        (
            Expressions.frame_pose,
            lambda: expressions.frame_pose(frame),
            'exact poses',
            pose,
            0.0,
        ),
        (
            Expressions.frame_jacobian,
            lambda: expressions.frame_jacobian(frame, 'hybrid'),
            'exact poses',
            columns,
            0.0,
        ),
    )
    for function, call, oracle, expected, size in cases:
        residual = difference(value(call()), expected, size)
        yield Measure(function, oracle or "d'Alembert", residual, call=call)


def _twice_symmetric(matrix: sympy.Matrix) -> sympy.Matrix:
    return matrix + matrix.T
