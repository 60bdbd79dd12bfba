# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives from noisy samples: known motions, coverage of the bands, odd recordings."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, TrajectoryError
from screw_dynamics.trajectory import measured_motion


def sines(times, rates, rows=5):
    """Return (T, rows, n) jets of sine motions."""
    shifts = np.arange(rows) * np.pi / 2
    rates = np.asarray(rates, dtype=float)
    angles = times[:, None, None] * rates + shifts[:, None] + 0.3 * rates
    return rates ** np.arange(rows)[:, None] * np.sin(angles)


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
    basis = polynomials(times, 0)
    inverse = np.linalg.inv(data)
    flat = np.linalg.inv(basis.T @ inverse @ basis)
    beta = flat @ basis.T @ inverse @ samples
    means, deviations = [], []
    for d in range(5):
        cross = kernel(at[:, None], times[None, :], d)
        left = polynomials(at, d) - cross @ inverse @ basis
        means.append(polynomials(at, d) @ beta + cross @ inverse @ (samples - basis @ beta))
        # variance of the derivative itself: integral of ((s - u)^(4 - d) / (4 - d)!)^2
        prior = wander * at ** (9 - 2 * d) / ((9 - 2 * d) * math.factorial(4 - d) ** 2)
        spread = prior - np.einsum('ti,ij,tj->t', cross, inverse, cross)
        deviations.append(np.sqrt(spread + np.einsum('ti,ij,tj->t', left, flat, left)))
    return np.array(means).T, np.array(deviations).T


def test_the_model_is_an_integrated_wiener_process_plus_noise(rng):
    """Against Gaussian conditioning without any spline, for the smoothness that was chosen."""
    times = np.sort(rng.uniform(0.0, 1.0, 150))
    samples = np.sin(5 * times) + 0.01 * rng.normal(size=150)
    motion = measured_motion(times, samples[:, None])
    spline = motion.splines[0]
    step = (times[-1] - times[0]) / 150  # samples per time
    wander = spline.noise**2 * step / spline.smoothing_time**10
    at = np.linspace(0.1, 0.9, 7)
    means, deviations = wiener_posterior(
        times - times[0], samples, at - times[0], spline.noise, wander
    )
    ratio = motion.standard_deviations(at)[:, :, 0] / deviations
    np.testing.assert_allclose(ratio[:, :4], 1.0, atol=0.01)
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


@pytest.mark.parametrize('wander', [10.0, 1e4])
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


def test_disorder_repeats_and_two_samples_at_one_instant(rng):
    times = np.linspace(0.0, 2.0, 300)
    samples = sines(times, [2.0], 1)[:, 0] + 1e-4 * rng.normal(size=(300, 1))
    expected = measured_motion(times, samples)
    shuffled = rng.permutation(300)
    again = np.concatenate((shuffled, shuffled[:40]))
    motion = measured_motion(times[again], samples[again])
    assert (motion.sample_count, motion.repeated) == (300, 40) and motion.disordered > 50
    np.testing.assert_array_equal(motion.jets(times), expected.jets(times))
    twice = measured_motion(
        np.repeat(times, 2), np.repeat(samples, 2, axis=0) + [[1e-5], [-1e-5]] * 300
    )
    assert twice.sample_count == 600
    np.testing.assert_allclose(twice.jets(times, 2), expected.jets(times, 2), atol=1e-2)


STAMPS = {
    'even': lambda rng, n: np.linspace(0.0, 1.0, n),
    'clocks of today': lambda rng, n: 1.7e9 + 1e-3 * np.arange(n),
    'random': lambda rng, n: 10 ** rng.uniform(-3, 3) * rng.uniform(0.0, 1.0, n),
    'rounded': lambda rng, n: np.round(rng.uniform(0.0, 5.0, n), 2),
    'disordered': lambda rng, n: 0.01 * np.arange(n) + rng.normal(0.0, 0.01, n),
    'bursts': lambda rng, n: np.sort(0.1 * rng.integers(0, n // 4 + 4, n) + 1e-4 * np.arange(n)),
}
MOTIONS = {
    'noise': lambda rng, t: rng.normal(size=len(t)),
    'sine': lambda rng, t: np.sin(20 * t),
    'step': lambda rng, t: (t > 0.5) * 1.0,
    'still': lambda rng, t: np.ones(len(t)),
    'stairs': lambda rng, t: np.round(np.sin(9 * t), 2),
}


@given(
    st.sampled_from(sorted(STAMPS)),
    st.sampled_from(sorted(MOTIONS)),
    st.integers(40, 300),
    st.floats(-9.0, 6.0),
    st.integers(0, 2**32 - 1),
)
def test_any_recording_gives_finite_numbers(stamps, motion, count, exponent, seed):
    rng = np.random.default_rng(seed)
    times = STAMPS[stamps](rng, count)
    parts = (times - times.min()) / np.ptp(times)
    samples = 10.0**exponent * MOTIONS[motion](rng, parts)
    found = measured_motion(times, samples[:, None])
    at = np.linspace(found.start, found.end, 40)
    assert np.isfinite(found.jets(at)).all()
    assert np.isfinite(found.standard_deviations(at)).all()
    assert (found.noise >= 0.0).all() and (found.smoothing_times > 0.0).all()


def test_it_beats_differences_of_the_samples(rng):
    """What the estimate is for: five-point differences of an encoder's positions are noise."""
    step, noise = 1e-3, 2e-5
    times = step * np.arange(3000)
    truth = sines(times, [4.0])
    samples = truth[:, 0] + noise * rng.normal(size=(3000, 1))
    found = measured_motion(times, samples).jets(times)
    for d in range(2, 5):
        differences = np.diff(samples[:, 0], d) / step**d
        error = np.abs(found[50:-50, d, 0] - truth[50:-50, d, 0]).max()
        assert np.abs(differences - truth[: len(differences), d, 0]).max() > 1000 * error


def test_turns_of_continuous_joints_are_undone(rng):
    times = np.linspace(0.0, 4.0, 500)
    turning = np.column_stack((3.0 * times, -5.0 * times + np.sin(times)))
    turning += 1e-3 * rng.normal(size=turning.shape)
    wrapped = (turning + np.pi) % (2 * np.pi) - np.pi
    motion = measured_motion(times, wrapped, continuous=[True, True])
    np.testing.assert_allclose(motion.jets(times)[:, 1, 0], 3.0, atol=0.05)
    limited = measured_motion(times, turning, continuous=[False, False])
    np.testing.assert_allclose(
        motion.jets(times)[:, 1:], limited.jets(times)[:, 1:], rtol=1e-6, atol=1e-6
    )


def test_joints_that_stand_still_and_motions_without_noise():
    times = np.linspace(0.0, 1.0, 200)
    still = np.full(200, 1.25)
    motion = measured_motion(times, np.column_stack((still, still * 0.0, np.sin(4 * times))))
    jets = motion.jets(times)
    np.testing.assert_allclose(jets[:, 0, 0], 1.25, rtol=1e-15)
    assert np.abs(jets[:, 1:, :2]).max() == 0.0
    assert np.abs(jets[20:-20, 2, 2] + 16 * np.sin(4 * times[20:-20])).max() < 1e-6
    assert np.isfinite(motion.standard_deviations(times)).all()


def test_gaps_widen_the_bands(rng):
    times = np.concatenate((np.linspace(0, 1, 300), np.linspace(1.4, 2.4, 300)))
    samples = sines(times, [6.0], 1)[:, 0] + 1e-3 * rng.normal(size=(600, 1))
    deviations = measured_motion(times, samples).standard_deviations([0.7, 1.2])[:, :, 0]
    assert (deviations[1] > [20, 4, 4, 2, 1.3] * deviations[0]).all()


def test_a_given_smoothing_time_is_used(rng):
    times = np.linspace(0.0, 2.0, 400)
    samples = sines(times, [2.0], 1)[:, 0] + 1e-3 * rng.normal(size=(400, 1))
    motion = measured_motion(times, samples, smoothing_time=0.1)
    assert motion.smoothing_times == pytest.approx([0.1], rel=1e-12)
    chosen = measured_motion(times, samples)
    same = measured_motion(times, samples, smoothing_time=float(chosen.smoothing_times[0]))
    gap = np.abs(same.jets(times) - chosen.jets(times)) / chosen.standard_deviations(times)
    assert gap.max() < 0.3


def test_a_long_recording_takes_seconds(rng):
    times = np.linspace(0.0, 100.0, 100_000)
    samples = sines(times, [2.0, 5.0], 1)[:, 0] + 1e-4 * rng.normal(size=(100_000, 2))
    begin = time.process_time()
    motion = measured_motion(times, samples)
    motion.standard_deviations(times[::10])
    assert time.process_time() - begin < 30.0
    assert (
        np.abs(motion.jets([50.0])[0, 1] - sines(np.array([50.0]), [2.0, 5.0])[0, 1]).max() < 2e-3
    )


@pytest.mark.parametrize(
    ('arguments', 'options', 'error', 'text'),
    [
        ((np.arange(11.0), np.zeros((11, 1))), {}, TrajectoryError, '12 instants or more.*got 11'),
        ((np.zeros(50), np.zeros((50, 1))), {}, TrajectoryError, 'got 1'),
        (([], np.zeros((0, 1))), {}, TrajectoryError, 'got 0'),
        ((np.arange(20.0), np.zeros(20)), {}, ShapeError, 'a row per time'),
        ((np.arange(20.0), np.zeros((19, 1))), {}, ShapeError, 'a row per time'),
        ((np.arange(20.0), np.full((20, 1), np.nan)), {}, NotFiniteError, 'positions'),
        ((np.full(20, np.inf), np.zeros((20, 1))), {}, NotFiniteError, 'times'),
        (([*range(20), 9000], np.zeros((21, 1))), {}, TrajectoryError, 'long gaps'),
        (
            (np.arange(20.0), np.zeros((20, 1))),
            {'smoothing_time': -1.0},
            InputError,
            'a positive number',
        ),
        (
            (np.arange(20.0), np.zeros((20, 1))),
            {'smoothing_time': 100.0},
            TrajectoryError,
            'less than the 19 s',
        ),
    ],
)
def test_what_cannot_be_estimated_is_said(arguments, options, error, text):
    with pytest.raises(error, match=text):
        measured_motion(*arguments, **options)


def test_times_outside_of_the_recording_are_refused():
    motion = measured_motion(np.arange(20.0), np.zeros((20, 1)))
    with pytest.raises(InputError, match='expected 0 to 19 s, within the recording, got 20 s'):
        motion.jets([20.0])
    with pytest.raises(InputError, match='rows: expected 1 to 5, got 6'):
        motion.jets([2.0], 6)
    with pytest.raises(ShapeError):
        motion.covariances(3.0)
