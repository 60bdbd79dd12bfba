# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Exact expressions against the planar arm of MK2021 and the compiled functions."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from oracles.random_models import BodyRecipe, random_joint_jet, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.symbolic import Expressions, SymbolicModel

NAMES = {'c_1x': 'L1', 'l_2x': 'L1', 'c_2x': 'L2', 'm_1': 'm1', 'm_2': 'm2'}


@pytest.fixture(scope='module')
def planar():
    robot = sd.read_urdf(
        sd.share_path('urdf/planar_2r.urdf'), base_link='plane', gravity=(0.0, -9.81, 0.0)
    )
    model = SymbolicModel.from_model(robot, ['masses', 'centres', 'lengths', 'gravity'], NAMES)
    return Expressions(model), model.joint_jet(5)


def test_efforts_of_the_planar_arm_are_those_of_the_paper(planar):
    """MK2021, section 6.1, with its derivatives by time."""
    expressions, jet = planar
    m1, m2, l1, l2 = sympy.symbols('m1 m2 L1 L2', positive=True)
    g = sympy.Symbol('g', positive=True)
    given = {s.name: s for s in expressions.model.values}
    rename = {given[s.name]: s for s in (m1, m2, l1, l2, g) if s.name in given}
    t = sympy.Symbol('t')
    q1, q2 = (sympy.Function(f'q{i}')(t) for i in (1, 2))
    d1, d2, dd1, dd2 = q1.diff(t), q2.diff(t), q1.diff(t, 2), q2.diff(t, 2)
    coupling = m2 * l1 * l2
    tau = [
        ((m1 + m2) * l1**2 + m2 * l2**2 + 2 * coupling * sympy.cos(q2)) * dd1
        + (m2 * l2**2 + coupling * sympy.cos(q2)) * dd2
        - coupling * sympy.sin(q2) * (2 * d1 * d2 + d2**2)
        + (m1 + m2) * g * l1 * sympy.cos(q1)
        + m2 * g * l2 * sympy.cos(q1 + q2),
        (m2 * l2**2 + coupling * sympy.cos(q2)) * dd1
        + m2 * l2**2 * dd2
        + coupling * sympy.sin(q2) * d1**2
        + m2 * g * l2 * sympy.cos(q1 + q2),
    ]
    symbols = {
        function.diff(t, d) if d else function: jet[d, j]
        for d in reversed(range(5))
        for j, function in enumerate((q1, q2))
    }
    found = expressions.inverse_dynamics(2)
    for k in range(3):
        for j in range(2):
            expected = tau[j].diff(t, k).doit() if k else tau[j]
            for entry, symbol in symbols.items():
                expected = expected.subs(entry, symbol)
            difference = found[k][j].subs(rename) - expected
            assert sympy.expand(sympy.expand_trig(sympy.expand(difference))).simplify() == 0


def test_the_mass_matrix_of_the_planar_arm_reads_as_in_the_paper(planar):
    matrix = planar[0].mass_matrix()
    assert str(matrix[1, 1]) == 'L2**2*m2'
    assert 'cos(q_2)' in str(matrix[0, 0]) and 'q_1' not in str(matrix)


@pytest.mark.parametrize('kinds', [('revolute', 'helical'), ('prismatic', 'revolute')])
def test_expressions_of_random_robots_are_those_of_the_compiled_functions(kinds, rng):
    robot = random_model(rng, [BodyRecipe(joint_type=kind) for kind in kinds])
    expressions = Expressions(robot)
    jet = random_joint_jet(rng, robot.n, 1)
    symbols = expressions.model.joint_jet(len(jet))
    values = dict(zip(symbols.ravel(), jet.ravel().tolist(), strict=True))

    def number(matrix):
        return np.array(matrix.subs(values).evalf(30), dtype=float)

    def efforts(rows):
        return np.array([number(row).ravel() for row in rows])

    for found, expected in (
        (number(expressions.mass_matrix()), sd.mass_matrix(robot, jet[0])),
        (efforts(expressions.inverse_dynamics(1)), sd.inverse_dynamics(robot, jet)),
        (
            number(expressions.frame_jacobian(robot.body_names[-1], 'hybrid')),
            sd.frame_jacobian(robot, jet[0], robot.body_names[-1], 'hybrid'),
        ),
        (
            number(expressions.frame_pose(robot.body_names[-1])),
            sd.frame_pose(robot, jet[0], robot.body_names[-1]),
        ),
    ):
        scale = abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * scale)


def test_large_robots_and_unknown_names_are_refused():
    iiwa = sd.read_urdf(sd.share_path('urdf/panda.urdf'))
    with pytest.raises(InputError, match='expected at most .* moving joints, got'):
        Expressions(iiwa)
    planar = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    with pytest.raises(UnknownNameError):
        Expressions(planar).frame_pose('nowhere')
    with pytest.raises(UnknownNameError):
        SymbolicModel.from_model(planar, ['masses'], {'m_7': 'm'})
