# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated dynamics and motions against the readable recursion."""

import subprocess

import numpy as np
import pytest
from c_compiler import COMPILER, STRICT, Compiled, needs_gcc, write
from numpy.polynomial import Polynomial
from oracles.random_models import BodyRecipe, random_joint_jet, random_model

import screw_dynamics as sd
from screw_dynamics.codegen.robot import QUANTITIES
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.inverse_dynamics import body_fixed

pytestmark = needs_gcc
# relative to the largest number of a result, or to 1, the size of masses and lengths: sums of
# some hundred rounded products
BOUND = 1e-13
TREES = {
    'one joint': 1,
    'all types and branches': [
        BodyRecipe(),
        BodyRecipe(joint_type='prismatic'),
        BodyRecipe(joint_type='helical', parent_back=2),
        BodyRecipe(parent_back=3),
        BodyRecipe(joint_type='prismatic', mimics=1, parent_back=2),
        BodyRecipe(joint_type='helical', mimics=0),
    ],
    'several roots': [
        BodyRecipe(joint_type='prismatic'),
        BodyRecipe(parent_back=2),
        BodyRecipe(joint_type='helical', parent_back=3),
    ],
    'axes of coordinates': [
        BodyRecipe(coordinate_axis=True, parallel_home=True) for _ in range(4)
    ],
}


def close(got, expected):
    scale = max(np.abs(expected).max(), 1.0)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got / scale, expected / scale, rtol=0.0, atol=BOUND)


@pytest.mark.parametrize(('tree', 'order'), zip(TREES, [2, 5, 0, 2], strict=True))
def test_results_are_those_of_the_readable_recursion_and_the_closed_form(tree, order, tmp_path):
    rng = np.random.default_rng(sum(map(ord, tree)))
    model = random_model(rng, TREES[tree])
    frame = f'tool_{model.body_count}'
    code = sd.generate_c(
        model, 'arm', order=order, quantities=QUANTITIES[:-2], frames=[frame, 'base']
    )
    compiled, n = Compiled(code, tmp_path), model.n
    for _ in range(3):
        jet = random_joint_jet(rng, n, order)
        got = compiled('inverse_dynamics', jet, shape=(order + 1, n))
        close(got, body_fixed.inverse_dynamics(model, jet))
        q, qd = jet[0], jet[1]
        closed = SystemMatrices(model, jet)
        close(compiled('mass_matrix', q, shape=(n, n)), closed.mass_matrix)
        close(compiled('gravity_forces', q, shape=(n,)), closed.gravity_forces)
        velocity_efforts = closed.coriolis_matrix @ qd
        bias = velocity_efforts + closed.gravity_forces
        close(compiled('bias_forces', q, qd, shape=(n,)), bias)
        close(compiled('coriolis_forces', q, qd, shape=(n,)), velocity_efforts)
        coriolis = compiled('coriolis_matrix', q, qd, shape=(n, n))
        close(coriolis, sd.coriolis_matrix(model, q, qd))
        close(coriolis @ qd, velocity_efforts)
        close(compiled(f'frame_pose_{frame}', q, shape=(4, 4)), sd.frame_pose(model, q, frame))
        close(compiled('frame_pose_base', q, shape=(4, 4)), np.eye(4))
        jacobian = compiled(f'frame_jacobian_{frame}', q, shape=(6, n))
        close(jacobian, sd.frame_jacobian(model, q, frame, 'hybrid'))


@pytest.mark.parametrize('representation', ['body', 'spatial', 'hybrid', 'mixed'])
def test_jacobians_have_the_chosen_representation(representation, tmp_path):
    rng = np.random.default_rng(7)
    model = random_model(rng, TREES['all types and branches'])
    code = sd.generate_c(
        model, quantities=['frame_jacobian'], frames=['tool_6'], representation=representation
    )
    q = rng.normal(size=model.n)
    got = Compiled(code, tmp_path)('frame_jacobian_tool_6', q, shape=(6, model.n))
    close(got, sd.frame_jacobian(model, q, 'tool_6', representation))


def test_self_test_agrees_and_finds_errors(tmp_path):
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    frame = [*model.frames][-1]
    code = sd.generate_c(model, 'arm', quantities=QUANTITIES[:-2], frames=[frame])
    write(code, tmp_path)
    build = [COMPILER, *STRICT, '-o', 'test', 'arm.c', 'arm_self_test.c', '-lm']
    subprocess.run(build, check=True, cwd=tmp_path)
    assert subprocess.run(['./test'], cwd=tmp_path, check=False).returncode == 0
    heavier = sd.generate_c(model.with_payload(frame, 1e-6), 'arm', quantities=QUANTITIES[:-2],
                            frames=[frame])  # fmt: skip
    write(heavier._replace(self_test=code.self_test), tmp_path)
    subprocess.run(build, check=True, cwd=tmp_path)
    assert subprocess.run(['./test'], cwd=tmp_path, check=False).returncode == 1


def test_self_test_finds_results_that_are_not_numbers(tmp_path):
    model = random_model(np.random.default_rng(3), 3)
    code = sd.generate_c(model, 'arm')
    write(code._replace(source=code.source.replace('= cos(', '= (double)NAN * cos(')), tmp_path)
    build = [COMPILER, *STRICT, '-o', 'test', 'arm.c', 'arm_self_test.c', '-lm']
    subprocess.run(build, check=True, cwd=tmp_path)
    ended = subprocess.run(['./test'], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert ended.returncode == 1 and 'WRONG' in ended.stdout


def test_code_needs_only_cos_and_sin_and_no_writable_data(tmp_path):
    model = random_model(np.random.default_rng(3), TREES['all types and branches'])
    code = sd.generate_c(model, quantities=QUANTITIES[:-2], frames=['tool_3'])
    write(code, tmp_path)
    command = [COMPILER, *STRICT, '-fno-builtin', '-O0', '-c', 'robot.c']
    subprocess.run(command, check=True, cwd=tmp_path)
    symbols = subprocess.run(
        ['nm', 'robot.o'], check=True, cwd=tmp_path, capture_output=True, text=True
    ).stdout.split('\n')
    kinds = [line.split()[-2:] for line in symbols if line]
    allowed = {'cos', 'sin', 'fabs', '_GLOBAL_OFFSET_TABLE_', '__stack_chk_fail'}
    assert {name for kind, name in kinds if kind == 'U'} <= allowed
    assert not [name for kind, name in kinds if kind in 'BbDdC']
    assert {name.startswith('robot_') for kind, name in kinds if kind == 'T'} == {True}


def exact(breaks, coefficients, end, t, rows):
    """The derivatives of the polynomial of the segment of t, by numpy."""
    segments, _, n = coefficients.shape
    i = int(np.searchsorted(breaks, t, side='right')) - 1
    jet = np.zeros((rows, n))
    if i < 0 or i >= segments:
        jet[0] = coefficients[0, 0] if i < 0 else end
        return jet
    h = breaks[i + 1] - breaks[i]
    for j in range(n):
        p = Polynomial(coefficients[i, :, j])
        for d in range(rows):
            jet[d, j] = (p.deriv(d) if d else p)((t - breaks[i]) / h) / h**d
    return jet


@pytest.mark.parametrize('order', [0, 4])
def test_jets_are_the_derivatives_of_the_segments(order, tmp_path):
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    code = sd.generate_c(model, 'arm', order=order, quantities=['reference'])
    compiled = Compiled(code, tmp_path)
    rng, rows = np.random.default_rng(order), order + 3
    for segments, degree in ((1, 1), (2, 5), (9, 7)):
        breaks = np.cumsum(rng.uniform(0.1, 1.0, segments + 1))
        coefficients = rng.normal(size=(segments, degree + 1, 7))
        end = rng.normal(size=7)
        times = [*breaks, breaks[0] - 1.0, breaks[-1] + 1.0, *(breaks[:-1] + 0.05)]
        for t in times:
            jet = np.full((rows, 7), np.nan)
            arguments = segments, degree + 1, breaks, coefficients, end, float(t), jet
            compiled.status('reference', *arguments)
            expected = exact(breaks, coefficients, end, t, rows)
            scale = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1.0)
            np.testing.assert_allclose(jet / scale, expected / scale, rtol=0.0, atol=BOUND)


def test_a_robot_at_rest_needs_no_segment(tmp_path):
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    compiled = Compiled(sd.generate_c(model, quantities=['reference']), tmp_path)
    breaks, nothing, end = np.zeros(1), np.zeros(1), np.array([0.5, -1.5])
    jet = np.full((5, 2), np.nan)
    compiled.status('reference', 0, 1, breaks, nothing, end, -1.0, jet)
    assert (jet[0] == end).all() and not jet[1:].any()
