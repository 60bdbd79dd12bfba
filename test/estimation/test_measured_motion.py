# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives from noisy samples: known motions, coverage of the bands, odd recordings."""

import math

import numpy as np
import pytest
from scipy.linalg import solve_triangular
from sine_motions import sines

from screw_dynamics.estimation import measured_motion


def wiener_posterior(times, samples, at, noise, wander):
    """
    Return mean and covariance of the position and its derivatives under the exact model.

    Gaussian conditioning with full matrices: four times integrated Wiener process plus a
    polynomial of degree 4 without prior; no spline in sight.
    """
    nodes, weights = np.polynomial.legendre.leggauss(12)

    def kernel(s, t, d):
        """Covariance of the d-th derivative at s with the value at t."""
        end = np.minimum(s, t)
        u = 0.5 * end[..., None] * (nodes + 1.0)
        left = (s[..., None] - u) ** (4 - d) / math.factorial(4 - d)
        right = (t[..., None] - u) ** 4 / math.factorial(4)
        return wander * 0.5 * end * (left * right * weights).sum(axis=-1)

    def polynomials(t, d):
        rows = [math.perm(k, d) * t ** max(k - d, 0) if k >= d else 0 * t for k in range(5)]
        return np.stack(rows, axis=-1)

    data = kernel(times[:, None], times[None, :], 0) + noise**2 * np.eye(len(times))
    # by factors, which are backward stable: an inverse would cost the small posterior its digits
    root = np.linalg.cholesky(data)

    def white(columns):
        return solve_triangular(root, columns, lower=True)

    basis, values = white(polynomials(times, 0)), white(samples)
    orthogonal, upper = np.linalg.qr(basis)
    beta = solve_triangular(upper, orthogonal.T @ values)
    means, deviations = [], []
    for d in range(5):
        cross = white(kernel(at[:, None], times[None, :], d).T)
        left = polynomials(at, d) - cross.T @ basis
        means.append(polynomials(at, d) @ beta + cross.T @ (values - basis @ beta))
        # variance of the derivative itself: integral of ((s - u)^(4 - d) / (4 - d)!)^2
        prior = wander * at ** (9 - 2 * d) / ((9 - 2 * d) * math.factorial(4 - d) ** 2)
        flat = solve_triangular(upper, left.T, trans='T')
        deviations.append(np.sqrt(prior - (cross**2).sum(axis=0) + (flat**2).sum(axis=0)))
    return np.array(means).T, np.array(deviations).T


def test_the_model_is_an_integrated_wiener_process_plus_noise(rng):
    """Against Gaussian conditioning without any spline, for a given smoothness."""
    times = np.sort(rng.uniform(0.0, 1.0, 150))
    samples = np.sin(5 * times) + 0.01 * rng.normal(size=150)
    motion = measured_motion(times, samples[:, None], smoothing_time=0.06)
    spline = motion.splines[0]
    step = (times[-1] - times[0]) / 150  # samples per time
    wander = spline.noise**2 * step / spline.smoothing_time**10
    at = np.linspace(0.1, 0.9, 7)
    means, deviations = wiener_posterior(
        times - times[0], samples, at - times[0], spline.noise, wander
    )
    ratio = motion.standard_deviations(at)[:, :, 0] / deviations
    np.testing.assert_allclose(ratio[:, :4], 1.0, atol=0.006)
    np.testing.assert_allclose(ratio[:, 4], 1.0, atol=0.09)
    gap = np.abs(motion.jets(at)[:, :, 0] - means) / deviations
    assert gap.max() < 0.01


def test_known_derivatives_lie_within_the_bands(rng):
    rates, noise = [1.0, 3.0, 7.0], np.array([1e-6, 1e-4, 1e-2])
    times = np.sort(rng.uniform(0.0, 10.0, 4000))
    samples = sines(times, rates, 1)[:, 0] + noise * rng.normal(size=(4000, 3))
    motion = measured_motion(times, samples)
    np.testing.assert_allclose(motion.noise, noise, rtol=0.05)
    at = np.linspace(motion.start, motion.end, 1500)
    score = (motion.jets(at) - sines(at, rates)) / motion.standard_deviations(at)
    covered = (np.abs(score) < 2.0).mean(axis=0)
    assert covered.min() > 0.9
    # nor are the bands absurdly wide
    assert np.sqrt((score**2).mean(axis=0))[:4].min() > 0.3
    relative = np.abs(motion.jets(at) - sines(at, rates)).mean(axis=0) / np.abs(
        sines(at, rates)
    ).mean(axis=0)
    assert relative[1].max() < 0.01 and relative[2].max() < 0.03


@pytest.mark.parametrize('wander', [pytest.param(10.0, marks=pytest.mark.long), 1e4])
def test_bands_cover_what_the_model_itself_draws(rng, wander):
    """Calibration: jets of random motions of the assumed kind, all instants together."""
    scores = []
    step, count, noise = 0.005, 1200, 1e-3
    # exact steps of the integrated Wiener process
    lags = np.arange(5)
    factorials = np.array([math.factorial(k) for k in range(9)], dtype=float)
    transition = np.array(
        [[step ** (j - i) / factorials[j - i] if j >= i else 0.0 for j in lags] for i in lags]
    )
    power = 9 - lags[:, None] - lags
    spread = wander * step**power / (power * factorials[4 - lags][:, None] * factorials[4 - lags])
    # scaled to a well-conditioned matrix before it is factorised
    scale = step ** (4.5 - lags)
    root = scale[:, None] * np.linalg.cholesky(spread / np.outer(scale, scale))
    for _ in range(12):
        state, states = rng.normal(size=5), []
        for _ in range(count):
            states.append(state)
            state = transition @ state + root @ rng.normal(size=5)
        jets = np.array(states)
        times = step * np.arange(count)
        motion = measured_motion(times, jets[:, :1] + noise * rng.normal(size=(count, 1)))
        found = motion.jets(times)[:, :, 0] - jets
        scores.append(found / motion.standard_deviations(times)[:, :, 0])
    rms = np.sqrt((np.array(scores) ** 2).mean(axis=(0, 1)))
    assert (rms > 0.8).all() and (rms < 1.25).all(), rms


def ringing(rng, count, seconds):
    """
    Return jets q to q''' (T, 4, count) of links behind springs of 3 to 8 Hz, 500 Hz.

    Their motors follow sums of sines; friction that breaks away makes the links ring.
    """
    rate = 2.0 * np.pi * rng.uniform(3.0, 8.0, count)
    sizes, speeds = rng.uniform(0.2, 0.6, (3, count)), rng.uniform(0.5, 4.0, (3, count))
    phases = rng.uniform(0.0, 2.0 * np.pi, (3, count))
    rotor, dry = rng.uniform(0.2, 0.6, count), rng.uniform(0.5, 2.0, count)  # over the link's
    step, control = 5e-4, 2.0 * np.pi * 6.0

    def pull(q, v, motor, speed):
        return rate**2 * (motor - q) + 0.02 * rate * (speed - v)

    def slope(t, x):
        q, v, motor, speed = x
        angles = speeds * t + phases
        wanted, wanted_speed, wanted_rate = (
            (sizes * speeds**d * np.sin(angles + d * np.pi / 2.0)).sum(axis=0) for d in range(3)
        )
        effort = rotor * control * (control * (wanted - motor) + 1.4 * (wanted_speed - speed))
        effort += (1.0 + rotor) * wanted_rate
        effort -= np.tanh(speed / 2e-3) * dry * (1.0 + 0.5 * np.exp(-((speed / 0.05) ** 2)))
        return np.array([v, pull(*x), speed, (effort - pull(*x)) / rotor])

    x, rows = np.zeros((4, count)), []
    for k in range(round(seconds / step)):
        t, first = k * step, slope(k * step, x)
        if k % 4 == 0:
            rows.append([x[0], x[1], first[1], pull(x[1], first[1], x[3], first[3])])
        second = slope(t + 0.5 * step, x + 0.5 * step * first)
        third = slope(t + 0.5 * step, x + 0.5 * step * second)
        last = slope(t + step, x + step * third)
        x = x + step / 6.0 * (first + 2.0 * second + 2.0 * third + last)
    return np.array(rows)[500:]


@pytest.mark.long
def test_bands_hold_for_arms_that_ring(rng):
    """With one smoothness for the whole recording they cover 85 % to 90 %."""
    jets = ringing(rng, 8, 5.0)
    times = 2e-3 * np.arange(len(jets))
    motion = measured_motion(times, jets[:, 0] + 1e-4 * rng.normal(size=jets[:, 0].shape))
    scores = (motion.jets(times, 4) - jets) / motion.standard_deviations(times, 4)
    covered = (np.abs(scores[50:-50]) < 1.96).mean(axis=(0, 2))
    assert covered.min() > 0.93 and covered.max() < 0.97, covered


def test_a_given_smoothing_time_is_used(rng):
    times = np.linspace(0.0, 2.0, 400)
    samples = sines(times, [2.0], 1)[:, 0] + 1e-3 * rng.normal(size=(400, 1))
    motion = measured_motion(times, samples, smoothing_time=0.1)
    assert motion.smoothing_times == pytest.approx([0.1], rel=1e-12)
    left = (samples - motion.jets(times, 1)[:, 0])[:, 0]
    assert motion.correlations == pytest.approx([left[1:] @ left[:-1] / (left @ left)])
