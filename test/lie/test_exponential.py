# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Exponential, logarithm and dexp for scalars of every type, also near 0 and pi."""

from __future__ import annotations

import gmpy2
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import taylor
from scalar_kinds import (
    ANGLES,
    DIGITS,
    FLOAT,
    KINDS,
    LENGTHS,
    MPF,
    as_mpf,
    derivatives,
    directions,
    twists,
)
from scipy.spatial.transform import Rotation

from screw_dynamics.lie import (
    adjoint,
    axis_angle_rotation,
    dexp_inverse_se3,
    dexp_inverse_so3,
    dexp_se3,
    dexp_so3,
    exp_screw,
    exp_se3,
    exp_so3,
    inverse_pose,
    is_rotation,
    log_se3,
    log_so3,
    skew,
    twist_cross,
    vee,
)
from screw_dynamics.lie.scalars import stumpff
from screw_dynamics.series import Series, taylor_coefficients

# rotation vectors longer than pi, too, but not near 2 pi, where dexp is singular
LONG_ANGLES = st.one_of(ANGLES, st.floats(3.0, 5.5))


def twist_matrix(twist: np.ndarray) -> np.ndarray:
    matrix = np.zeros((4, 4), twist.dtype)
    matrix[:3, :3] = skew(twist[:3])
    matrix[:3, 3] = twist[3:]
    return matrix


def twist_of(matrix: np.ndarray) -> np.ndarray:
    return np.concatenate([vee(matrix[:3, :3]), matrix[:3, 3]])


@KINDS
@settings(max_examples=8)
@given(twist=twists())
def test_the_logarithm_inverts_the_exponential(kind, twist):
    x = kind.make(twist)
    kind.assert_close(log_se3(exp_se3(x)), x)
    kind.assert_close(log_so3(exp_so3(x[:3])), x[:3])


@settings(max_examples=8)
@given(twist=twists(LONG_ANGLES))
def test_fifty_digits_agree_with_the_matrix_exponential(twist):
    x = as_mpf(twist)
    with mpmath.workdps(DIGITS + 20):
        reference = np.array(mpmath.expm(mpmath.matrix(twist_matrix(x))).tolist(), object)
    MPF.assert_close(exp_se3(x), reference)


@given(angle=LONG_ANGLES, axis=directions(), point=directions(), pitch=LENGTHS)
def test_a_joint_screw_has_the_same_exponential(angle, axis, point, pitch):
    moment = np.cross(point, axis)
    for screw in (
        np.r_[axis, moment],
        np.r_[axis, moment + pitch * axis],
        np.r_[np.zeros(3), axis],
    ):
        FLOAT.assert_close(exp_screw(screw, angle), exp_se3(angle * screw))
    np.testing.assert_allclose(axis_angle_rotation(axis, angle), exp_so3(angle * axis), atol=1e-14)


@given(
    defect=st.sampled_from([0.0, 1e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-4]), axis=directions()
)
def test_the_logarithm_is_exact_near_half_a_turn(defect, axis):
    """The angle keeps its digits, and so does the axis, up to the sign of both at half a turn."""
    rotation = axis_angle_rotation(axis, np.pi - defect)
    found = log_so3(rotation)
    expected = np.pi - defect
    assert np.linalg.norm(found) == pytest.approx(expected, abs=2e-15)
    error = found - expected * axis
    if defect <= 1e-15:
        error = min(error, found + expected * axis, key=np.linalg.norm)
    assert np.abs(error).max() <= 4e-15


@given(seed=st.integers(0, 2**32 - 1))
def test_the_logarithm_of_a_rounded_rotation_is_that_of_a_nearby_one(seed):
    rng = np.random.default_rng(seed)
    matrix = Rotation.from_quat(rng.normal(size=4)).as_matrix()
    printed = matrix.round(9)
    # in general half a unit of the ninth digit per entry; near half a turn the sign may change
    error = exp_so3(log_so3(printed)) - matrix
    assert np.abs(error).max() < 1e-8
    assert is_rotation(exp_so3(log_so3(printed)), 1e-14)


@KINDS
@settings(max_examples=8)
@given(twist=twists(LONG_ANGLES))
def test_dexp_and_its_inverse_multiply_to_the_identity(kind, twist):
    x = kind.make(twist)
    # the condition number grows like 1 / (2 pi - angle)
    kind.assert_close(dexp_so3(x[:3]) @ dexp_inverse_so3(x[:3]), np.eye(3), 20.0)
    kind.assert_close(dexp_inverse_se3(x) @ dexp_se3(x), np.eye(6), 400.0)


@given(twist=twists(LONG_ANGLES), rate=twists())
def test_dexp_is_the_derivative_of_the_exponential_by_complex_steps(twist, rate):
    step = 1e-100
    derivative = exp_se3(twist + 1j * step * rate).imag / step
    # right-trivialised: C' C^-1
    spatial = twist_of(derivative @ inverse_pose(exp_se3(twist)))
    scale = 1.0 + np.abs(twist).max() * np.abs(rate).max()
    np.testing.assert_allclose(spatial, dexp_se3(twist) @ rate, atol=1e-13 * scale)
    body = twist_of(inverse_pose(exp_se3(twist)) @ derivative)
    np.testing.assert_allclose(body, dexp_se3(-twist) @ rate, atol=1e-13 * scale)


@settings(max_examples=8)
@given(rate=twists())
def test_series_agree_with_series_of_matrices(rate):
    jet = np.array([np.zeros(6), rate, np.cos(np.arange(6.0)), np.sin(np.arange(6.0))])
    x = np.array([Series(column) for column in taylor_coefficients(jet).T.tolist()])
    rows = np.array([twist_matrix(row) for row in taylor_coefficients(jet)])
    expected = powers = np.concatenate([[np.eye(4)], np.zeros((3, 4, 4))])
    for j in range(1, 4):  # the j-th power has no terms below t^j
        expected = expected + (powers := taylor.product(powers, rows) / j)
    found = taylor_coefficients(derivatives(exp_se3(x)))
    np.testing.assert_allclose(found, expected.astype(float), atol=1e-12)
    opposite = taylor_coefficients(derivatives(exp_se3(-x)))
    identity = taylor.product(opposite, expected).astype(float)
    np.testing.assert_allclose(identity[0], np.eye(4), atol=1e-12)
    np.testing.assert_allclose(identity[1:], 0.0, atol=1e-12)


@KINDS
@settings(max_examples=8)
@given(twist=twists(LONG_ANGLES))
def test_dexp_integrates_the_adjoint(kind, twist):
    """ad_X dexp_X = Ad_exp(X) - I, and dexp_X = Ad_exp(X) dexp_(-X)."""
    x = kind.make(twist)
    ad = adjoint(exp_se3(x))
    kind.assert_close(twist_cross(x) @ dexp_se3(x), ad - np.eye(6), 10.0)
    kind.assert_close(ad @ dexp_se3(-x), dexp_se3(x), 10.0)


@pytest.mark.parametrize('s', [0.0, 1e-300, 1e-20, 1e-3, 0.5, 0.999999, 1.0, 1.000001, 9.8, 30.0])
def test_stumpff_functions_agree_with_their_power_series(s):
    reference = [
        mpmath.nsum(lambda j, k=k: (-mpmath.mpf(s)) ** j / mpmath.factorial(k + 2 * j), [0, 40])
        for k in range(7)
    ]
    exact = stumpff(mpmath.mpf(s), 6)
    for k, (found, rounded) in enumerate(zip(exact, stumpff(s, 6), strict=True)):
        # absolute errors of closed forms are divided by s >= 1 and not amplified
        assert abs(found - reference[k]) < mpmath.mpf(10) ** (2 - DIGITS)
        assert abs(rounded - float(reference[k])) <= 4e-16, k


def test_scalars_of_gmpy2():
    twist = np.arange(1.0, 7.0) / 8.0
    with gmpy2.context(precision=170):
        x = np.array([gmpy2.mpfr(value) for value in twist.tolist()])
        assert all(abs(error) < 1e-49 for error in log_se3(exp_se3(x)) - x)
        digits = [mpmath.mpf(str(entry)) for entry in exp_se3(x).ravel()]
    assert all(abs(error) < 1e-47 for error in exp_se3(as_mpf(twist)).ravel() - digits)


def test_a_type_without_elementary_functions_is_named():
    with pytest.raises(TypeError, match='^expected a scalar type with sin, got str$'):
        axis_angle_rotation(np.array([0.0, 0.0, 1.0]), np.array('x', object))


def test_symbolic_rotations():
    sympy = pytest.importorskip('sympy')
    q, h = sympy.symbols('q h', real=True)
    screw = np.array([0, 0, 1, 0, 0, h], object)
    expected = [
        [sympy.cos(q), -sympy.sin(q), 0, 0],
        [sympy.sin(q), sympy.cos(q), 0, 0],
        [0, 0, 1, h * q],
        [0, 0, 0, 1],
    ]
    assert sympy.simplify(
        sympy.Matrix(exp_screw(screw, q)) - sympy.Matrix(expected)
    ).is_zero_matrix
    general = np.array(sympy.symbols('x:6', real=True), object)
    point = dict(zip(general, [sympy.Rational(k + 1, 5) for k in range(6)], strict=True))
    numbers = np.arange(1.0, 7.0) / 5.0
    value = sympy.Matrix(dexp_inverse_se3(general)).subs(point).evalf(20)
    np.testing.assert_allclose(np.array(value, float), dexp_inverse_se3(numbers), atol=1e-14)
    # exact at the identity, too
    zero = np.array([sympy.Integer(0)] * 6, object)
    assert (exp_se3(zero) == np.eye(4, dtype=object)).all()
    assert (log_se3(exp_se3(zero)) == 0).all()
