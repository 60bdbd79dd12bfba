# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of springs and motors: damped deflections, spring series, commands."""

from __future__ import annotations

import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, UnknownNameError
from screw_dynamics.kernels.drives.damped import weights
from screw_dynamics.kernels.series import tanh

K = 200.0


def exact_weights(x: float, count: int) -> np.ndarray:
    with mpmath.workdps(50 + int(x > 1.0) * 20):
        z = mpmath.mpf(x)
        values = [mpmath.exp(-z)]
        for k in range(1, count):
            # int_0^1 e^{-(1-u) x} u^{k-1} / (k-1)! du, Kummer's function without the factor
            values.append(mpmath.hyp1f1(1, k + 1, -z) / mpmath.factorial(k))
        return np.array([float(value) for value in values])


def test_weights_keep_all_digits():
    edges = [0.0, 19.999999, 20.0, np.nextafter(20.0, 0.0)]
    for x in [*np.logspace(-12, 8, 41), *edges]:
        result = np.empty(13)
        weights(x, result)
        expected = exact_weights(x, 13)
        np.testing.assert_allclose(result[1:], expected[1:], rtol=4e-15, err_msg=str(x))
        assert result[0] == pytest.approx(expected[0], rel=1e-15)


def one_joint(damping: float, rows: int = 5, deflection: float | None = None):
    model = random_model(np.random.default_rng(1), 1)
    joint = sd.JointDrive(sd.LinearSpring(K, damping))
    start = None if deflection is None else {'joint_1': deflection}
    drives = sd.Drives({'joint_1': joint})
    return sd.DeflectionFilter(sd.Robot(model, drives), rows=rows, deflection=start)


def sine_jet(t: float, rows: int, w: float = 6.0) -> np.ndarray:
    return np.array([[30.0 * w**k * np.sin(w * t + k * np.pi / 2.0)] for k in range(rows)])


def sine_response(t: float, constant: float, rows: int, w: float = 6.0) -> np.ndarray:
    """The steady response of K phi + d phi' = 30 sin wt, and its derivatives."""
    gain = 30.0 / K / (1.0 + 1j * w * constant)
    return np.array([((1j * w) ** k * gain * np.exp(1j * w * t)).imag for k in range(rows)])


@pytest.mark.parametrize('rows', [4, 6])
@pytest.mark.parametrize('exponent', [-12, -6, -3, 0, 1])
def test_a_sine_is_followed_at_any_time_constant(exponent, rows):
    constant, h = 10.0**exponent, 1e-3
    start = float(sine_response(0.0, constant, 1)[0])
    damper = one_joint(constant * K, rows, start)
    for i in range(400):
        phi = damper.step(sine_jet(h * i, rows - 2), h)[:, 0]
    expected = sine_response(h * 399, constant, len(phi))
    size = 30.0 / K / np.hypot(1.0, 6.0 * constant) * 6.0 ** np.arange(len(phi))
    errors = np.abs(phi - expected) / size
    # the last derivative is one order above the efforts that are known
    known, last = (1e-9, 3e-6) if rows == 4 else (2e-11, 4e-8)
    assert errors[:-1].max() < known and errors[-1] < last, errors


def test_polynomials_are_exact(rng):
    # the effort is of degree 5: what three rows at both ends determine
    constant, h = 0.02, 0.05
    power = np.polynomial.Polynomial(rng.normal(size=6))
    tau = [power.deriv(k) if k else power for k in range(7)]

    def response(t, k):
        return sum((-constant) ** j * tau[j + k](t) for j in range(6 - k)) / K

    start = 0.7
    damper = one_joint(constant * K, 5, start)
    lag = start - response(0.0, 0)
    for i in range(8):
        phi = damper.step([[tau[k](h * i)] for k in range(3)], h)[:3, 0]
        decay = lag * np.exp(-h * i / constant)
        expected = [response(h * i, k) + decay / (-constant) ** k for k in range(3)]
        np.testing.assert_allclose(phi, expected, rtol=1e-11)


def test_the_derivatives_obey_the_equation(rng):
    damper = one_joint(K * 0.05)
    for i in range(50):
        # jumps of the effort too
        jet = sine_jet(0.01 * i, 3) + (i > 20) * rng.normal(size=(3, 1))
        phi = damper.step(jet, 0.01)[:, 0]
        np.testing.assert_allclose(K * (phi[0] + 0.05 * phi[1]), jet[0, 0], rtol=0, atol=1e-11)
        np.testing.assert_allclose(
            K * (phi[1] + 0.05 * phi[2]), jet[1, 0], rtol=0, atol=1e-6 * np.abs(jet).max()
        )


@given(st.floats(0.0, 1.0), st.floats(1e-6, 10.0), st.floats(0.0, 1.0))
def test_a_step_in_two_parts_is_a_step(share, constant, h):
    jet = np.array([[3.0], [-2.0], [5.0]])

    def at(s):
        return np.array([jet[0] + s * jet[1] + s * s / 2 * jet[2], jet[1] + s * jet[2], jet[2]])

    whole, parts = one_joint(constant * K, 5, 0.1), one_joint(constant * K, 5, 0.1)
    for damper in (whole, parts):
        damper.step(jet, 0.0)
    parts.step(at(share * h), share * h)
    one, other = whole.step(at(h), h), parts.step(at(h), h - share * h)
    scale = 0.1 / min(constant, 1.0) ** np.arange(3)
    assert (np.abs(one - other)[:3, 0] <= 1e-9 * scale).all()


def test_the_start_is_quasi_steady_at_rest_and_in_motion():
    rest = one_joint(K * 0.3).step([[40.0], [0.0], [0.0]], 0.0)
    np.testing.assert_array_equal(rest[:, 0], [0.2, 0.0, 0.0, 0.0])
    constant = 1e-3
    moving = one_joint(K * constant).step(sine_jet(0.2, 3), 0.0)[:3, 0]
    expected = sine_response(0.2, constant, 3)
    # the first neglected term of the series, (wT)^(3 - k)
    size = np.abs(expected).max() * 6.0 ** np.arange(3) * 0.006 ** np.arange(3, 0, -1)
    assert (np.abs(moving - expected) < 2.0 * size).all()


def test_a_given_start_and_a_reset(rng):
    jet = rng.normal(size=(3, 1))
    damper = one_joint(K * 0.1, 5, 0.4)
    first = damper.step(jet, 0.0)[:, 0].copy()
    rate = (jet[0, 0] - K * 0.4) / (K * 0.1)
    np.testing.assert_allclose(first[:3], [0.4, rate, (jet[1, 0] - K * rate) / (K * 0.1)])
    damper.step(2.0 * jet, 0.1)
    damper.reset({'joint_1': 0.4})
    np.testing.assert_array_equal(damper.step(jet, 7.0)[:, 0], first)


def test_no_step_changes_nothing():
    damper = one_joint(K * 0.1)
    damper.step(sine_jet(0.0, 3), 0.0)
    before = damper.step(sine_jet(0.1, 3), 0.1).copy()
    np.testing.assert_array_equal(damper.step(sine_jet(0.1, 3), 0.0), before)


def test_unusable_arguments_are_named():
    damper = one_joint(1.0)
    for h in (-1e-9, np.nan, np.inf, 'a', None):
        with pytest.raises(InputError, match='h: expected a finite number of 0 or more'):
            damper.step(np.zeros((3, 1)), h)
    with pytest.raises(ShapeError, match=r'effort_jet: expected shape \(3, 1\), got \(2, 1\)'):
        damper.step(np.zeros((2, 1)), 0.1)
    with pytest.raises(NotFiniteError, match='effort_jet'):
        damper.step(np.full((3, 1), np.nan), 0.1)
    with pytest.raises(UnknownNameError, match="unknown damped joint 'elbow': .* joint_1"):
        damper.reset({'elbow': 0.0})
    with pytest.raises(NotFiniteError, match=r"deflection\['joint_1'\]"):
        damper.reset({'joint_1': np.nan})
    with pytest.raises(ShapeError, match=r"deflection\['joint_1'\]"):
        damper.reset({'joint_1': [0.0, 1.0]})
    with pytest.raises(InputError, match='deflection: expected a mapping .*, got list'):
        damper.reset([0.0])
    with pytest.raises(InputError, match='rows: expected a whole number of 4 or more, got 3'):
        one_joint(1.0, 3)
    with pytest.raises(InputError, match='drives: expected Drives, got dict'):
        sd.DeflectionFilter(sd.Robot(random_model(np.random.default_rng(1), 1), {}))


@pytest.mark.parametrize('start', [0.0, 0.3, -2.0, 20.0, -40.0, 300.0])
def test_every_digit_of_the_saturated_law(start):
    u = np.array([start, 1.5, -0.4, 0.2, 0.1])
    result, slope = np.empty(5), np.empty(5)
    tanh(u, result, slope)
    with mp.workdps(320):

        def argument(t):
            return mp.fsum(mpf(x) * t**k for k, x in enumerate(u))

        expected = mp.taylor(lambda t: mp.tanh(argument(t)), 0, 4)
        slopes = mp.taylor(lambda t: mp.sech(argument(t)) ** 2, 0, 4)
    scale = float(abs(expected[1]))
    np.testing.assert_allclose(result[0], float(expected[0]), rtol=1e-15)
    np.testing.assert_allclose(
        result[1:], [float(x) for x in expected[1:]], rtol=1e-12, atol=1e-13 * scale
    )
    np.testing.assert_allclose(slope, [float(x) for x in slopes], rtol=1e-12, atol=1e-13 * scale)


@pytest.mark.parametrize('start', [-1e4, 1e300])
def test_nothing_overflows(start):
    result, slope = np.empty(3), np.empty(3)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        tanh(np.array([start, 1.0, 1.0]), result, slope)
    np.testing.assert_array_equal(result, [np.sign(start), 0.0, 0.0])
    assert not slope.any()
